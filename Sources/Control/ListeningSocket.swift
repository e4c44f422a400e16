#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A socket that is listened on, and the file by which it is found.
struct ListeningSocket {
    let descriptor: Int32
    private let path: String
    private let file: (device: dev_t, number: ino_t)

    /// Replaces what a dead service left: whoever holds the database's lock is the only one that lives.
    ///
    /// Not even for an instant may others connect.
    init(_ socket: ControlSocket) throws(SocketProblem) {
        let path = socket.path
        socket.privateFolder?.create()
        guard socket.isTrusted else { throw SocketProblem(path: path, reason: "others may write in its folder") }
        guard Self.isFree(path) else { throw SocketProblem(path: path, reason: "there is another file of that name") }
        let descriptor = Self.make()
        guard descriptor >= 0 else { throw SocketProblem(path: path, reason: String(cString: strerror(errno))) }
        guard Self.bind(descriptor, to: path), chmod(path, 0o600) == 0, listen(descriptor, 64) == 0,
            let file = Self.identity(of: path)
        else {
            let code = errno
            close(descriptor)
            throw SocketProblem(path: path, reason: String(cString: strerror(code)))
        }
        self.descriptor = descriptor
        self.path = path
        self.file = file
    }

    /// Removes the file, unless it is somebody else's by now.
    func unlinkFile() {
        if let found = Self.identity(of: path), found == file { unlink(path) }
    }

    /// Whether nothing is there any more; only a socket is removed.
    private static func isFree(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFSOCK && unlink(path) == 0
    }

    /// A program that is started by this one does not get it.
    private static func make() -> Int32 {
        #if canImport(Glibc)
            return socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        #endif
    }

    private static func bind(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return false
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // The mask is the whole process's: with this one a folder that another thread makes meanwhile stays usable.
        let mask = umask(0o077)
        defer { umask(mask) }
        return withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            #if canImport(Glibc)
                return Glibc.bind(descriptor, address, socklen_t(bytes.count)) == 0
            #else
                return Darwin.bind(descriptor, address, socklen_t(bytes.count)) == 0
            #endif
        }
    }

    private static func identity(of path: String) -> (device: dev_t, number: ino_t)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }
}

/// Why there is no socket to listen on.
struct SocketProblem: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\(path) cannot be made: \(reason)" }
}
