import GarnerCatalog
import GarnerFetcher
import GarnerModel
import GarnerPersistence
import Synchronization
import GarnerTasks

/// Downloads the files that stored records point to, several at a time. One that fails is recorded, and stops no others.
struct AttachmentsPass: Sendable {
    private static let batch = 256

    let stream: StreamConfiguration
    let fetcher: PageFetcher
    let writer: DatabaseWriter
    let run: RunID
    let ledger: RequestLedger
    let stop: StopRequest
    let progress: @Sendable (RunCounts) -> Void
    private let outages = OriginOutages()

    /// Requests all files that this read has not requested yet. Returns false if the run was asked to stop first.
    func fetch() async throws -> Bool {
        for attachment in stream.attachments {
            var place: FilePlace? = .first
            while let start = place {
                let due = try await writer.dueFiles(of: run, in: attachment.field, from: start, limit: Self.batch)
                guard let last = due.last else { break }
                try await fetch(due, as: attachment)
                if stop.isRequested { return false }
                place = last.next
            }
        }
        return true
    }

    private func fetch(_ due: [DueFile], as attachment: Attachment) async throws {
        var asked: Set<[UInt8]> = []
        var waiting = due.filter { asked.insert(Array($0.url.utf8)).inserted }[...]
        try await performConcurrently(
            atMost: stream.maxConcurrency, on: TransportThread.shared,
            next: { stop.isRequested ? nil : waiting.popFirst() }
        ) { file in
            try await fetch(file, as: attachment)
        } handle: {
        }
    }

    private func fetch(_ file: DueFile, as attachment: Attachment) async throws {
        func origin() -> Origin? { fetcher.fileOrigin(of: file.url) }
        func outcome(_ content: AttachmentOutcome.Content, _ requests: [RequestRecord]) -> AttachmentOutcome {
            AttachmentOutcome(field: attachment.field, url: file.url, content, requests: requests)
        }
        if let error = outages.lasting(at: origin()) {
            return progress(try await writer.keep(outcome(.failed(error), []), for: run))
        }
        let result: AttachmentOutcome
        do {
            let fetched = try await fetcher.file(
                at: file.url, mediaTypes: attachment.mediaTypes, remembered: file.validator)
            outages.noteAnswer(of: origin())
            result = outcome(await .init(fetched), [RequestRecord(fetched.request)])
        } catch let error as FetchError {
            try Task.checkCancellation()
            outages.note(error, of: origin())
            // A wait that another server asks for does not apply to the source.
            if origin() == WebAddress(stream.request.baseURL)?.origin { ledger.noteWait(after: error) }
            let request = error.request.flatMap { $0.attempts > 0 ? $0 : nil }
            result = outcome(
                .failed(error), request.map { [RequestRecord($0, errorKind: error.kind.name)] } ?? [])
        }
        progress(try await writer.keep(result, for: run))
    }
}

/// The servers that have failed so often in a row that this run requests no further file from them.
private final class OriginOutages: Sendable {
    private static let maximumFailures = 20

    private let failures = Mutex<[Origin: (count: Int, last: FetchError)]>([:])

    /// Returns the error that a server keeps failing with, or nil if it is worth another request.
    func lasting(at origin: @autoclosure () -> Origin?) -> FetchError? {
        guard !failures.withLock(\.isEmpty), let origin = origin() else { return nil }
        return failures.withLock { $0[origin].flatMap { $0.count >= Self.maximumFailures ? $0.last : nil } }
    }

    func noteAnswer(of origin: @autoclosure () -> Origin?) {
        guard !failures.withLock(\.isEmpty), let origin = origin() else { return }
        failures.withLock { $0[origin] = nil }
    }

    func note(_ error: FetchError, of origin: Origin?) {
        guard let origin else { return }
        // One missing file says nothing about the others.
        guard !error.kind.isOfOneSlice else { return noteAnswer(of: origin) }
        failures.withLock { $0[origin] = (($0[origin]?.count ?? 0) + 1, error) }
    }
}

extension AttachmentOutcome.Content {
    /// The number of bytes from which a file's digest would keep the thread that serves connections for too long.
    private static let manyBytes = 1 << 20

    fileprivate init(_ fetched: FetchedFile) async {
        switch fetched.content {
        case .file(let mediaType, let bytes):
            let file =
                bytes.count < Self.manyBytes
                ? StoredFile(mediaType: mediaType, bytes)
                : await Task.detached { StoredFile(mediaType: mediaType, bytes) }.value
            self = .file(file, validator: fetched.validator)
        case .unchanged, .nothing: self = .asBefore
        }
    }

    fileprivate static func failed(_ error: FetchError) -> Self {
        .failed(kind: error.kind.name, message: error.message)
    }
}
