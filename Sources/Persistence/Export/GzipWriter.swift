import CZlib

/// Compresses what is written to it as one gzip member (RFC 1952), piece by piece.
package final class GzipWriter {
    private static let pieceBytes = 64 << 10

    private let write: (UnsafeRawBufferPointer) throws -> Void
    private let stream: UnsafeMutablePointer<z_stream>
    private var piece = [UInt8](repeating: 0, count: pieceBytes)

    /// - Parameter write: takes each compressed piece; the buffer is valid inside it only.
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

    /// Writes what is left, and the checksum.
    package func finish() throws { try deflate(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH) }

    private func deflate(_ bytes: UnsafeRawBufferPointer, _ flush: Int32) throws {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        stream.pointee.avail_in = UInt32(clamping: bytes.count)
        var code = Z_OK
        repeat {
            let count = piece.withUnsafeMutableBufferPointer { piece in
                stream.pointee.next_out = piece.baseAddress
                stream.pointee.avail_out = UInt32(clamping: piece.count)
                code = CZlib.deflate(stream, flush)
                return piece.count - Int(stream.pointee.avail_out)
            }
            // Z_BUF_ERROR "is not fatal": there was nothing to do.
            guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { throw Self.failure(code) }
            if count > 0 { try piece.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
            // "If deflate returns with avail_out == 0, this function must be called again" (zlib.h).
        } while stream.pointee.avail_out == 0
    }

    private static func failure(_ code: Int32) -> PersistenceError {
        PersistenceError(.bug, "zlib failed with \(code)", hint: "this is a bug in Garner; please report it")
    }
}
