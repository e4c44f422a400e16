import GarnerLibC
import GarnerModel
package import GarnerPostgres

/// What a file says of its publication.
package struct FileStanding: Sendable, Equatable {
    package let file: PostgresUUID
    /// The highest note that PostgreSQL is known to have.
    package let confirmed: Int64
    /// The last note of the process whose token PostgreSQL has; nil if the file does not know that one.
    package let lastNote: Int64?
}

/// What PostgreSQL says of a file: the row of `_garner.files`.
struct FenceRow: Sendable, Equatable {
    let token: PostgresUUID
    let position: Int64
    let holder: String
    let host: String
    let process: Int64
    /// The time since the holder was seen last, by the clock of the server.
    let age: Duration
    let isReleased: Bool
    /// The note up to which the runs are in; nil if none is.
    var runsPosition: Int64?
}

/// Who publishes a file, for PostgreSQL.
struct PublicationHolder: Sendable, Equatable {
    let token: PostgresUUID
    /// A hash of the machine and of the file's place on its disk: two copies of a file have different ones.
    let holder: String
    let host: String
    let process: Int32
    let version: String

    init(token: PostgresUUID, path: String, version: String) {
        self.token = token
        self.version = version
        process = getpid()
        var name = [CChar](repeating: 0, count: 256)
        _ = gethostname(&name, name.count - 1)
        host = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        var hash = StableHash()
        // A container has no ID, and gets another name with each start.
        hash.add(Self.machine.utf8)
        var facts = stat()
        if stat(path, &facts) == 0 {
            hash.add(integer: Int64(truncatingIfNeeded: facts.st_dev))
            hash.add(integer: Int64(truncatingIfNeeded: facts.st_ino))
        }
        holder = String(hash.value, radix: 16)
    }

    /// The machine's ID; empty where there is none.
    private static let machine: String = {
        #if os(macOS)
            var id = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            var patience = timespec(tv_sec: 1, tv_nsec: 0)
            guard withUnsafeMutableBytes(of: &id, { gethostuuid($0.baseAddress, &patience) }) == 0 else { return "" }
            return "\(id)"
        #else
            guard let file = fopen("/etc/machine-id", "r") else { return "" }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 64)
            guard fgets(&line, Int32(line.count), file) != nil else { return "" }
            return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #endif
    }()
}

/// Keeps two files, or two copies of one, from writing the same tables.
///
/// The row of the file in PostgreSQL has a token and a position, the number of the highest note that is in. Each transaction compares
/// both and writes a new position. Each process has a new token, and each note belongs to one token, so no two processes ever write
/// the same pair.
struct Fence: Sendable {
    /// What the row and the file mean together.
    enum Verdict: Sendable, Equatable {
        /// PostgreSQL does not know the file.
        case new
        /// The row is of this process.
        case mine
        /// The row is of a process before this one: claim it, and go on.
        case inStep
        /// PostgreSQL has less than it had confirmed: it was restored, or another server took over.
        case wentBack
        /// The file has less than PostgreSQL: it was restored.
        case fileWentBack
        /// A copy or a later state of the file was published.
        case copied
        /// A copy of the file is published by a process that runs.
        case held
    }

    /// How long a holder counts as running that nobody has seen since.
    static let patience: Duration = .seconds(90)

    let me: PublicationHolder
    /// True if something else sees to it that no other process writes this file or a copy of it.
    var isSole = false

    func verdict(on row: FenceRow?, of standing: FileStanding) -> Verdict {
        guard let row else { return .new }
        // While another one runs, nothing of this file may be taken for the newer one.
        if !isSole, row.token != me.token, row.holder != me.holder, row.age < Self.patience, !row.isReleased {
            return .held
        }
        guard let last = standing.lastNote else { return .copied }
        guard row.position <= last else { return .fileWentBack }
        if row.position < standing.confirmed { return .wentBack }
        return row.token == me.token ? .mine : .inStep
    }

    func row(of file: PostgresUUID, on connection: PostgresConnection) async throws -> FenceRow? {
        let result = try await connection.execute(
            """
            SELECT token, position, holder, host, pid, extract(epoch FROM clock_timestamp() - seen_at)::float8,
                released_at IS NOT NULL, runs_position
            FROM _garner.files WHERE file = $1
            """, .uuid(file))
        guard let row = result.rows.first, row.count == 8, case .uuid(let token) = row[0],
            case .integer(let position) = row[1], case .integer(let process) = row[4], case .double(let age) = row[5]
        else { return nil }
        return FenceRow(
            token: token, position: position, holder: row[2].text ?? "", host: row[3].text ?? "", process: process,
            age: .seconds(age), isReleased: row[6] == .boolean(true), runsPosition: row[7].integer)
    }

    /// Makes the row of a file that has none, within the open transaction. Returns false if somebody else was faster.
    ///
    /// Tables of the file that are there all the same begin anew: nobody knows what has become of them without the row.
    func insert(_ file: PostgresUUID, position: Int64, on connection: PostgresConnection) async throws -> Bool {
        let count = try await connection.execute(
            """
            INSERT INTO _garner.files (file, token, position, holder, host, pid, version, seen_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp()) ON CONFLICT (file) DO NOTHING
            """, .uuid(file), .uuid(me.token), .integer(position), .text(me.holder), .text(me.host),
            .integer(Int64(me.process)), .text(me.version)
        ).count
        guard count == 1 else { return false }
        try await beginAnew(file, on: connection)
        return true
    }

