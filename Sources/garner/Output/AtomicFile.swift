import LibC
import Persistence
import Sync
import Synchronization

/// A file that appears whole or not at all: written beside its place under another name, then renamed.
enum AtomicFile {
    typealias Body = (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    /// What is there and no regular file (a pipe, a device) is written to as it is. A file that is replaced passes its
    /// permissions on, since it may hold secrets.
    ///
    /// - Parameters:
    ///   - replaces: whether a file of that name may be there already.
    ///   - removesLeftovers: whether what a killed writer of this file has left is looked for, which reads the folder.
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
        // A link stays one: what it leads to is replaced.
        let place = replaces ? target(of: path) : path
        if removesLeftovers { Leftovers(of: place).remove() }
        do {
            let permissions = isThere ? status.st_mode & 0o777 : 0o644
            let part = try PartFile(beside: place, permissions: permissions)
            // The user's mask has taken some away.
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

    /// Removes the file that is being written, where the program has to end in the middle of it.
    static func discardUnfinished() {
        unfinished.withLock {
            $0?.discard()
            $0 = nil
        }
    }

    /// The file beside its place. One at a time is written.
    private static let unfinished = Mutex<PartFile?>(nil)

    private static func fill(_ descriptor: Int32, _ path: String, _ body: Body) throws {
        try body { try Descriptor.write($0, to: descriptor, path: path) }
        // "EINVAL fd is bound to a special file … which does not support synchronization" (fsync(2)).
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw OutputError(errno, writing: path) }
    }

    private static func target(of path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

/// A folder that stored files are written to, each named by its digest and type.
struct AttachmentFolder {
    let path: String

    /// Writes the files of a table, and makes the folder if it is not there; returns how many files there are.
    func write(filesOf table: String, from reader: DatabaseReader, checking check: () throws -> Void) throws -> Int {
        let files = try reader.files(of: table)
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw OutputError(errno, writing: path) }
        // Once, however many files there are.
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

    /// A type's usual suffix; `bin` for those that have none here.
    static func suffix(of mediaType: String) -> String { suffixes[mediaType] ?? "bin" }

    private static let suffixes = [
        "image/avif": "avif", "image/bmp": "bmp", "image/gif": "gif", "image/heic": "heic", "image/jpeg": "jpg",
        "image/jxl": "jxl", "image/png": "png", "image/svg+xml": "svg", "image/tiff": "tiff", "image/webp": "webp",
        "image/x-icon": "ico", "image/vnd.microsoft.icon": "ico", "application/json": "json",
        "application/pdf": "pdf", "application/zip": "zip", "audio/mpeg": "mp3", "audio/ogg": "ogg",
        "text/csv": "csv", "text/html": "html", "text/plain": "txt", "video/mp4": "mp4", "video/webm": "webm",
    ]
}
