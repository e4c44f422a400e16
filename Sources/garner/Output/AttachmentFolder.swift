import Persistence
import Sync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that stored files are written to, each named by its digest and type.
struct AttachmentFolder {
    let path: String

    /// Writes the files of a table, and makes the folder if it is not there; returns how many files there are.
    func write(filesOf table: String, from archive: Archive, checking check: () throws -> Void) throws -> Int {
        let files = try archive.files(of: table)
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw OutputError(errno, writing: path) }
        // Once, however many files there are.
        Leftovers(in: path).remove()
        for file in files {
            try check()
            let content = try archive.content(ofFile: file.sha256)
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
