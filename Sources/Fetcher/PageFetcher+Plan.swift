import GarnerCatalog
package import GarnerModel

/// The request for a page as it would be sent, and what is expected to follow the page.
package struct PlannedRequest: Sendable {
    package let method: String
    /// The URL without its secrets.
    package let url: String
    /// The JSON body with *** in the place of each secret; nil if the request has no body.
    package let body: String?
    /// The cursors between which the page's records are asked for; open for a stream that is not incremental.
    package let window: ReadWindow
    /// True if the request asks the server for the page only if it has changed.
    package let isConditional: Bool
    package let following: Following

    /// What follows the page if it has not changed.
    package enum Following: Sendable {
        case page(PagePosition)
        /// The read ends.
        case nothing
        /// The read ends although there may be more records.
        case omitted(Verdict)
        /// Only the server's answer can tell.
        case unknown
    }
}

extension PageFetcher {
    /// Returns the request that `page(at:remembered:)` would send, without sending it.
    ///
    /// Throws `FetchError` if the position, or the one after it, cannot be requested.
    package func plannedRequest(at position: PagePosition, remembered memory: ParsedCachedPage?) throws
        -> PlannedRequest
    {
        do throws(FetchError.Kind) {
            let locator = try paging.locator(of: position)
            let known = memory.flatMap { $0.belongs(to: position) ? $0 : nil }
            return PlannedRequest(
                method: requests.template.method.rawValue, url: requests.report.redaction.redacted(position.url),
                body: locator.body?.shown(withSecretsOf: requests.template.body), window: position.window,
                isConditional: known?.validator != nil,
                following: try following(position, at: locator, known))
        } catch {
            throw requests.report.error(error, at: position.url)
        }
    }

    private func following(
        _ position: PagePosition, at locator: PageLocator, _ known: ParsedCachedPage?
    ) throws(FetchError.Kind) -> PlannedRequest.Following {
        guard let known else { return paging.isOfOnePage ? .nothing : .unknown }
        switch try paging.continuation(after: position, at: locator, known.summary, ReadContext(isFirst: false)) {
        case .next(let next): return .page(next)
        case .end(let verdict): return verdict.completeness == .partial ? .omitted(verdict) : .nothing
        }
    }
}
