import GarnerLibC
import GarnerModel
import GarnerSQLite
import Synchronization

/// The right to write to a database. One process at a time has it, through a lock on `DATABASE.lock`.
///
/// The kernel drops the lock when the process ends, in any way. The file stays and names the last holder.
package final class WriterLock: Sendable {
    private let descriptor: Int32

    package init(database path: String) throws(PersistenceError) {
        try FileCreation.requireNoOther(at: path)
        // Two names of one file are the same database.
        let lockPath = (FileCreation.resolved(path) ?? path) + ".lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.cannotOpen(lockPath, errno, of: path) }
        guard Self.take(descriptor) else {
            let holder = Self.holder(descriptor)
            close(descriptor)
            throw PersistenceError(
                .locked, "the database \(path) is in use by another garner\(holder.map { " (process \($0))" } ?? "")",
                hint: .text(
                    "wait until it finishes\(holder.map { ", or stop it with 'kill \($0)'" } ?? ""); a service ('garner serve') "
                        + "does not finish by itself, and is started again afterwards"))
        }
        self.descriptor = descriptor
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit { close(descriptor) }

    /// Tries several times, since `state(of:)` of another process takes the lock for an instant.
    private static func take(_ descriptor: Int32) -> Bool {
        for _ in 0..<100 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            sched_yield()
        }
        return false
    }

    /// The state of the lock on a database.
    package enum State: Equatable {
        case free
        /// A running process has the lock.
        case held(process: Int?)
        /// The file cannot be read; with the code from `errno`.
        case unknown(Int32)
    }

    package static func state(of path: String) -> State {
        if let remote = RemoteDatabase.at(path) { return remote.isWritten ? .held(process: nil) : .free }
        let descriptor = open((FileCreation.resolved(path) ?? path) + ".lock", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? .free : .unknown(errno) }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? .free : .held(process: holder(descriptor))
    }

    private static func holder(_ descriptor: Int32) -> Int? {
        var buffer = [UInt8](repeating: 0, count: 32)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return Int(String(decoding: buffer.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func cannotOpen(_ path: String, _ code: Int32, of database: String) -> PersistenceError {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOENT, ENOTDIR:
            if let problem = FileCreation.fileAsFolder(of: database) { return problem }
            return PersistenceError(
                .cannotCreate, "\(path) cannot be created: its folder does not exist", hint: "create the folder first")
        case EACCES where FileCreation.exists(path):
            let owner = FileCreation.otherOwner(of: path)
            return PersistenceError(
                .permission, "\(path) cannot be opened: \(owner.map { "it belongs to \($0)" } ?? reason)",
                hint: owner == nil ? "check the permissions of the file" : .takeOver(database: database))
        case EACCES, EPERM, EROFS:
            return PersistenceError(
                .permission, "\(path) cannot be created: \(reason)",
                hint: "choose a database in a folder that you may write in, or change its permissions")
        default:
            return PersistenceError(.inputOutput, "\(path) cannot be created: \(reason)", hint: "check the disk")
        }
    }
}
