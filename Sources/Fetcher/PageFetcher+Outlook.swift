import Catalog

/// The request for a page, and what is known of the page before it is sent.
package struct PageOutlook: Sendable {
    package let method: String
    /// Without its secrets.
    package let url: String
    /// JSON, with null in the place of each secret; nil without a body.
    package let body: String?
    package let window: ReadWindow
    /// Whether the server is asked only for what has changed.
    package let isConditional: Bool
    /// The page behind this one where this one has not changed; nil where it is the last, or nothing is known of it.
    package let next: PagePosition?
}

extension PageFetcher {
    /// What `page(at:remembered:)` would ask for, without asking.
    ///
    /// Throws `FetchError` where the position cannot be asked for, or what is behind it.
    package func outlook(at position: PagePosition, remembered memory: PageMemory?) throws -> PageOutlook {
        do throws(FetchError.Kind) {
            let locator = try paging.locator(of: position)
            let known = memory.flatMap { KnownPage($0, at: position) }
            var next: PagePosition?
            if let known,
                case .next(let position) = try paging.continuation(
                    after: position, at: locator, known.summary)
            {
                next = position
            }
            return PageOutlook(
                method: requests.template.method.rawValue, url: requests.report.redaction.redacted(position.url),
                body: position.body,
                window: position.window, isConditional: known != nil, next: next)
        } catch {
            throw requests.report.error(error, at: position.url)
        }
    }
}
