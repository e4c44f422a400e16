package import Catalog
import Digest
import JSON
package import Model

/// A run between its begin and its end.
struct OpenRun {
    let id: Int64
    let stream: Stream
    let streamID: Int64
    let identity: String
    /// What the memory of pages holds for.
    let scope: String
    let isUnconditional: Bool
    /// What becomes of its stream's schedule with its end; nil where that is no concern of the schedule.
    let settle: SettleSchedule?
    /// nil until the read is opened.
    var read: UnfinishedRead?
    /// What earlier reads have shown.
    var context = ReadContext()
    var counts = RunCounts()
    var attachments = AttachmentTroubles()
    /// That the write-ahead log has grown while it went on; nil where it has not.
    var logWarning: String?
    /// What is to be told of the run when it ends.
    var warnings: [String] = []

    /// - Parameters:
    ///   - identity: the digest of what the read is made from.
    ///   - credential: tells one credential from another.
    init(
        id: Int64, stream: Stream, streamID: Int64, identity: String, credential: String, isUnconditional: Bool,
        read: UnfinishedRead?, settle: SettleSchedule? = nil
    ) {
        (self.id, self.stream, self.streamID, self.identity) = (id, stream, streamID, identity)
        scope = SHA256.hexDigest(of: "\(identity)\n\(credential)".utf8)
        (self.isUnconditional, self.read, self.settle) = (isUnconditional, read, settle)
    }

    /// The run that began the read.
    var readID: Int64 { read?.id ?? id }

    /// What the memory of pages holds for whose records are stored with this.
    func scope(adding added: String?) -> String {
        added.map { SHA256.hexDigest(of: "\(scope)\n\($0)".utf8) } ?? scope
    }

    /// A short name for what a read is made from. Only the configuration's author writes that text.
    static func digest(of identity: String) -> String {
        var hash = StableHash()
        hash.add(identity.utf8)
        return String(UInt64(bitPattern: hash.value), radix: 16)
    }
}

/// What a run's read begins with.
package struct ReadStart: Sendable {
    /// No cursor passes this.
    package let beganAt: Timestamp
    /// It is one slice, which nothing distinguishes.
    package let hasOneSlice: Bool
    /// What earlier reads have shown.
    package let context: ReadContext
}

/// What a run has done so far.
package struct RunProgress: Sendable {
    package let counts: RunCounts
    /// The run as it was recorded, where it has ended.
    package let ended: RunRecord?
}

/// What becomes of what a run has left of its read.
package enum RestOfRead: Sendable {
    /// The next run goes on with it.
    case kept
    /// The same, these slices after all others.
    case postponing([Int64])
    /// The next run begins with the first page.
    case givenUp
    /// The same, and a table that this run has made goes.
    case undone
}
