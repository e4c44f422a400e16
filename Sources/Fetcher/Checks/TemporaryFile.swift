#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file without a name, for its owner only: it is gone with this object, or with the process.
final class TemporaryFile {
    private let descriptor: CInt
    /// Of what was written whole. In bytes.
    private(set) var count = 0

    /// Closes the descriptor in the end.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// In the first of the folders where a file can be made; nil where there is none.
    convenience init?(in folders: [String]) {
        for folder in folders {
            var template = Array("\(folder)/garner-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            guard descriptor >= 0 else { continue }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            unlink(template)
            self.init(descriptor)
            return
        }
        return nil
    }

    deinit { close(descriptor) }

    /// False where not all of it can be written, such as on a full disk; what was written before stays as it is.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let step = pwrite(descriptor, rest.baseAddress, rest.count, off_t(count + written))
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { return false }
            written += step
        }
        count += written
        return true
    }

    /// All that was written, piece by piece; false where it cannot be read.
    func read(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            var place = 0
            while place < count {
                let step = pread(descriptor, buffer.baseAddress, min(buffer.count, count - place), off_t(place))
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { return false }
                body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<step]))
                place += step
            }
            return true
        }
    }
}
