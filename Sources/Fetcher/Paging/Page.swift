package import JSON

/// One page of a stream's records, checked and complete.
package struct Page: Sendable {
    package let position: PagePosition
    package let records: Selection
    /// nil where this was the last page.
    package let next: PagePosition?
    /// nil where the last page is the end of the source.
    package let omission: Omission?
    /// How many requests it took, retries included.
    package let requests: Int
    /// The body's bytes after decompression.
    package var bytes: Int { records.document.byteCount }
}
