/// Returns the bytes of a descriptor up to its end, at most `maximumBytes`; nil if it cannot be read. `errno` then says why.
///
///     let start = readBytes(of: STDIN_FILENO, upTo: 4096)
public func readBytes(of descriptor: Int32, upTo maximumBytes: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(maximumBytes, 64 << 10))
    while bytes.count < maximumBytes {
        let count = read(descriptor, &piece, min(piece.count, maximumBytes - bytes.count))
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { break }
        bytes += piece.prefix(count)
    }
    return bytes
}
