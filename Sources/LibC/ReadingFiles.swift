/// The reason why a file cannot be read.
public enum FileReadError: Error, Equatable {
    /// The system's error number.
    case system(Int32)
    /// It is a folder, a pipe or a device. Reading those may never end.
    case notOnDisk
}

/// Returns the beginning of a file, at most `maximumBytes`.
///
///     let bytes = try readFile(at: "/etc/ssl/ca.pem", upTo: 16 << 20, isOnDisk: true)
///
/// - Parameter isOnDisk: True if everything but a regular file is refused.
public func readFile(at path: String, upTo maximumBytes: Int, isOnDisk: Bool) throws(FileReadError) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe waits until somebody writes to it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | (isOnDisk ? O_NONBLOCK : 0))
    guard descriptor >= 0 else { throw .system(errno) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard !isOnDisk || (fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG) else {
        throw .notOnDisk
    }
    return try readBytes(of: descriptor, upTo: maximumBytes)
}

/// Returns the bytes of an open file up to its end, at most `maximumBytes`.
public func readBytes(of descriptor: Int32, upTo maximumBytes: Int) throws(FileReadError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(maximumBytes, 64 << 10))
    while bytes.count < maximumBytes {
        let count = read(descriptor, &piece, min(piece.count, maximumBytes - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .system(errno) }
        if count == 0 { break }
        bytes += piece.prefix(count)
    }
    return bytes
}
