import JSON

/// A body that is coming in: in memory while it is short, and then in a file, so that a server that never ends takes no
/// memory. Only a body that is whole is in memory as a whole.
struct BodyBuffer: ~Copyable {
    /// Longer than nearly all pages. In bytes.
    static let maximumInMemory = 4 << 20

    private(set) var count = 0
    /// What is not in the file.
    private var bytes: Bytes
    private var file: TemporaryFile?
    private var mayUseFile = true
    private let makeFile: () -> TemporaryFile?

    /// - Parameters:
    ///   - expected: how long the body is said to be.
    ///   - makeFile: without one, all is in memory.
    init(expecting expected: Int, makeFile: @escaping () -> TemporaryFile?) {
        bytes = Bytes(reservingCapacity: min(expected, Self.maximumInMemory))
        self.makeFile = makeFile
    }

    mutating func append(_ piece: UnsafeRawBufferPointer) {
        if bytes.count + piece.count > Self.maximumInMemory { moveIntoFile() }
        bytes.append(piece)
        count += piece.count
    }

    /// All of it; throws where the file cannot be read.
    consuming func whole() throws(FetchError.Kind) -> Bytes {
        guard let file else { return bytes }
        var whole = Bytes(reservingCapacity: count)
        guard file.read({ whole.append($0) }) else {
            throw .connection(reason: "the temporary file with the body cannot be read")
        }
        bytes.withUnsafeBytes { whole.append($0) }
        return whole
    }

    /// What a file does not take stays in memory, and so does all that follows.
    private mutating func moveIntoFile() {
        guard mayUseFile else { return }
        if file == nil { file = makeFile() }
        mayUseFile = bytes.withUnsafeBytes { bytes in file?.append(bytes) ?? false }
        if mayUseFile { bytes.removeAll() }
    }
}
