package import GarnerModel

/// The pages of a read. They end one that leads back to an earlier page, or ever further without anything new.
package struct VisitedPages: Sendable {
    /// The number of pages in a row that may have the records of earlier ones, as a source of few different values may.
    private static let maximumRepeats = 10
    /// The number of pages in a row that may be empty, as those of a source may that filters behind its pages.
    private static let maximumEmptyPages = 1_000

    private let stream: StreamName
    private var visited: Set<String> = []
    /// The fingerprints of the records on each page of the current window.
    private var digests: Set<String> = []
    private var repeatsInARow = 0
    private var emptyInARow = 0

    package init(stream: StreamName) { self.stream = stream }

    /// Returns true if the read has visited this position.
    package func contains(_ position: PagePosition) -> Bool { visited.contains(position.key) }

    /// Notes a page that leads to another one. Throws if its position was requested before, or if many pages had nothing new.
    package mutating func visit(_ page: Page) throws(FetchError) {
        try visit(page.position)
        if page.position.number == 0 {
            digests.removeAll(keepingCapacity: true)
            (repeatsInARow, emptyInARow) = (0, 0)
        }
        guard page.next != nil, case .records = page.content else { return }
        guard let digest = page.digest else {
            emptyInARow += 1
            guard emptyInARow >= Self.maximumEmptyPages else { return }
            throw FetchError(
                stream: stream, kind: .endlessEmptyPages(count: emptyInARow), url: page.position.url)
        }
        emptyInARow = 0
        repeatsInARow = digests.insert(digest).inserted ? 0 : repeatsInARow + 1
        guard repeatsInARow >= Self.maximumRepeats else { return }
        throw FetchError(stream: stream, kind: .repeatedRecords(pages: repeatsInARow), url: page.position.url)
    }

    /// Throws if the read has already requested this position.
    package mutating func visit(_ position: PagePosition) throws(FetchError) {
        guard visited.insert(position.key).inserted else {
            throw FetchError(stream: stream, kind: .repeatedPage(url: position.url), url: nil)
        }
    }
}
