/// What was found out about a page that the configuration does not say.
package struct PageLayout: Sendable, Equatable {
    /// The JSONPath of what holds the records; nil where the configuration says it.
    package internal(set) var recordsPath: String?
    /// What leads to the next page, such as `Link` or `$.next`; nil where the configuration says it, or nothing follows.
    package internal(set) var nextPage: String?
    package internal(set) var isDocument = false
}
