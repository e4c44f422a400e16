import Persistence
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

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
        } catch let failure as PartFile.Failure {
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
