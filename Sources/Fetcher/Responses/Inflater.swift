import CGarnerZlib
import GarnerModel

/// The reason why compressed data cannot be decompressed.
struct InflateError: Error, Equatable {
    let reason: String
}

/// Decompresses gzip of one or several members (RFC 1952, 2.2) and deflate in the zlib format (RFC 1950), as it comes.
final class Inflater {
    private static let pieceBytes = 64 << 10

    private enum Phase: Equatable {
        /// These are all bytes so far. Two tell the format.
        case start([UInt8])
        case inside(isGzip: Bool)
        case behind(isGzip: Bool)
    }

    /// True if deflate without the zlib format (RFC 1951) is taken too, which some servers send as `deflate`.
    private let takesRawDeflate: Bool
    private let stream: UnsafeMutablePointer<z_stream>
    private let piece: UnsafeMutableRawBufferPointer
    private var phase = Phase.start([])

    init(takesRawDeflate: Bool) {
        self.takesRawDeflate = takesRawDeflate
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        piece = .allocate(byteCount: Self.pieceBytes, alignment: 16)
    }

    deinit {
        // Does nothing to a stream that has not begun.
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
        piece.deallocate()
    }

    /// Decompresses the next part of the data. After an error, or once `write` has returned false, it must not be called again.
    ///
    /// - Parameter write: receives the content piece by piece, and returns false to end that. A piece is valid only inside
    ///   the call.
    func inflate(
        _ part: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Bool
    ) throws(InflateError) {
        guard case .start(var start) = phase else { return try go(on: part, write) }
        let missing = part.prefix(2 - start.count)
        start += missing
        phase = .start(start)
        guard start.count == 2 else { return }
        try begin(with: start[0], start[1])
        var isWanted = true
        // `withUnsafeBytes` throws any error.
        let result = start.withUnsafeBytes { start in
            Result { () throws(InflateError) in
                try go(on: start) { piece in
                    isWanted = write(piece)
                    return isWanted
                }
            }
        }
        try result.get()
        if isWanted { try go(on: UnsafeRawBufferPointer(rebasing: part.dropFirst(missing.count)), write) }
    }

    /// Throws if the data is not complete.
    func finish() throws(InflateError) {
        guard case .behind = phase else { throw InflateError(reason: "its end is missing") }
    }

    private func begin(with first: UInt8, _ second: UInt8) throws(InflateError) {
        let isGzip = (first, second) == (0x1F, 0x8B)
        // RFC 1950, 2.2: the method and the window's size, and a check of the first 16 bits.
        let isZlib = first & 0x0F == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
        let isRaw = takesRawDeflate && !isGzip && !isZlib
        let code = isRaw ? garner_zlib_begin_raw_inflate(stream) : garner_zlib_begin_inflate(stream)
        guard code == Z_OK else { throw InflateError(reason: "zlib failed with \(code)") }
        phase = .inside(isGzip: isGzip)
    }

    private func go(
        on part: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Bool
    ) throws(InflateError) {
        var rest = part[...]
        while true {
            if case .behind(let isGzip) = phase {
                // Archives on tapes end with zeros; another member begins with the mark.
                rest = rest.drop { $0 == 0 && isGzip }
                guard let next = rest.first else { return }
                guard isGzip, next == 0x1F, inflateReset(stream) == Z_OK else {
                    throw InflateError(reason: "something stands behind its end")
                }
                phase = .inside(isGzip: true)
            }
            // One call counts in 32 bits.
            let input = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            stream.pointee.next_out = piece.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(piece.count)
            let code = CGarnerZlib.inflate(stream, Z_NO_FLUSH)
            rest = rest.dropFirst(input.count - Int(stream.pointee.avail_in))
            let content = UnsafeRawBufferPointer(rebasing: piece[..<(piece.count - Int(stream.pointee.avail_out))])
            if !content.isEmpty, !write(content) { return }
            switch code {
            case Z_OK: break
            case Z_STREAM_END: if case .inside(let isGzip) = phase { phase = .behind(isGzip: isGzip) }
            case Z_BUF_ERROR where rest.isEmpty: return
            default: throw InflateError(reason: "its data is broken")
            }
        }
    }
}

/// The coding of a body that Garner takes: what it asks for, and names that mean the same.
enum ContentCoding {
    case identity, gzip, deflate

    /// Parses the values of `Content-Encoding`; fails for other codings, and for several.
    init?(_ values: [String]) {
        let names = values.map { $0.trimming { $0 == " " || $0 == "\t" }.lowercased() }
        switch names.joined(separator: ",") {
        case "", "identity": self = .identity
        // "A recipient SHOULD consider "x-gzip" to be equivalent to "gzip"" (RFC 9110, 8.4.1.3).
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        default: return nil
        }
    }
}
