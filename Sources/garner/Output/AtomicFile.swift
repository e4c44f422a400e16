import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that appears whole or not at all: written beside its place under another name, then renamed.
enum AtomicFile {
    typealias Body = (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void

    /// What is there and no regular file (a pipe, a device) is written to as it is.
    ///
    /// - Parameter replaces: whether a file of that name may be there already.
    static func write(to path: String, replaces: Bool = true, _ body: Body) throws {
        var status = stat()
        if replaces, stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
            try fill(path, O_WRONLY, path, body)
            return
        }
        // A link stays one: what it leads to is replaced.
        let place = replaces ? target(of: path) : path
        let aside = "\(place).\(getpid()).part"
        unfinished.withLock { $0 = aside }
        defer { unfinished.withLock { $0 = nil } }
        do {
            try fill(aside, O_WRONLY | O_CREAT | O_TRUNC, path, body)
            // A new link is never made over an existing file, unlike a rename.
            guard (replaces ? rename(aside, place) : link(aside, place)) == 0 else {
                throw OutputError(errno, writing: path)
            }
        } catch {
            unlink(aside)
            throw error
        }
        if !replaces { unlink(aside) }
    }

    /// Removes the file that is being written, where the program has to end in the middle of it.
    static func discardUnfinished() {
        unfinished.withLock {
            if let aside = $0 { unlink(aside) }
            $0 = nil
        }
    }

    /// The file beside its place. One at a time is written.
    private static let unfinished = Mutex<String?>(nil)

    private static func fill(_ file: String, _ flags: Int32, _ path: String, _ body: Body) throws {
        let descriptor = open(file, flags | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw OutputError(errno, writing: path) }
        defer { close(descriptor) }
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
