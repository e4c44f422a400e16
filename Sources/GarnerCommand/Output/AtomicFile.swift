import GarnerLibC
import GarnerPersistence
import GarnerSync
import Synchronization

/// A file that is written completely or not at all, also if the power fails. It is written under another name and then
/// renamed.
enum AtomicFile {
    typealias Body = (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    /// Writes a file. A pipe or a device is written to directly. A new file gets the permissions of the one that it
    /// replaces, since it may hold secrets.
    ///
    /// - Parameters:
    ///   - replaces: True if a file with that name may be replaced.
    ///   - removesLeftovers: True if the unfinished files of killed writers are removed, which reads the folder.
    static func write(
        to path: String, replaces: Bool = true, removesLeftovers: Bool = true, _ body: Body
    ) throws {
        var status = stat()
        let isThere = replaces && stat(path, &status) == 0
        if isThere, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw OutputError(errno, writing: path) }
            defer { close(descriptor) }
            return try fill(descriptor, path, body)
        }
        // A link stays a link. Its target is replaced.
        let place = replaces ? FileCreation.resolved(path) ?? path : path
        if removesLeftovers { Leftovers(of: place).remove() }
        do {
            let permissions = isThere ? status.st_mode & 0o777 : 0o644
            let part = try PartFile(beside: place, permissions: permissions)
            // The user's mask has removed some of them.
            if isThere { fchmod(part.descriptor, permissions) }
            unfinished.withLock { $0 = part }
            defer { unfinished.withLock { $0 = nil } }
            do {
                try fill(part.descriptor, path, body)
                try part.publish(replaces: replaces)
            } catch {
                part.discard()
                throw error
            }
        } catch let failure as FileError {
            throw OutputError(failure.code, writing: path)
        }
    }

    static func write(_ text: String, to path: String, replaces: Bool = true) throws {
        try write(to: path, replaces: replaces) { file in
            var text = text
            try text.withUTF8 { try file(UnsafeRawBufferPointer($0)) }
        }
    }

    /// Removes the unfinished file before the program ends.
    static func discardUnfinished() {
        unfinished.withLock {
            $0?.discard()
            $0 = nil
        }
    }

    /// The unfinished file. Only one file is written at a time.
    private static let unfinished = Mutex<PartFile?>(nil)

    private static func fill(_ descriptor: Int32, _ path: String, _ body: Body) throws {
        try body { try Descriptor.write($0, to: descriptor, path: path) }
    }
}

/// A folder for stored files. The name of each file is its digest and a suffix for its type.
struct AttachmentFolder {
    let path: String

    /// Writes the files of a table, and creates the folder if necessary. Returns the number of files.
    func write(filesOf table: String, from reader: ReadOnlyDatabase, checking check: () throws -> Void) throws -> Int {
        let files = try reader.files(of: table)
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw OutputError(errno, writing: path) }
        // Once for the folder, rather than for each file.
        Leftovers(in: path).remove()
        for file in files {
            try check()
            let content = try reader.content(ofFile: file.sha256)
            let place = "\(path)/\(file.sha256).\(Self.suffix(of: file.mediaType))"
            try AtomicFile.write(to: place, removesLeftovers: false) { write in
                try content.withUnsafeBytes(write)
            }
        }
        return files.count
    }

    static func suffix(of mediaType: String) -> String { suffixes[mediaType] ?? "bin" }

    private static let suffixes = [
        "image/avif": "avif", "image/bmp": "bmp", "image/gif": "gif", "image/heic": "heic", "image/jpeg": "jpg",
        "image/jxl": "jxl", "image/png": "png", "image/svg+xml": "svg", "image/tiff": "tiff", "image/webp": "webp",
        "image/x-icon": "ico", "image/vnd.microsoft.icon": "ico", "application/json": "json",
        "application/pdf": "pdf", "application/zip": "zip", "audio/mpeg": "mp3", "audio/ogg": "ogg",
        "text/csv": "csv", "text/html": "html", "text/plain": "txt", "video/mp4": "mp4", "video/webm": "webm",
    ]
}
