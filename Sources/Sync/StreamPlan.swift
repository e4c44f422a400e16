package import Catalog
package import Fetcher
package import Persistence

/// The requests that a run of a stream would send, as far as they are known before any is answered.
package struct StreamPlan: Sendable {
    package let stream: StreamName
    package let read: ReadPlan
    /// In the order in which they are sent, those of each slice together.
    package let requests: [PageOutlook]
    /// Whether more are known than `requests` has.
    package let isCut: Bool
    /// Whether there may be pages that only the answers tell of.
    package let isOpen: Bool

    /// Plans a run that would begin now. Pages that are remembered are taken to be as they were.
    ///
    /// Throws `FetchError`, `IncrementalError` and `PersistenceError` where the run would fail without a request.
    ///
    /// - Parameters:
    ///   - limit: how many requests to give.
    ///   - restarting: whether it would begin anew and ask for every page.
    package init(
        of stream: Stream, with fetcher: PageFetcher, from archive: Archive, now: Timestamp, limit: Int,
        restarting: Bool
    ) throws {
        self.stream = stream.name
        let read = try archive.readPlan(
            of: stream, identity: stream.readIdentity, credential: fetcher.credentialTag, restarting: restarting,
            limit: limit, now: now)
        var requests: [PageOutlook] = []
        var isCut = read.slices.count < read.sliceCount
        var isOpen = false
        slices: for slice in read.slices {
            let cursor = try stream.incremental.map {
                try SliceCursor($0, behind: slice.cursor, signpost: read.beganAt(now: now))
            }
            func beginning(of window: ReadWindow) throws -> PagePosition {
                try fetcher.firstPosition(filling: slice.bindings, window: window)
            }
            var trail = PageTrail(stream: stream.name)
            var following =
                try slice.nextPosition.flatMap(PagePosition.init(checkpoint:))
                ?? beginning(of: cursor?.windows.first() ?? ReadWindow())
            while true {
                guard requests.count < limit else {
                    isCut = true
                    break slices
                }
                try trail.visit(following)
                let memory = try archive.memory(of: following.key, added: slice.added, for: read)
                let page = try fetcher.outlook(at: following, remembered: memory.map { PageMemory($0) })
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
