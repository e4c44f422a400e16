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
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .unreadable(reason: "it is not UTF-8 text")
        }
        self.text = text
    }
}
