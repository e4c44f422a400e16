import GarnerLibC
import GarnerModel
import GarnerPersistence

/// A private folder for one copy of a database.
///
/// The folder of a killed process is removed by the next one: a living one has its lock, and the kernel drops that with the process.
final class CopyFolder: Sendable {
    let path: String
    private let descriptor: Int32

    /// - Parameter environment: Says where it is: in `GARNER_CACHE`, else where the system wants a program's state.
    init(_ environment: [String: String]) throws {
        let parent = try Self.parent(environment)
        try Self.create(parent)
        Self.removeLeft(in: parent)
        for attempt in 0..<100 {
            // Processes of two containers with one folder may have the same number.
            let path = "\(parent)/\(getpid())" + (attempt == 0 ? "" : ".\(attempt)")
            guard mkdir(path, 0o700) == 0 else {
                guard errno == EEXIST else { throw Self.failure(errno, path) }
                continue
            }
            let descriptor = open(Self.lock(of: path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure(errno, path) }
            // Another process may have taken it for one that is left.
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                close(descriptor)
                continue
            }
            (self.path, self.descriptor) = (path, descriptor)
            return
        }
        throw Self.failure(EEXIST, parent)
    }

    deinit { close(descriptor) }

    /// Removes the folder.
    func removeFiles() { Self.remove(path) }

    private static func parent(_ environment: [String: String]) throws -> String {
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let named = environment["GARNER_CACHE"], !named.isEmpty { return named }
        // systemd names several folders with colons between them.
        if let state = folder("STATE_DIRECTORY") { return state.prefix { $0 != ":" } + "/copies" }
        if let state = folder("XDG_STATE_HOME") { return state + "/garner/copies" }
        if let home = folder("HOME") { return home + "/.local/state/garner/copies" }
        throw PersistenceError(
            .cannotCreate, "there is no folder for the copy of the database: neither GARNER_CACHE nor HOME is set",
            hint: "export GARNER_CACHE=/var/cache/garner, a folder of a disk that has room for all that is stored")
    }

    private static func create(_ path: String) throws {
        guard access(path, F_OK) != 0 else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try create(String(path[..<slash])) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(errno, path) }
    }

    private static func removeLeft(in parent: String) {
        for name in names(in: parent) where name.wholeMatch(of: /[0-9]+(\.[0-9]+)?/) != nil {
            let path = "\(parent)/\(name)"
            let descriptor = open(lock(of: path), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { remove(path) }
            close(descriptor)
        }
    }

    private static func remove(_ path: String) {
        // The lock goes last, so that whoever is killed meanwhile leaves what can be found.
        for name in names(in: path) where "\(path)/\(name)" != lock(of: path) { unlink("\(path)/\(name)") }
        unlink(lock(of: path))
        rmdir(path)
    }

    private static func lock(of path: String) -> String { path + "/lock" }

    private static func names(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func failure(_ code: Int32, _ path: String) -> PersistenceError {
        let message = "the copy of the database cannot be made in \(path): \(String(cString: strerror(code)))"
        return [ENOSPC, EIO, EDQUOT].contains(code)
            ? PersistenceError(.inputOutput, message, hint: "check the free space and the health of the disk")
            : PersistenceError(
                .cannotCreate, message, hint: "name another folder: export GARNER_CACHE=/var/cache/garner")
    }
}
