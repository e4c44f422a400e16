internal import GarnerLibC

/// A text file, read whole up to a limit.
package struct TextFile {
    package enum ReadError: Error {
        case missing
        /// The reason for people, without the path.
        case unreadable(reason: String)
    }

    package let text: String

    /// Reads the file.
    ///
    /// - Parameter isOnDisk: true if a pipe or a device, which may never end, is refused.
    package init(path: String, maximumBytes: Int, isOnDisk: Bool = false) throws(ReadError) {
        // A NUL would end the C string early and open another file.
        guard !path.utf8.contains(0) else { throw .missing }
        let bytes: [UInt8]
        do throws(FileReadError) {
            bytes = try readFile(at: path, upTo: maximumBytes + 1, isOnDisk: isOnDisk)
        } catch {
            switch error {
            case .system(ENOENT), .system(ENOTDIR): throw .missing
            case .system(let code): throw .unreadable(reason: String(cString: strerror(code)))
            case .notOnDisk: throw .unreadable(reason: "it is a pipe, a device or the like instead of a file")
            }
        }
        guard bytes.count <= maximumBytes else {
            throw .unreadable(reason: "it is larger than \(ByteSize.format(maximumBytes))")
        }
        guard Self.wide(bytes) == nil, let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(reason: Self.kind(of: bytes))
        }
        self.text = text
    }

    /// Returns the encoding of a text of two bytes for each letter without a byte order mark: every other byte is zero, or nearly so.
    private static func wide(_ bytes: [UInt8]) -> String? {
        let head = bytes.prefix(512)
        guard head.count >= 8, head.contains(0), !head.prefix(2).contains(where: { $0 >= 0xFE }) else { return nil }
        let zeros = [0, 1].map { half in head.indices.count(where: { $0 % 2 == half && head[$0] == 0 }) }
        guard min(zeros[0], zeros[1]) == 0, max(zeros[0], zeros[1]) * 10 >= head.count * 4 else { return nil }
        return zeros[0] == 0 ? "UTF-16LE" : "UTF-16BE"
    }

    /// Returns what bytes are that are no text in UTF-8.
    private static func kind(of bytes: [UInt8]) -> String {
        if let wide = wide(bytes) { return "it is \(wide) text" }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "it is UTF-16 text" }
        if bytes.starts(with: "SQLite format 3".utf8) { return "it is a database of SQLite" }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
        return "it is not UTF-8 text (line \(line + 1))"
    }
}
