package import Catalog

/// The positions that one read has visited, so that pages that lead back to themselves end it.
package struct PageTrail: Sendable {
    private let stream: StreamName
    private var visited: Set<String> = []

    package init(stream: StreamName) { self.stream = stream }

    /// Throws where this position's request was already made in this read.
    package mutating func visit(_ position: PagePosition) throws(FetchError) {
        guard visited.insert(position.key).inserted else {
            throw FetchError(stream: stream, kind: .repeatedPage(url: position.url), url: nil)
        }
    }
}
