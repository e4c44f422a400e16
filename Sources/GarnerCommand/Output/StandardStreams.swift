import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerSync

struct OutputError: FailureConvertible {
    let failure: RunFailure

    /// Describes an error of write(2), open(2) or rename(2).
    init(_ number: Int32, writing path: String) {
        let reason = String(cString: strerror(number))
        let isDisk = number == ENOSPC || number == EIO || number == EDQUOT
        failure = RunFailure(
            isDisk ? .inputOutput : .cannotCreate, kind: "output", message: "cannot write \(path): \(reason)",
            hint: isDisk
                ? "check the free space and the health of the disk"
                : path.hasPrefix("~")
                    ? "leave the quotes out, as only a shell knows '~', or write $HOME in its place"
                    : path.contains("://")
                        ? "name a file of this machine, and copy it there with the program of that service"
                        : FileCreation.makingFolder(of: path).map(Hint.text)
                            ?? "check that the folder exists and that you may write in it")
    }
}

/// An error that ends the program silently: the reader of the output has gone.
struct BrokenPipeError: Error {}

enum StandardInput {
    /// Reads all input as UTF-8.
    static func read(upTo maximumBytes: Int, _ what: String) throws -> String {
        let bytes = (try? readBytes(of: STDIN_FILENO, upTo: maximumBytes + 1)) ?? []
        guard bytes.count <= maximumBytes else {
            throw CommandError.usage(
                "\(what) from standard input is longer than \(maximumBytes) bytes",
                hint: "split it, or put what it looks for into a table of a database of your own")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError.usage(
                "\(what) from standard input is not UTF-8", hint: "convert it, such as with: iconv -t UTF-8")
        }
        return text
    }
}

enum StandardOutput {
    static func write(_ text: DisplayText) throws { try write(exactly: text.text) }

    /// Writes a value on a line.
    static func write(_ json: JSONText) throws { try write(exactly: json.text + "\n") }

    /// Writes data for programs, byte for byte.
    static func write(exactly text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    static func write(_ bytes: UnsafeRawBufferPointer) throws {
        if let pager = Pager.active { return try pager.write(bytes) }
        try Descriptor.write(bytes, to: STDOUT_FILENO, path: "standard output")
    }
}

enum StandardError {
    /// Writes a text for people. Errors are ignored.
    static func write(_ text: DisplayText) { write(exactly: text.text) }

    /// Warns people, with what to try.
    static func warn(_ message: DisplayText, try hint: String? = nil) {
        let advice: DisplayText = hint.map { "Try: \($0)\n" } ?? ""
        write("Warning: \(message)\n\(advice)")
    }

    /// Writes data for programs, byte for byte.
    static func write(exactly text: String) {
        if let pager = Pager.active { return pager.tell(text) }
        var text = text
        text.withUTF8 { try? Descriptor.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO, path: "standard error") }
    }
}

enum Descriptor {
    /// Writes all bytes with as many calls as necessary.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeSome(UnsafeRawBufferPointer(rebasing: rest), to: descriptor)
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EPIPE { throw BrokenPipeError() }
                throw OutputError(errno, writing: path)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Calls write(2). Returns its result and sets `errno`.
    static func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        GarnerLibC.write(descriptor, bytes.baseAddress, bytes.count)
    }
}
