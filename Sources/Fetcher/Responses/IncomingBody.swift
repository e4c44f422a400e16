import GarnerCatalog
import GarnerDigest
import GarnerJSON
import Synchronization

/// A body that is read chunk by chunk, and whose start can be inspected first.
struct IncomingBody {
    private let body: any AsyncSequence<BodyChunk, any Error> & Sendable
    /// The iterator; nil until the first chunk is requested, so that an unread body is never touched.
    private var chunks: (any AsyncIteratorProtocol<BodyChunk, any Error>)?
    private let activity: ActivityTracker
    /// Chunks that were inspected and have yet to be read.
    private var seen: ArraySlice<BodyChunk> = []
    private var end: End?

    private enum End {
        case complete
        case failed(TransportError)
    }

    init(_ body: any AsyncSequence<BodyChunk, any Error> & Sendable, activity: ActivityTracker) {
        self.body = body
        self.activity = activity
    }

    /// Returns the next chunk; nil at the end of a complete body.
    mutating func next() async throws -> BodyChunk? {
        if let chunk = seen.popFirst() { return chunk }
        switch end {
        case .complete: return nil
        case .failed(let failure): throw failure
        case nil: return try await receive()
        }
    }

    /// Returns at least the first `count` bytes, or all. `next()` still returns them, and the error that ended the body.
    mutating func start(atLeast count: Int) async throws -> [UInt8] {
        var bytes = seen.reduce(into: []) { bytes, chunk in chunk.withUnsafeBytes { bytes += $0 } }
        while bytes.count < count, end == nil {
            do {
                guard let chunk = try await receive() else {
                    end = .complete
                    break
                }
                chunk.withUnsafeBytes { bytes += $0 }
                seen.append(chunk)
            } catch let failure as TransportError {
                end = .failed(failure)
            }
        }
        return bytes
    }

    /// Reads an unneeded body to its end, so that its connection can serve the next request. A body longer than 64 KiB
    /// or slower than a second is abandoned, since a new connection costs less. Errors of the body are ignored.
    func drain(clock: any Clock<Duration>) async throws {
        // The body has been read as far as it was inspected.
        guard chunks == nil else { return }
        activity.hold()
        do {
            try await Timeouts(limits: Limits(total: .seconds(1)), clock: clock).guarding { [body] activity in
                var unread = IncomingBody(body, activity: activity)
                _ = try await unread.start(atLeast: 64 << 10)
            }
        } catch FetchError.Kind.deadline {}
    }

    /// Returns the first bytes of an error body, as many as arrive within a second. Errors of the body are ignored,
    /// since the status has already said what matters.
    func excerpt(atMost count: Int, clock: any Clock<Duration>) async throws -> [UInt8] {
        guard chunks == nil else {
            return seen.reduce(into: []) { bytes, chunk in chunk.withUnsafeBytes { bytes += $0 } }
        }
        activity.hold()
        let received = ReceivedBytes()
        do {
            try await Timeouts(limits: Limits(total: .seconds(1)), clock: clock).guarding { [body] activity in
                var unread = IncomingBody(body, activity: activity)
                while received.count < count, let chunk = try await unread.next() { received.append(chunk) }
            }
        } catch is FetchError.Kind {
        } catch is TransportError {}
        return Array(received.bytes.prefix(count))
    }

    private mutating func receive() async throws -> BodyChunk? {
        var chunks = chunks ?? body.makeAsyncIterator()
        defer { self.chunks = chunks }
        let chunk = try await chunks.next(isolation: #isolation)
        if chunk != nil { activity.note() }
        return chunk
    }
}

/// Keeps the received part of a body, even if the rest never arrives.
private final class ReceivedBytes: Sendable {
    private let state = Mutex<[UInt8]>([])

    var bytes: [UInt8] { state.withLock { $0 } }
    var count: Int { state.withLock(\.count) }

    func append(_ chunk: BodyChunk) { state.withLock { bytes in chunk.withUnsafeBytes { bytes += $0 } } }
}

/// Reads a body up to a limit, and checks its length against the head.
struct BodyReader: Sendable {
    private let limit: Int
    /// The value of `Content-Length` in bytes; nil if the body was compressed or its length is unknown.
    private let promised: Int?
    /// The head states this digest of the bytes. It is nil if the head states none, or if the body was compressed.
    private let digest: StatedDigest?
    private let memory: BodyMemory

    /// Creates a reader. Throws if the head already shows that the body cannot be read.
    init(head: ResponseHead, limit: Int, memory: BodyMemory = BodyMemory()) throws(FetchError.Kind) {
        self.limit = limit
        self.memory = memory
        let codings = head.headers.values(of: "Content-Encoding")
        guard let coding = ContentCoding(codings) else {
            throw .decompression(reason: "\(codings.joined(separator: ",").lowercased()) was not asked for")
        }
        // A length that overflows is larger than any limit.
        promised = coding == .identity ? head.headers["Content-Length"].map { Int($0) ?? .max } : nil
        digest = coding == .identity ? StatedDigest(head) : nil
        if let promised, promised > limit { throw .bodyTooLarge(limit: limit) }
    }

