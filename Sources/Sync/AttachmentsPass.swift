import Catalog
import Fetcher
import Persistence
import Synchronization

/// Brings in the files that a stream's stored records point to, several at a time. One that fails is noted, and keeps
/// nothing else from coming in.
struct AttachmentsPass: Sendable {
    private static let batch = 64

    let stream: Stream
    let fetcher: PageFetcher
    let store: Store
    let run: Int64
    let ledger: RequestLedger
    let stop: StopRequest
    let progress: @Sendable (RunCounts) -> Void
    private let outages = OriginOutages()

    init(
        stream: Stream, fetcher: PageFetcher, store: Store, run: Int64, ledger: RequestLedger, stop: StopRequest,
        progress: @escaping @Sendable (RunCounts) -> Void
    ) {
        self.stream = stream
        self.fetcher = fetcher
        self.store = store
        self.run = run
        self.ledger = ledger
        self.stop = stop
        self.progress = progress
    }

    /// Asks for all that this read has not asked for; false where it was asked to stop before.
    func fetch() async throws -> Bool {
        for attachment in stream.attachments {
            var row = Int64.min
            while true {
                let due = try await store.dueFiles(of: run, in: attachment.field, from: row, limit: Self.batch)
                guard let last = due.last else { break }
                try await fetch(due, as: attachment)
                if stop.isRequested { return false }
                let (next, isBeyond) = last.row.addingReportingOverflow(1)
                if isBeyond { break }
                row = next
            }
        }
        return true
    }

    private func fetch(_ due: [DueFile], as attachment: Attachment) async throws {
        var asked: Set<[UInt8]> = []
        var waiting = due.filter { asked.insert(Array($0.url.utf8)).inserted }[...]
        try await withThrowingTaskGroup(of: Void.self) { group in
            func startNext() {
                guard !stop.isRequested, let file = waiting.popFirst() else { return }
                group.addTask { try await fetch(file, as: attachment) }
            }
            for _ in 0..<stream.maxConcurrency { startNext() }
            while try await group.next() != nil { startNext() }
        }
    }

    private func fetch(_ file: DueFile, as attachment: Attachment) async throws {
        let origin = fetcher.fileOrigin(of: file.url)
        func outcome(_ content: AttachmentOutcome.Content, _ requests: [RequestRecord]) -> AttachmentOutcome {
            AttachmentOutcome(field: attachment.field, url: file.url, content, requests: requests)
        }
        if let error = outages.lasting(at: origin) {
            return progress(try await store.keep(outcome(.failed(error), []), for: run))
        }
        let result: AttachmentOutcome
        do {
            let fetched = try await fetcher.file(
                at: file.url, mediaTypes: attachment.mediaTypes, remembered: file.validator)
            outages.noteAnswer(of: origin)
            result = outcome(.init(fetched), [RequestRecord(fetched.request)])
        } catch let error as FetchError {
            try Task.checkCancellation()
            outages.note(error, of: origin)
            // What another server asks for does not hold for the source.
            if origin == WebAddress(stream.request.baseURL)?.origin { ledger.noteWait(after: error) }
            let request = error.request.flatMap { $0.attempts > 0 ? $0 : nil }
            result = outcome(
                .failed(error), request.map { [RequestRecord($0, errorKind: error.kind.name)] } ?? [])
        }
        progress(try await store.keep(result, for: run))
    }
}

/// The servers that have failed so often in a row that this run asks them for no further file.
private final class OriginOutages: Sendable {
    private static let maximumFailures = 20

    private let failures = Mutex<[Origin: (count: Int, last: FetchError)]>([:])

    /// What the server keeps failing with; nil where it is worth asking.
    func lasting(at origin: Origin?) -> FetchError? {
        guard let origin else { return nil }
        return failures.withLock { $0[origin].flatMap { $0.count >= Self.maximumFailures ? $0.last : nil } }
    }

    func noteAnswer(of origin: Origin?) {
        guard let origin else { return }
        failures.withLock { $0[origin] = nil }
    }

    func note(_ error: FetchError, of origin: Origin?) {
        guard let origin else { return }
        // That one file is not to be had says nothing of the others.
        guard !error.kind.isOfOneSlice else { return noteAnswer(of: origin) }
        failures.withLock { $0[origin] = (($0[origin]?.count ?? 0) + 1, error) }
    }
}

extension AttachmentOutcome.Content {
    fileprivate init(_ fetched: FetchedFile) {
        switch fetched.content {
        case .file(let mediaType, let bytes):
            self = .file(StoredFile(mediaType: mediaType, bytes), validator: fetched.validator)
        case .unchanged, .nothing: self = .asBefore
        }
    }

    fileprivate static func failed(_ error: FetchError) -> Self {
        .failed(kind: error.kind.name, message: error.message)
    }
}
