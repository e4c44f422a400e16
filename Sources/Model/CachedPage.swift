/// The stored state of a page, by which a later run detects that the page has not changed.
///
/// The fetcher composes and reads the texts; the database only keeps them.
package struct CachedPage: Sendable, Equatable {
    /// The server's name for this state of the page, from `ETag` or `Last-Modified`; nil if it sent none.
    package let validator: String?
    /// A hash of the page's body; nil if none was computed.
    package let fingerprint: String?
    /// The values of this page that the following pages depend on.
    package let summary: String

    package init(validator: String?, fingerprint: String?, summary: String) {
        self.validator = validator
        self.fingerprint = fingerprint
        self.summary = summary
    }
}