    /// Reads the whole body into memory.
    func read(_ body: inout IncomingBody) async throws -> Bytes { try await receive(&body).whole() }

    /// Reads the whole body. A long one is not in memory.
    func receive(_ body: inout IncomingBody) async throws -> BodyBuffer {
        var buffer = BodyBuffer(expecting: promised ?? 0, memory)
        while let chunk = try await chunk(after: buffer.count, of: &body) {
            chunk.withUnsafeBytes { buffer.append($0) }
        }
        try digest?.check(buffer)
        return buffer
    }

    /// Returns the chunk after the first `count` bytes; nil at the end of a complete body.
    func chunk(after count: Int, of body: inout IncomingBody) async throws -> BodyChunk? {
        guard let chunk = try await body.next() else {
            if let promised, promised != count { throw FetchError.Kind.incompleteBody }
            return nil
        }
        guard chunk.count <= limit - count else { throw FetchError.Kind.bodyTooLarge(limit: limit) }
        return chunk
    }
}

/// The folders in which long bodies stay, and the sizes that decide how much of them is in memory.
package struct BodyMemory: Sendable {
    /// The folders for bodies too long for memory, in order of preference.
    package var folders: [String] = []
    /// The largest body kept in memory, in bytes. Nearly all pages are shorter.
    package var maximum = 4 << 20
    /// The longest body of JSON Lines that is parsed as a whole, in bytes. What is known of one page, such as a key that several of its
    /// records share, is known of such a body.
    package var whole = 16 << 20
    /// The bytes of JSON Lines that are parsed at once, of a longer body. Only a longer line is more.
    package var piece = 1 << 20

    package init(folders: [String] = []) { self.folders = folders }
}

/// A body that is being received. A short one stays in memory and a long one goes into a file, so that an endless body
/// takes no memory. Only a complete body is in memory as a whole.
struct BodyBuffer: ~Copyable {
    private(set) var count = 0
    /// The first four bytes, or all if there are fewer.
    private(set) var start: [UInt8] = []
    /// The bytes that are not in the file.
    private var bytes: Bytes
    private var file: TemporaryFile?
    private var mayUseFile = true
    private let maximum: Int
    private let makeFile: () -> TemporaryFile?

    /// Creates an empty buffer.
    ///
    /// - Parameter makeFile: creates the temporary file. If it returns nil, everything stays in memory.
    init(
        expecting expected: Int, maximum: Int = BodyMemory().maximum, makeFile: @escaping () -> TemporaryFile?
    ) {
        bytes = Bytes(reservingCapacity: min(expected, maximum))
        self.maximum = maximum
        self.makeFile = makeFile
    }

    init(expecting expected: Int, _ memory: BodyMemory) {
        self.init(expecting: expected, maximum: memory.maximum) { TemporaryFile(in: memory.folders) }
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        if start.count < 4 { start += piece.prefix(4 - start.count) }
        if bytes.count + piece.count > maximum { moveIntoFile() }
        bytes.append(piece)
        count += piece.count
    }

    /// Returns the whole body. Throws if the file cannot be read.
    consuming func whole() throws(FetchError.Kind) -> Bytes {
        guard file != nil else { return bytes }
        var whole = Bytes(reservingCapacity: count)
        try read { whole.append($0) }
        return whole
    }

    /// Passes the body so far to `part`, part by part. Throws if the file cannot be read.
    borrowing func read(_ part: (UnsafeRawBufferPointer) -> Void) throws(FetchError.Kind) {
        if let file, !file.read(part) { throw TemporaryFile.unreadable }
        bytes.withUnsafeBytes(part)
    }

    /// Returns the fingerprint of the body so far. Throws if the file cannot be read.
    borrowing func fingerprint(as kind: UInt64) throws(FetchError.Kind) -> Fingerprint {
        guard file != nil else { return bytes.withUnsafeBytes { Fingerprint(of: $0, as: kind) } }
        return try Fingerprint(as: kind) { part throws(FetchError.Kind) in try read(part) }
    }

    /// Returns a file with the whole body; nil if it is in memory. Nothing may be appended afterwards.
    mutating func wholeFile() -> TemporaryFile? {
        guard file != nil else { return nil }
        moveIntoFile()
        return mayUseFile ? file : nil
    }

    /// Moves the bytes into the file. If the file cannot take them, they and all later bytes stay in memory.
    private mutating func moveIntoFile() {
        guard mayUseFile else { return }
        if file == nil { file = makeFile() }
        mayUseFile = bytes.withUnsafeBytes { bytes in file?.append(bytes) ?? false }
        if mayUseFile { bytes.removeAll() }
    }
}
