import GarnerLibC

/// An unnamed file that only its owner can read. It disappears with this object, or with the process.
final class TemporaryFile {
    static let unreadable = FetchError.Kind.connection(reason: "the temporary file with the body cannot be read")

    private let descriptor: CInt
    /// The number of bytes written completely.
    private(set) var count = 0

    /// Takes over a descriptor, which is closed at the end.
    init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Creates a file in the first folder that permits it; fails if none does.
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

    /// Appends the bytes. Returns false if the disk takes only a part of them; the earlier content stays intact.
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

    /// Passes the whole content to `body`, piece by piece. Returns false if it cannot be read.
    func read(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool { read(0..<count, body) }

    /// Passes a part of the content to `body`, piece by piece. Returns false if it cannot be read.
    func read(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            var place = range.lowerBound
            while place < range.upperBound {
                let length = min(buffer.count, range.upperBound - place)
                let step = pread(descriptor, buffer.baseAddress, length, off_t(place))
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { return false }
                body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<step]))
                place += step
            }
            return true
        }
    }
}
