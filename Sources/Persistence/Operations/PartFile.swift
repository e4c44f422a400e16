#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file on its way to its place, `PLACE.PID.garner.part`, which is locked for as long as its writer lives.
///
/// `Leftovers` removes the file of a writer that was killed: the kernel has dropped its lock.
package final class PartFile: Sendable {
    /// A call that failed; as in `errno`.
    package struct Failure: Error {
        package let code: Int32
    }

    package let path: String
    /// For reading and writing; closed with this object.
    package let descriptor: Int32
    private let place: String

    /// Makes an empty file beside a place.
    package init(beside place: String, permissions: UInt32) throws(Failure) {
        self.place = place
        // Processes of two containers that write into one folder may have the same number.
        for attempt in 0..<100 {
            let number = attempt == 0 ? "\(getpid())" : "\(getpid())\(attempt)"
            let path = "\(place).\(number)\(PartName.mark)\(PartName.ending)"
            let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
            guard descriptor >= 0 else {
                if errno == EEXIST { continue }
                throw Failure(code: errno)
            }
            // A process that looks for leftovers may have been faster. On a file system without locks none
            // are known.
            if PartLock.take(descriptor) != .held, PartLock.isFile(descriptor, at: path) {
                self.path = path
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
        throw Failure(code: EEXIST)
    }

    deinit { close(descriptor) }

    /// Gives the file its place; without `replaces` it throws where there is a file already.
    package func publish(replaces: Bool) throws(Failure) {
        // A new link is never made over an existing file, unlike a rename.
        guard (replaces ? rename(path, place) : link(path, place)) == 0 else { throw Failure(code: errno) }
        if !replaces { unlink(path) }
    }

    /// Removes the file, and SQLite's own beside it.
    package func discard() {
        for suffix in PartName.siblings + [""] { unlink(path + suffix) }
    }
}