    /// Gives the row this process's token within the open transaction. Returns false if it is no longer as it was seen.
    ///
    /// - Parameters:
    ///   - position: Its new position, from which all tables begin anew; nil to go on.
    ///   - isOlder: True if PostgreSQL went back. Numbers of tables may mean other ones by now.
    func claim(
        _ file: PostgresUUID, seen row: FenceRow, anewFrom position: Int64? = nil, isOlder: Bool = false,
        on connection: PostgresConnection
    ) async throws -> Bool {
        let count = try await connection.execute(
            """
            UPDATE _garner.files SET token = $2, position = $3, holder = $4, host = $5, pid = $6, version = $7,
                seen_at = clock_timestamp(), released_at = NULL,
                runs_position = CASE WHEN $10 THEN NULL ELSE runs_position END
            WHERE file = $1 AND token = $8 AND position = $9
            """, .uuid(file), .uuid(me.token), .integer(position ?? row.position), .text(me.holder),
            .text(me.host), .integer(Int64(me.process)), .text(me.version), .uuid(row.token),
            .integer(row.position), .boolean(position != nil || isOlder)
        ).count
        guard count == 1 else { return false }
        if position != nil {
            try await beginAnew(file, on: connection)
        } else if isOlder {
            try await connection.execute("UPDATE _garner.tables SET table_id = NULL WHERE file = $1", .uuid(file))
        }
        return true
    }

    private func beginAnew(_ file: PostgresUUID, on connection: PostgresConnection) async throws {
        try await connection.execute(
            "UPDATE _garner.tables SET position = 0, table_id = NULL WHERE file = $1", .uuid(file))
    }

    /// Moves the row from one position to the next within the open transaction. Returns false if it is not this process's any longer.
    ///
    /// - Parameter runs: The position of the runs; nil if it stays.
    func move(
        _ file: PostgresUUID, from old: Int64, to new: Int64, runs: Int64? = nil, on connection: PostgresConnection
    ) async throws -> Bool {
        try await connection.execute(
            """
            UPDATE _garner.files SET position = $4, runs_position = coalesce($5, runs_position),
                seen_at = clock_timestamp(), released_at = NULL
            WHERE file = $1 AND token = $2 AND position = $3
            """, .uuid(file), .uuid(me.token), .integer(old), .integer(new), runs.map(PostgresValue.integer) ?? .null
        ).count == 1
    }

    /// The number that the transactions of this file lock from this place. Nobody waits for it: it tells their sessions from others.
    func mark(of file: PostgresUUID) -> Int64 {
        var hash = StableHash()
        hash.add(file.bytes)
        hash.add(me.holder.utf8)
        return Int64(bitPattern: hash.value)
    }

    /// Ends the sessions that still lock what is this file's, and wait for rows of a connection that is lost here. No other process has
    /// the file open. Returns the numbers of their processes.
    func endFormerSessions(of file: PostgresUUID, on connection: PostgresConnection) async throws -> [Int64] {
        try await connection.execute(
            """
            WITH former AS MATERIALIZED (
                SELECT pid FROM pg_locks JOIN pg_stat_activity AS session USING (pid)
                WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32) | objid::bigint = $1
                    AND session.datname = current_database() AND usename = session_user
                    AND wait_event_type = 'Client' AND pid <> pg_backend_pid())
            SELECT pid::bigint, pg_terminate_backend(pid, 1000) FROM former
            """, .integer(mark(of: file))
        ).rows.compactMap { $0.first?.integer }
    }

    /// Says that this process is still there.
    func touch(_ file: PostgresUUID, on connection: PostgresConnection) async throws {
        try await noteTime(in: "seen_at", of: file, on: connection)
    }

    /// Says that this process is done, so that another one need not wait.
    func release(_ file: PostgresUUID, on connection: PostgresConnection) async throws {
        try await noteTime(in: "released_at", of: file, on: connection)
    }

    private func noteTime(in column: String, of file: PostgresUUID, on connection: PostgresConnection) async throws {
        try await connection.inTransaction {
            try await connection.execute(
                "UPDATE _garner.files SET \(column) = clock_timestamp() WHERE file = $1 AND token = $2", .uuid(file),
                .uuid(me.token))
        }
    }
}

extension Fence.Verdict {
    /// Why nothing is published; nil if it is. The row is the one that was judged.
    func refusal(row: FenceRow?) -> PublicationError? {
        switch self {
        case .new, .mine, .inStep, .wentBack: nil
        case .fileWentBack:
            PublicationError(
                .refused, "this file is older than what was published from it: it was restored from a backup",
                hint: "Make all tables again from this file: garner publish --take-over --yes")
        case .copied:
            PublicationError(
                .refused,
                "a copy or a later state of this file was published"
                    + (row.map { ", on \(shown($0.host)) (process \($0.process))" } ?? ""),
                hint:
                    "Publish with that copy, or make all tables again from this file: garner publish --take-over --yes")
        case .held:
            PublicationError(
                .held,
                "a copy of this file is published"
                    + (row.map { " on \(shown($0.host)) by process \($0.process)" } ?? "") + ", which runs",
                hint: "Stop that one. If it is gone, the next attempt after 90 seconds goes on")
        }
    }

    /// The name of a machine, without what would mislead a terminal.
    private func shown(_ host: String) -> String {
        String(host.unicodeScalars.filter { $0.value > 0x20 && $0.value < 0x7F }.prefix(100).map(Character.init))
    }
}
