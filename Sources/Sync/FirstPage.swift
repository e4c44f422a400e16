package import Catalog
package import Fetcher
package import Persistence

/// The first page that a read of a stream would ask for, brought in without a store.
package struct FirstPage: Sendable {
    package let page: Page
    /// Whose children the records are; nil where the stream has no parent.
    package let parent: ParentRecord?

    /// Fetches the page: with the first values of the partitions, from the beginning of the cursor, and for the first
    /// record on the parent's first page.
    ///
    /// Throws `FetchError`, `IncrementalError`, `PersistenceError` and `CancellationError`.
    ///
    /// - Parameter streams: where the parent is looked for.
    package static func fetch(
        of stream: Stream, parents streams: [Stream], now: Timestamp,
        with fetchers: @Sendable (Stream) throws -> PageFetcher
    ) async throws -> FirstPage {
        let fetcher = try fetchers(stream)
        var bindings: Bindings = [:]
        for partition in stream.partitions { bindings[.partition(partition.name)] = partition.values.first }
        var record: ParentRecord?
        if let parent = stream.parent {
            let found = try await self.record(
                of: parent, for: stream, streams.filter { $0.name != stream.name }, now, fetchers)
            bindings.merge(found.bindings) { $1 }
            record = found
        }
        let windows = try stream.incremental.map { try CursorWindows($0, cursor: nil, signpost: now) }
        let position = try fetcher.firstPosition(filling: bindings, window: try windows?.first() ?? ReadWindow())
        return FirstPage(page: try await fetcher.page(at: position), parent: record)
    }

    private static func record(
        of parent: Parent, for stream: Stream, _ streams: [Stream], _ now: Timestamp,
        _ fetchers: @Sendable (Stream) throws -> PageFetcher
    ) async throws -> ParentRecord {
        guard let parentStream = streams.first(where: { $0.name == parent.stream }) else {
            throw PersistenceError(
                .configuration, "there is no stream \(parent.stream), the parent of \(stream.name)",
                hint: "add it to its source, or correct 'parent'")
        }
        let page = try await fetch(of: parentStream, parents: streams, now: now, with: fetchers).page
        guard case .records(let records) = page.content,
            let record = try ParentRecord(of: parentStream, among: records, for: stream)
        else {
            throw PersistenceError(
                .missing, "no record on the first page of \(parent.stream) can be asked with for \(stream.name)",
                hint: "look at it with 'garner preview \(parent.stream)'")
        }
        return record
    }
}
