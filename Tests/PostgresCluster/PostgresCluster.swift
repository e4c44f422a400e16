import Foundation
import GarnerLibC
import Synchronization

/// A PostgreSQL server of the tests' own, with a new cluster in a temporary folder. It ends with this object, and with the process,
/// also if that crashes.
///
/// It listens on a Unix socket, where everybody is trusted, and on loopback, where passwords are asked for. It has no TLS. Nothing
/// waits for the disk.
package final class PostgresCluster: Sendable {
    /// The folder of the socket.
    package let folder: String
    package let port: Int
    private let supervisor: Mutex<Process?>
    /// The supervisor stops the server when nobody holds the other end any longer. Until then it takes orders.
    private let life: Pipe
    /// What the supervisor says: "ready" when an order is done.
    private let answers: FileHandle

    package static let superuser = "garner"

    /// Returns the cluster that all tests of a process share. It starts when it is first asked for.
    package static func shared() async throws -> PostgresCluster { try await sharedStart.value }

    private static let sharedStart = Task.detached { try await start() }

    /// Starts a cluster, which takes a second or more, without keeping a thread of the concurrency pool.
    ///
    /// - Parameter settings: Further settings of the server, such as `max_connections=20`.
    package static func start(settings: [String] = []) async throws -> PostgresCluster {
        try await withCheckedThrowingContinuation { continuation in
            DetachedThread.start { continuation.resume(with: Result { try PostgresCluster(settings: settings) }) }
        }
    }

    private init(settings: [String]) throws {
        let programs = try Self.programs()
        // Short, since the name of a socket has 107 bytes at most.
        folder = "/tmp/garner-pg-\(UUID().uuidString.prefix(8).lowercased())"
        port = try Self.freePort()
        life = Pipe()
        // No program that a test starts may hold this end.
        for end in [life.fileHandleForReading, life.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        let output = Pipe()
        answers = output.fileHandleForReading
        _ = fcntl(answers.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", Self.script, "postgres-cluster", programs, folder, String(port), Self.superuser]
            + settings.flatMap { ["-c", $0] }
        process.environment = [
            "PATH": CurrentProcess.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC",
        ]
        process.standardInput = life
        process.standardOutput = output
        process.standardError = output
        try process.run()
        supervisor = Mutex(process)
        try output.fileHandleForWriting.close()
        do {
            try awaitReady()
        } catch {
            stop()
            throw error
        }
    }

    private func awaitReady() throws {
        // "ready", or why it is not.
        var words = ""
        while !words.hasSuffix("ready\n"), let more = try answers.read(upToCount: 1), !more.isEmpty {
            words += String(decoding: more, as: UTF8.self)
        }
        guard words.hasSuffix("ready\n") else { throw PostgresClusterFailure("PostgreSQL does not start: \(words)") }
    }

    deinit { stop() }

    /// Stops the server at once, as a crash would (`immediate`), and removes the folder.
    package func stop() {
        guard let process = supervisor.withLock({ $0.take() }) else { return }
        try? life.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    // MARK: - What may become of a server

    /// Ends the server at once, as a crash would (`immediate`), and starts it again over what it left.
    package func restart() async throws { try await order("restart") }

    /// Copies the data as it is now, in the place of an earlier copy. The server crashes for that, and starts again.
    package func save() async throws { try await order("save") }

    /// Puts the copy that `save` has made in the place of the data, as a restored backup would be.
    package func restore() async throws { try await order("restore") }

    /// One order at a time.
    private func order(_ word: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DetachedThread.start {
                continuation.resume(
                    with: Result {
                        try self.life.fileHandleForWriting.write(contentsOf: Data("\(word)\n".utf8))
                        try self.awaitReady()
                    })
            }
        }
    }

    /// A URL by the socket, without a password.
    package func socketURL(user: String = superuser, database: String = "postgres") -> String {
        "postgresql://\(user)@/\(database)?host=\(folder)&port=\(port)"
    }

    /// A URL by TCP.
    package func loopbackURL(user: String, password: String, database: String = "postgres") -> String {
        "postgresql://\(user):\(password)@127.0.0.1:\(port)/\(database)"
    }

    /// Waits for the end of its standard input, whatever becomes of the process that started it, and then stops the server.
    ///
    /// PostgreSQL refuses to run as root. Then the user that Debian's package makes runs it, or nobody.
    private static let script = #"""
        programs=$1 folder=$2 port=$3 superuser=$4
        shift 4
        # The tests may end at any time, also before they read that the server is ready.
        trap '' INT HUP PIPE
        umask 077
        mkdir "$folder" || exit 1
        trap 'cd /; rm -rf "$folder"' EXIT
        as=
        if command -v setpriv >/dev/null; then as='setpriv --pdeathsig INT'; fi
        if [ "$(id -u)" = 0 ]; then
            user=postgres
            id -u $user >/dev/null 2>&1 || user=nobody
            chown "$user" "$folder"
            as="$as --reuid $user --regid $(id -g $user) --clear-groups"
        fi
        cd "$folder" || exit 1
        $as "$programs/initdb" --no-sync --no-instructions -D "$folder/data" -U "$superuser" -E UTF8 --no-locale \
            --auth-local=trust --auth-host=scram-sha-256 </dev/null >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
        start() {
            $as "$programs/postgres" -D "$folder/data" -k "$folder" -p "$port" -c listen_addresses=127.0.0.1 \
                -c fsync=off -c max_wal_size=2GB -c max_connections=500 "$@" </dev/null >>"$folder/log" 2>&1 3>&- &
            server=$!
            until grep -q '^ready' "$folder/data/postmaster.pid" 2>/dev/null; do
                kill -0 $server 2>/dev/null || { cat "$folder/log" >&3; exit 1; }
                sleep 0.05
            done
            echo ready >&3
        }
        exec 3>&1
        start "$@"
        exec >/dev/null 2>&1
        while read -r order; do
            kill -QUIT $server
            wait $server
            case $order in
                save) rm -rf "$folder/saved" && cp -a "$folder/data" "$folder/saved" ;;
                restore) rm -rf "$folder/data" && cp -a "$folder/saved" "$folder/data" ;;
            esac
            start "$@"
        done
        kill -QUIT $server
        wait $server
        """#

    /// Returns the folder with PostgreSQL's programs, of which Debian links only some into the path.
    private static func programs() throws -> String {
        let versions = { (folder: String, path: (String) -> String) in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
                .sorted { $0.compare($1, options: .numeric) == .orderedDescending }.map(path)
        }
        let path = (CurrentProcess.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let folders =
            versions("/usr/lib/postgresql") { "/usr/lib/postgresql/\($0)/bin" }
            + ["/opt/homebrew/opt", "/usr/local/opt"].flatMap { opt in
                versions(opt) { "\(opt)/\($0)/bin" }.filter { $0.contains("/postgresql") }
            } + path
        guard
            let found = folders.first(where: {
                access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0
            })
        else {
            throw PostgresClusterFailure("PostgreSQL's programs initdb and postgres are missing: run script/bootstrap")
        }
        return found
    }

    /// Returns a port below those that systems choose by themselves, and that nobody has now.
    private static func freePort() throws -> Int {
        for _ in 0..<100 {
            let port = in_port_t.random(in: 20_000..<32_000)
            #if canImport(Darwin)
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #else
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
            address.sin_port = port.bigEndian
            let isFree = withUnsafeBytes(of: &address) { bytes in
                bind(
                    descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                    socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
            if isFree { return Int(port) }
        }
        throw PostgresClusterFailure("no port is free")
    }
}

package struct PostgresClusterFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
