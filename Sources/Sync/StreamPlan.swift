package import GarnerCatalog
package import GarnerFetcher
package import GarnerModel
package import GarnerPersistence

/// The requests that a run of a stream would send, as far as they are known before any response.
package struct StreamPlan: Sendable {
    package let stream: StreamName
    package let read: ReadPlan
    /// The number of combinations of the values of partitions; 1 without partitions.
    package let combinationCount: Int
    /// The requests in the order in which they are sent, those of each slice together.
    package let requests: [PlannedRequest]
    /// True if more requests are known than `requests` lists.
    package let isCut: Bool
    /// True if responses may lead to further pages.
    package let isOpen: Bool

    /// Plans a run that would begin now. Cached pages are assumed to be unchanged.
    ///
    /// Throws `FetchError`, `IncrementalError` or `PersistenceError` if the run would fail before any request.
    ///
    /// - Parameters:
    ///   - restarting: True if the run would start over and request every page.
    ///   - clock: The clock for the time that a query for values of partitions may take.
    package init(
        of stream: StreamConfiguration, with fetcher: PageFetcher, from reader: ReadOnlyDatabase, now: Timestamp,
        limit: Int, restarting: Bool, clock: any Clock<Duration>
    ) throws {
        self.stream = stream.name
        combinationCount = stream.partitions.reduce(1) { count, partition in
            let (product, overflows) = count.multipliedReportingOverflow(by: max(1, partition.values.count))
            return overflows ? .max : product
        }
        let read = try reader.readPlan(
            of: stream, identity: stream.readIdentity, credential: fetcher.credentialTag, restarting: restarting,
            limit: limit, now: now, clock: clock)
        var requests: [PlannedRequest] = []
        var isCut = read.slices.count < read.sliceCount
        var isOpen = false
        slices: for slice in read.slices {
            let beganAt = read.beganAt(now: now)
            let cursor = try stream.incremental.map {
                try SliceCursor($0, behind: slice.cursor, signpost: beganAt)
            }
            func beginning(of window: ReadWindow) throws -> PagePosition {
                try fetcher.firstPosition(filling: slice.bindings, window: window, beganAt: beganAt)
            }
            var visited = VisitedPages(stream: stream.name)
            var following =
                try slice.nextPosition.flatMap(PagePosition.init(checkpoint:))
                ?? beginning(of: cursor?.windows.first() ?? ReadWindow())
            while true {
                guard requests.count < limit else {
                    isCut = true
                    break slices
                }
                try visited.visit(following)
                let memory = try reader.memory(of: following.key, added: slice.added, for: read)
                let page = try fetcher.plannedRequest(at: following, remembered: memory.flatMap(ParsedCachedPage.init))
                requests.append(page)
                switch page.following {
                case .page(let next):
                    following = next
                    continue
                case .omitted: continue slices
                case .unknown: isOpen = true
                case .nothing: break
                }
                guard let window = try cursor?.windows.next(after: following.window) else { continue slices }
                following = try beginning(of: window)
            }
        }
        self.read = read
        self.requests = requests
        self.isCut = isCut
        self.isOpen = isOpen
    }
}

/// The first page that a read of a stream would request, fetched without a database.
package struct FirstPage: Sendable {
    package let page: Page
    package let slice: FirstSlice
    /// The redaction of the stream's secrets, including the token of the request.
    package let redaction: Redaction

    /// Fetches the first page: with the first values of partitions and the first record of the parent's first page.
    ///
    /// Throws `FetchError`, `IncrementalError`, `PersistenceError` or `CancellationError`.
    ///
    /// - Parameters:
    ///   - streams: The streams among which the parent is looked up.
    ///   - database: The path of the database that queries for values of partitions read.
    ///   - clock: The clock for the time that such a query may take.
    package static func fetch(
        of stream: StreamConfiguration, parents streams: [StreamConfiguration], database: String, now: Timestamp,
        clock: any Clock<Duration>, with fetchers: @Sendable (StreamConfiguration) throws -> PageFetcher
    ) async throws -> FirstPage {
        let fetcher = try fetchers(stream)
        let stream = try stream.withPartitionValues(from: database, clock: clock)
        let slice =
            if let parent = stream.parent {
                try await self.slice(
                    of: stream, below: parent, streams.filter { $0.name != stream.name }, database, now, clock, fetchers
                )
            } else {
                FirstSlice(of: stream)
            }
        let windows = try stream.incremental.map { try CursorWindows($0, cursor: nil, signpost: now) }
        let position = try fetcher.firstPosition(
            filling: slice.bindings, window: try windows?.first() ?? ReadWindow(), beganAt: now)
        return FirstPage(page: try await fetcher.page(at: position), slice: slice, redaction: fetcher.redaction)
    }

    /// Throws `IncrementalError` if the records have no cursor that a first read could take.
    package func requireCursor(of stream: StreamConfiguration, now: Timestamp) throws {
        guard let incremental = stream.incremental, case .records(let records) = page.content,
            let field = try CursorField(incremental, signpost: now)
        else { return }
        try field.check(records)
    }

    /// Returns the doubt about cursors that are not written in the configured format, or are not in the order that it needs; nil if there
    /// is none.
    package func doubtOnCursor(of stream: StreamConfiguration, now: Timestamp) throws -> String? {
        guard let incremental = stream.incremental, case .records(let records) = page.content else { return nil }
        let field = try CursorField(incremental, signpost: now)
        return field?.doubtOnFormat(in: records) ?? field?.doubtOnOrder(in: records)
    }

    private static func slice(
        of stream: StreamConfiguration, below parent: Parent, _ streams: [StreamConfiguration], _ database: String,
        _ now: Timestamp,
        _ clock: any Clock<Duration>, _ fetchers: @Sendable (StreamConfiguration) throws -> PageFetcher
    ) async throws -> FirstSlice {
        guard let parentStream = streams.first(where: { $0.name == parent.stream }) else {
            throw PersistenceError(
                .configuration, "there is no stream \(parent.stream), the parent of \(stream.name)",
                hint: "add it to its source, or correct 'parent'")
        }
        let page = try await fetch(
            of: parentStream, parents: streams, database: database, now: now, clock: clock, with: fetchers
        ).page
        if case .records(let records) = page.content,
            let lacked = FirstSlice.lacking(in: records, for: stream)
        {
            throw PersistenceError(
                .configuration, "the parent \(parent.stream) has no field '\(lacked.field)'",
                hint: "its fields are: \(lacked.others.joined(separator: ", "))")
        }
        guard case .records(let records) = page.content,
            let slice = try FirstSlice(of: stream, below: records, of: parentStream)
        else {
            throw PersistenceError(
                .missing, "no record on the first page of \(parent.stream) has the fields that \(stream.name) needs",
                hint: .preview(stream: "\(parent.stream)"))
        }
        return slice
    }
}
