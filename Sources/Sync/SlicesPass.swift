import GarnerFetcher
import GarnerModel
import GarnerPersistence
import GarnerTasks

/// Reads all slices of a run's read, several at a time. A failed slice does not stop the others.
struct SlicesPass: Sendable {
    /// The number of consecutive failures after which the source itself counts as failed.
    private static let maximumFailures = 20
    private static let batch = 256

    let reader: @Sendable (Slice) throws -> SliceReader
    let writer: DatabaseWriter
    let run: RunID
    let concurrency: Int
    let ledger: RequestLedger
    let progress: @Sendable (RunCounts) -> Void

    /// The way in which the pass ended.
    enum End: Sendable {
        case ended(RunRecord)
        /// No slice is left, and the run did not end with the last one.
        case nothingLeft
        case outOfPages
        case stopped
        /// At least one slice failed.
        case failed(SliceFailures)

        /// True if the run continues with the files that its records point to.
        var isGood: Bool {
            switch self {
            case .nothingLeft, .outOfPages: true
            case .ended, .stopped, .failed: false
            }
        }
    }

    private enum SliceEnd: Sendable {
        case read(SliceReader.End)
        case failed(SliceID, FetchError)
    }

    /// Reads the slices. Throws errors that concern the source or the database.
    func read() async throws -> End {
        var waiting = try await writer.slices(of: run, limit: Self.batch)[...]
        guard !waiting.isEmpty else { return .nothingLeft }
        var failures = SliceFailures()
        var end: End?
        func next() async throws -> (SliceID, SliceReader)? {
            guard end == nil, failures.inARow < Self.maximumFailures, let slice = waiting.popFirst() else { return nil }
            if waiting.isEmpty { waiting = try await writer.slices(of: run, after: slice.id, limit: Self.batch)[...] }
            return (slice.id, try reader(slice))
        }
        try await performConcurrently(atMost: concurrency, on: TransportThread.shared, next: next) {
            (slice, reader) -> SliceEnd in
            do {
                return .read(try await reader.read(progress))
            } catch let error as FetchError where error.kind.isOfOneSlice {
                ledger.note(error)
                return .failed(slice, error)
            }
        } handle: { sliceEnd in
            switch sliceEnd {
            case .read(.complete(let record?)): end = .ended(record)
            case .read(.complete(nil)): (failures.inARow, failures.othersWereRead) = (0, true)
            case .read(.outOfPages): end = end ?? .outOfPages
            case .read(.stopped): end = .stopped
            case .failed(let slice, let error): failures.note(slice, error)
            }
        }
        if case .ended(let record)? = end { return .ended(record) }
        failures.areAll = end == nil && failures.inARow < Self.maximumFailures
        return failures.first == nil ? end ?? .nothingLeft : .failed(failures)
    }
}

/// The slices of a run that could not be read.
struct SliceFailures: Sendable {
    private(set) var first: FetchError?
    private(set) var slices: [SliceID] = []
    private(set) var arePermanent = true
    var inARow = 0
    /// True if the run has read another slice to its end.
    var othersWereRead = false
    /// True if every slice that was left was tried.
    var areAll = false

    mutating func note(_ slice: SliceID, _ error: FetchError) {
        first = first ?? error
        slices.append(slice)
        inARow += 1
        arePermanent = arePermanent && error.kind.spoilsPosition
    }
}
