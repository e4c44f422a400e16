import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence

/// The pages of one slice, in their order. It knows what is stored of them, and requests them before the reader asks for them
/// (`PagesAhead`). The reader judges and stores them.
struct PageStream {
    let reader: SliceReader
    let ahead: PagesAhead
    private var visited: VisitedPages

    init(_ reader: SliceReader, _ ahead: PagesAhead) {
        (self.reader, self.ahead) = (reader, ahead)
        visited = VisitedPages(stream: reader.stream.name)
    }

    /// Fetches the page at which an earlier run left the slice, or its first page.
    func first() async throws -> Page {
        guard let position = reader.position else { return try await page(at: start) }
        if !reader.descendsAgain {
            do {
                return try await page(at: position)
            } catch let error as FetchError where error.kind.spoilsPosition {
                // Cursors expire and collections shrink: the rest of that read is no longer available.
                reader.ledger.note(error)
            }
        }
        // The first pages of a descent cost little, and what was removed meanwhile would have moved others past the position.
        try await reader.writer.restart(reader.slice, of: reader.run)
        return try await page(at: start)
    }

    /// Returns the page at the position to which `page` leads. It is fetched while `store` stores `page`.
    ///
    /// - Parameter store: Stores `page`. It receives the position of a later page, whose stored memory it returns, and a closure that
    ///   tells whether the next page has come.
    mutating func page(
        at next: PagePosition, behind page: Page,
        storing store: (PagePosition?, @escaping @Sendable () -> SuccessorState) async throws -> CachedPage?
    ) async throws -> Page {
        try visited.visit(page)
        let (ahead, stop, visited) = (ahead, reader.stop, visited)
        // Looked up before the page is stored, because the writer does one thing at a time.
        let taken = await ahead.take(next)
        let memory = if let taken { taken.memory } else { try await memory(of: next) }
        let arrivals = ahead.arrivals
        let followsLinks = !hasMemory && reader.cursor?.descent == nil
        async let following = ahead.page(
            at: next, taken?.request, remembered: memory,
            following: { followsLinks && !stop.isRequested && !visited.contains($0) })
        if !stop.isRequested {
            try await ahead.request(
                behind: page.position, next, remembered: memory, isVisited: visited.contains, lookUp: self.memory)
        }
        let expected =
            hasMemory
            ? ahead.expectedPosition(
                behind: page.position, next, remembered: memory, isVisited: visited.contains) : nil
        let stored = try await store(expected) { ahead.arrivals == arrivals ? .requested : .arrived }
        if let expected { ahead.expect(expected, remembered: stored.flatMap(ParsedCachedPage.init)) }
        reader.window.notePage(wasLate: ahead.arrivals == arrivals)
        return try await following
    }

    /// Fetches the page at which the read looks once more, one request at a time from there on.
    ///
    /// - Parameter page: The last page of the first look. If it brought nothing in the place of a list, the second look asks for the
    ///   page as a whole, and so does the next read if there is nothing again.
    mutating func again(at position: PagePosition, behind page: Page) async throws -> Page {
        visited = VisitedPages(stream: reader.stream.name)
        ahead.close()
        guard page.isRefused else { return try await self.page(at: position) }
        try await reader.source.current.waitBeforeSecondLook()
        var again = try await fetch(position, remembered: nil)
        again.forgetIfEmpty()
        return again
    }

    /// The position of the first page of the slice.
    var start: PagePosition {
        get throws {
            try reader.source.current.firstPosition(
                filling: reader.slice.bindings, window: try reader.cursor?.windows.first() ?? ReadWindow(),
                beganAt: reader.beganAt)
        }
    }

    private func page(at position: PagePosition) async throws -> Page {
        try await fetch(position, remembered: try await memory(of: position))
    }

    private func fetch(_ position: PagePosition, remembered memory: ParsedCachedPage?) async throws -> Page {
        try await reader.source.fetching { try await $0.page(at: position, remembered: memory, reader.context) }
    }

    /// False if no page has a stored memory that counts. A stream without a table has none.
    private var hasMemory: Bool { reader.remembersPages && !reader.context.isFirst }

    private func memory(of position: PagePosition) async throws -> ParsedCachedPage? {
        guard hasMemory else { return nil }
        return try await reader.writer.memory(of: position.key, added: reader.slice.added, for: reader.run)
            .flatMap(ParsedCachedPage.init)
    }
}
