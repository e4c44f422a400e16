internal import Foundation

/// A text file, read whole but never beyond a limit.
struct TextFile {
    enum Problem: Error {
        case missing
        /// For people, without the path.
        case unreadable(reason: String)
    }

    let text: String

    init(path: String, maximumBytes: Int) throws(Problem) {
        // A NUL would end the C string early and open another file.
        guard !path.utf8.contains(0) else { throw .missing }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(reason: String(cString: strerror(errno)))
        }
        defer { _ = close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(reason: String(cString: strerror(errno))) }
            if count == 0 { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= maximumBytes else {
                throw .unreadable(reason: "it is larger than \(ByteSize.format(maximumBytes))")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(reason: "it is not UTF-8 text")
        }
        self.text = text
    }
}
