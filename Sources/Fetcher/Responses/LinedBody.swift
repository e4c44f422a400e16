import GarnerJSON

/// A long body of JSON Lines, which is in a file and is parsed one piece at a time.
struct LinedBody: @unchecked Sendable {
    // Safe because nothing more is written to the file, and each read names its place.
    private let file: TemporaryFile
    private let pieceBytes: Int
    /// The place at which `forEach` begins.
    private var offset = 0
    /// The number of lines before that place.
    private var lines = 0

    /// - Parameter pieceBytes: The length of a piece, unless a line is longer.
    init(_ file: TemporaryFile, pieceBytes: Int) {
        (self.file, self.pieceBytes) = (file, max(pieceBytes, 1))
    }

    /// Calls `body` with the array of the values of each piece. Throws what it throws, and `FetchError.Kind` for an invalid line.
    func forEach(_ body: (Document) throws -> Void) throws {
        var rest = self
        while let document = try rest.next({ _ in }) { try body(document) }
    }

    /// Parses the next piece that has a value; nil if there is none.
    ///
    /// - Parameter check: Called with the text of the piece before it is parsed.
    mutating func next(
        _ check: (borrowing Bytes) throws(FetchError.Kind) -> Void
    ) throws(FetchError.Kind) -> Document? {
        while offset < file.count {
            let (start, before) = (offset, lines)
            let text = try nextText()
            try check(text)
            do throws(JSONError) {
                return try Document(parsingLines: text, after: before)
            } catch {
                guard error.kind == .empty else { throw .json(reason: error.reason, offset: start + error.offset) }
            }
        }
        return nil
    }

    /// Reads the next lines: as many as fit a piece, and at least one.
    private mutating func nextText() throws(FetchError.Kind) -> Bytes {
        var text = Bytes(reservingCapacity: min(pieceBytes, file.count - offset))
        while true {
            let place = offset + text.count
            let end = min(place + pieceBytes, file.count)
            guard file.read(place..<end, { text.append($0) }) else { throw TemporaryFile.unreadable }
            let last = text.withUnsafeBytes { bytes in
                bytes[(place - offset)...].lastIndex(of: UInt8(ascii: "\n"))
            }
            guard end == file.count || last != nil else { continue }
            if end < file.count, let last { text.removeAll(behind: last + 1) }
            offset += text.count
            lines += text.withUnsafeBytes { bytes in bytes.count { $0 == UInt8(ascii: "\n") } }
            return text
        }
    }
}
