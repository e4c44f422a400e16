import Catalog
package import Model

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
    package let following: Following

    /// What is behind a page that has not changed.
    package enum Following: Sendable {
        case page(PagePosition)
        case nothing
        /// The read ends although there may be more.
        case omitted(Verdict)
        /// Only the answer will tell.
        case unknown
    }
}

extension PageFetcher {
    /// What `page(at:remembered:)` would ask for, without asking.
    ///
    /// Throws `FetchError` where the position cannot be asked for, or what is behind it.
    package func outlook(at position: PagePosition, remembered memory: PageMemory?) throws -> PageOutlook {
        do throws(FetchError.Kind) {
            let locator = try paging.locator(of: position)
            let known = memory.flatMap { KnownPage($0, at: position) }
            return PageOutlook(
                method: requests.template.method.rawValue, url: requests.report.redaction.redacted(position.url),
                body: position.body, window: position.window, isConditional: known?.validator != nil,
                following: try following(position, at: locator, known))
        } catch {
            throw requests.report.error(error, at: position.url)
        }
    }

    private func following(
        _ position: PagePosition, at locator: PageLocator, _ known: KnownPage?
    ) throws(FetchError.Kind) -> PageOutlook.Following {
        guard let known else { return paging.isOfOnePage ? .nothing : .unknown }
        switch try paging.continuation(after: position, at: locator, known.summary, ReadContext(isFirst: false)) {
        case .next(let next): return .page(next)
        case .end(let verdict): return verdict.completeness == .partial ? .omitted(verdict) : .nothing
        }
    }
}
