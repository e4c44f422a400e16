import GarnerCatalog
import GarnerDigest
import GarnerModel
import GarnerSQLite

/// A run that has begun and not ended.
package struct OpenRun {
    private let beginning: Beginning
    var id: RunID { beginning.id }
    /// The stream with the table that it has.
    var stream: StreamConfiguration { beginning.stream }
    /// The stream as it is configured.
    var configured: StreamConfiguration { beginning.configured }
    var streamID: StreamID { beginning.streamID }
    /// The reason why nothing can be read; nil if it can.
    var refusal: (any Error)? { beginning.refusal }
    var identity: String { beginning.identity }
    /// The scope of the memory of pages: a remembered page belongs to this text.
    var scope: String { beginning.scope }
    var isUnconditional: Bool { beginning.isUnconditional }
    /// The change to the stream's schedule at the end of the run; nil if there is none.
    var settle: SettleSchedule? { beginning.settle }
    /// True if its read was opened, so that requests may have been sent.
    var isOpened = false
    /// The read; nil until it is opened.
    var read: UnfinishedRead?
    /// The findings of earlier reads.
    var context = ReadContext()
    var counts = RunCounts()
    /// The number of rows that were inserted from pages behind the first one of their list.
    var insertedBehindFirst = 0
    /// True if the total that the server states has changed while a list was read.
    var totalHasChanged = false
    /// Why the table is not replaced although the read is whole; nil if nothing is known.
    var listChange: ListHasChanged?
    /// True if a list has as many records as the server counts.
    var isCounted = false
    /// The slices that look once more for rows that they lack.
    var secondLooks: Set<SliceID> = []
    /// The slices whose second look began with the first page.
    var slicesReadAgain: Set<SliceID> = []
    /// The slices that an earlier run of the read has left in mid-list.
    var resumedSlices: Set<SliceID> = []
    /// The instant at which the latest page was stored; nil before the first one.
    var storedPageAt: Timestamp?
    /// A warning that the write-ahead log has grown during the run; nil if it has not.
    var logWarning: String?
    /// The fields that the configuration names and no record of the run has had so far; nil before the first record.
    var unseenFields: Set<String>?
    /// The numbers of records that the configuration left out, that it chose, and that say that their rows are to be deleted.
    var (leftOut, chosen, deletions) = (0, 0, 0)
    /// What the first record that was left out has where `record_filter` compares it.
    var filterMismatch: String?
    /// The doubt whether `record_filter` is meant to leave out all of a page, and the number of records on such pages.
    var filterDoubt: (verdict: Verdict?, leftOut: Int) = (nil, 0)
    /// True if a page came without its records, as it is stored already. It is not known which fields they have.
    var hasUnreadPage = false
    /// The reason why the streams that the read depends on may lack records, as known at its beginning; nil if they do not.
    var doubt: Verdict.Cause?
    /// A cursor that is later than any change can be; nil if there was none.
    var farCursor: String?
    /// True if a slice of the read has a cursor that its source can have reached.
    var hasNearCursor = false
    /// The warnings for the end of the run.
    var warnings: [String] = []
    /// True since a warning repeats what the server tells people.
    var hasRemark = false
    /// The pages that were lost with their shared transaction; nil if none were.
    var lost: LostPages?

    /// - Parameters:
    ///   - identity: The digest of the text from which the read is made.
    ///   - credential: A text that differs between credentials.
    init(
        id: RunID, stream: StreamConfiguration, _ registered: StreamRegistry.Registration, identity: String,
        credential: String, isUnconditional: Bool, read: UnfinishedRead?, settle: SettleSchedule? = nil
    ) {
        beginning = Beginning(
            id: id, stream: registered.applied(to: stream), configured: stream, streamID: registered.id,
            refusal: registered.refusal, identity: identity,
            scope: SHA256.hexDigest(of: "\(identity)\n\(credential)".utf8), isUnconditional: isUnconditional,
            settle: settle)
        self.read = read
    }

    /// The parts that stay the same until the run ends. They are shared, as each page copies the run, and a stream has a hundred parts.
    private final class Beginning: Sendable {
        let id: RunID
        let stream: StreamConfiguration
        let configured: StreamConfiguration
        let streamID: StreamID
        let refusal: (any Error)?
        let identity: String
        let scope: String
        let isUnconditional: Bool
        let settle: SettleSchedule?

        init(
            id: RunID, stream: StreamConfiguration, configured: StreamConfiguration, streamID: StreamID,
            refusal: (any Error)?, identity: String, scope: String, isUnconditional: Bool, settle: SettleSchedule?
        ) {
            (self.id, self.stream, self.configured, self.streamID) = (id, stream, configured, streamID)
            (self.refusal, self.identity, self.scope) = (refusal, identity, scope)
            (self.isUnconditional, self.settle) = (isUnconditional, settle)
        }
    }

    /// The id of the run that began the read.
    var readID: ReadID { read?.id ?? ReadID(begunBy: id) }

    /// The identity of the read. That of a range shares the stream's cursors and findings; another read cannot continue it.
    var readIdentity: String { Self.readIdentity(of: stream, identity) }

    static func readIdentity(of stream: StreamConfiguration, _ identity: String) -> String {
        guard let incremental = stream.incremental, incremental.isBackfill else { return identity }
        return digest(of: "\(identity)\n\(incremental.initialValue ?? "")\n\(incremental.endValue ?? "")")
    }

    /// Returns the scope for pages whose records are stored with this text of the parent.
    func scope(adding added: String?) -> String {
        added.map { SHA256.hexDigest(of: "\(scope)\n\($0)".utf8) } ?? scope
    }

    /// Returns a short name for the text from which a read is made. Only the configuration's author writes that text.
    package static func digest(of identity: String) -> String {
        var hash = StableHash()
        hash.add(identity.utf8)
        return String(hash.value, radix: 16)
    }

    /// Stores the progress of the read.
    mutating func saveRead(at now: Timestamp, on connection: Connection) throws {
        let streamID = streamID
        try read?.save(of: streamID, at: now, on: connection)
    }
}

/// The list of a table that was to be replaced has changed while it was read, so that a record may be missing.
struct ListHasChanged: Error {
    let verdict: Verdict
    let doubled: Set<Int64>
}
