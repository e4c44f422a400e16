import CGarnerZlib
import GarnerModel
package import GarnerPresentation
import GarnerSQLite

extension RowCursor {
    /// Writes all rows of the query, and returns their number. The format `table` is written as Markdown.
    @discardableResult
    package func write(
        as format: RowFormat, style: DelimitedStyle = DelimitedStyle(),
        to write: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var output = OutputBuffer(write)
        var writer: any RowWriter =
            switch format.family {
            case .delimited(let delimiter): DelimitedWriter(delimiter, style, of: self)
            case .objects(let inLines): JSONWriter(of: self, isArray: !inLines)
            case .table(let markup): MarkupWriter(markup, of: self)
            }
        var rows = 0
        try writer.begin(columns, in: &output)
        while try advance() {
            try writer.write(statement, isFirst: rows == 0, to: &output)
            rows += 1
            try output.flushIfFull()
        }
        writer.end(rows: rows, in: &output)
        try output.flush()
        return rows
    }
}

/// Writes rows in one format.
protocol RowWriter {
    func begin(_ columns: [String], in output: inout OutputBuffer) throws
    mutating func write(_ row: Statement, isFirst: Bool, to output: inout OutputBuffer) throws
    func end(rows: Int, in output: inout OutputBuffer)
}

/// Collects bytes and passes them on in large pieces.
package struct OutputBuffer: ~Copyable {
    private static let pieceBytes = 64 << 10

    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = pieceBytes * 2
    private var count = 0
    private let write: (UnsafeRawBufferPointer) throws -> Void

    /// - Parameter write: Takes each piece. The buffer is valid only inside the call.
    package init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        self.write = write
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    package mutating func append(_ byte: UInt8) {
        append(atMost: 1) {
            $0.initialize(to: byte); return 1
        }
    }

    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    package mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard let bytes = text.baseAddress else { return }
        append(atMost: text.count) {
            $0.initialize(from: bytes, count: text.count)
            return text.count
        }
    }

    /// Appends what `body` writes into memory for so many bytes. It returns the number of bytes that it has written.
    @inline(__always)
    mutating func append(atMost size: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        if capacity - count < size { grow(by: size) }
        count += body(start + count)
    }

    private mutating func grow(by size: Int) {
        capacity = max(2 * capacity, count + size)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.initialize(from: start, count: count)
        start.deallocate()
        start = larger
    }

    /// Appends the result of `encode` for each part of a long text, and passes pieces on: the buffer stays small.
    ///
    /// The length of each part but the last is a multiple of 3.
    mutating func append(
        partsOf text: UnsafeBufferPointer<UInt8>,
        _ encode: (UnsafeBufferPointer<UInt8>, inout OutputBuffer) throws -> Void
    ) throws {
        for start in stride(from: 0, to: text.count, by: Self.partBytes) {
            let end = min(start + Self.partBytes, text.count)
            try encode(UnsafeBufferPointer(rebasing: text[start..<end]), &self)
            try flushIfFull()
        }
    }

    /// The greatest length of a part.
    static let partBytes = 48 << 10

    /// Passes a full buffer on. Call it after each row.
    package mutating func flushIfFull() throws {
        if count >= Self.pieceBytes { try flush() }
    }

    package mutating func flush() throws {
        guard count > 0 else { return }
        try write(UnsafeRawBufferPointer(start: start, count: count))
        count = 0
    }
}

/// Compresses bytes into one gzip member (RFC 1952), piece by piece.
package final class GzipWriter {
    private static let pieceBytes = 64 << 10

    private let write: (UnsafeRawBufferPointer) throws -> Void
    private let stream: UnsafeMutablePointer<z_stream>
    private var piece = [UInt8](repeating: 0, count: pieceBytes)

    /// - Parameter write: Takes each compressed piece. The buffer is valid only inside the call.
    package init(_ write: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        self.write = write
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // "The fields zalloc, zfree and opaque … if Z_NULL, default allocation functions" (zlib.h).
        let code = garner_zlib_begin_gzip(stream)
        guard code == Z_OK else { throw Self.failure(code) }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws {
        // The count of one call has 32 bits.
        for start in stride(from: 0, to: bytes.count, by: 1 << 30) {
            try deflate(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 1 << 30, bytes.count)]), Z_NO_FLUSH)
        }
    }

    /// Writes the rest and the checksum.
    package func finish() throws { try deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }

    private func deflate(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) throws {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: bytes.count)
        var code = Z_OK
        repeat {
            let count = piece.withUnsafeMutableBufferPointer { piece in
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(clamping: piece.count)
                code = CGarnerZlib.deflate(stream, flush)
                return piece.count - Int(stream.pointee.avail_out)
            }
            // Z_BUF_ERROR "is not fatal": there was nothing to do.
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Self.failure(code) }
            if count > 0 { try piece.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
            // "If deflate returns with avail_out == 0, this function must be called again" (zlib.h).
        } while stream.pointee.avail_out == 0
    }

    private static func failure(_ code: Int32) -> PersistenceError {
        PersistenceError(.bug, "zlib failed with \(code)", hint: .report)
    }
}
