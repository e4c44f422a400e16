import GarnerPersistence
import GarnerDatabase
import GarnerLibC
import GarnerModel
import GarnerSQLite

/// Copies one state of a database into a file, while others read and write the database.
package struct DatabaseBackup {
    private let source: String
    private let target: String
    private let ownFiles: OwnFiles
    private let replaces: Bool
    private let verifies: Bool
    private let portion: Int
    private let cancellation: Cancellation

    /// - Parameters:
    ///   - configuration: The file that names the database, which the copy must not replace; nil if there is none.
    ///   - replaces: True if a file with that name may be replaced.
    ///   - verifies: True if the copy is checked before it gets its name.
    ///   - portion: The number of pages that are copied between two tests for a cancellation.
    package init(
        of source: String, to target: String, configuration: String? = nil, replaces: Bool = false,
        verifies: Bool = false, portion: Int = 1024, cancellation: Cancellation = Cancellation()
    ) {
        ownFiles = OwnFiles(of: source, configuration: configuration)
        (self.source, self.target, self.replaces, self.verifies) = (source, target, replaces, verifies)
        (self.portion, self.cancellation) = (portion, cancellation)
    }

    package struct Outcome: Sendable, Equatable {
        package let bytes: Int
        /// The contents of the copy; nil if it was not checked.
        package let verified: Contents?
        /// True if there is a file of refresh tokens, which the copy does not include.
        package let leavesTokens: Bool
    }

    /// The contents of a checked copy.
    package struct Contents: Sendable, Equatable {
        package let tables: Int
        package let rows: Int
    }

    /// Makes the copy. Throws `PersistenceError` or `CancellationError`, and leaves no file then.
    ///
    /// - Parameter onStep: Called after each portion.
    package func run(onStep: () throws -> Void = {}) throws -> Outcome {
        try FileCreation.requireDatabase(source)
        let file = try CopyFile(target, replaces: replaces, besides: ownFiles)
        do {
            let (bytes, counts) = try reading(source) { try copy(to: file, onStep) }
            let contents = verifies ? try reading(target) { try verify(file, counts) } : nil
            try cancellation.check()
            try file.publish()
            return Outcome(
                bytes: bytes, verified: contents, leavesTokens: FileCreation.exists(TokenFile(database: source).path))
        } catch {
            file.discard()
            throw error
        }
    }

    /// Copies one state of the database. Returns its size and, for the check, the rows of each table.
    private func copy(to file: CopyFile, _ onStep: () throws -> Void) throws -> (bytes: Int, counts: [[UInt8]: Int]) {
        let database = try Connection(path: source, mode: .readOnly)
        defer { database.close() }
        // In the mode of the write-ahead log, a reader and the writer do not block each other.
        return try database.snapshot {
            guard try Migrator.verify(database) > 0 else {
                throw PersistenceError(.missing, "the database \(source) is empty", hint: .syncFirst)
            }
            let counts = verifies ? try cancellation.running(on: database) { try TableCounts(of: database).rows } : [:]
            return (try reading(target) { try copy(database, to: file, onStep) }, counts)
        }
    }

    private func copy(_ database: Connection, to file: CopyFile, _ onStep: () throws -> Void) throws -> Int {
        let copy = try Connection(path: file.aside, mode: .readWrite)
        defer { copy.close() }
        // The copy has no readers yet, and is synchronised as a whole before it gets its name.
        try copy.executeScript("PRAGMA synchronous = OFF")
        let backup = try Backup(of: database, to: copy)
        while try backup.step(pages: portion) {
            try cancellation.check()
            try onStep()
        }
        try backup.finish()
        // The copied header names a write-ahead log. Without one, the copy is a single file.
        guard try copy.text("PRAGMA journal_mode = DELETE") == "delete" else {
            throw PersistenceError(.bug, "the copy \(target) cannot leave WAL mode", hint: .report)
        }
        let bytes = try copy.integer("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
        return Int(bytes)
    }

    private func verify(_ file: CopyFile, _ counts: [[UInt8]: Int]) throws -> Contents {
        let copy = try Connection(path: file.aside, mode: .readOnly)
        defer { copy.close() }
        return try cancellation.running(on: copy) {
            _ = try Migrator.verify(copy)
            let problems = try IntegrityCheck(isFull: true).problems(of: copy)
            guard problems.isEmpty else { throw notIntact(problems[0]) }
            if let table = try copy.text("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1") {
                throw notIntact("rows of \(table) refer to what is not there")
            }
            let copied = try TableCounts(of: copy).rows
            guard copied == counts else {
                let names = Set(copied.keys).union(counts.keys).filter { copied[$0] != counts[$0] }
                    .map { String(decoding: $0, as: UTF8.self) }.sorted()
                throw notIntact("not all rows are in \(names.joined(separator: ", "))")
            }
            return Contents(tables: copied.count, rows: copied.values.reduce(0, +))
        }
    }

    private func notIntact(_ reason: String) -> PersistenceError {
        PersistenceError(.unusable, "the copy of \(source) is not intact: \(reason)", hint: .examineDatabase)
    }

    /// Describes an SQLite error as one of the file at `path`, unless reading the source has failed.
    private func reading<R>(_ path: String, _ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw PersistenceError(error, path: error.isOfReading ? source : path)
        }
    }
}

/// The number of rows of each table, without virtual tables.
private struct TableCounts {
    /// The rows by the table's name in UTF-8, since Swift's strings are equal if they differ only in their Unicode
    /// form.
    private(set) var rows: [[UInt8]: Int] = [:]

    init(of connection: Connection) throws {
        let names = try connection.rows(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@' AND sql NOT LIKE 'CREATE VIRTUAL %'
            """
        ) { $0.text(at: 0) }
        for name in names {
            rows[Array(name.utf8)] = Int(try connection.integer("SELECT count(*) FROM \(quoted(name))") ?? 0)
        }
    }
}

/// The file of a copy, which has another name until it is complete. Only its owner may read it.
struct CopyFile {
    /// The path as the user gave it.
    private let path: String
    private let place: String
    private let replaces: Bool
    private let part: PartFile

    /// Creates an empty file. Throws if the copy must not be made there.
    init(_ path: String, replaces: Bool, besides ownFiles: OwnFiles) throws(PersistenceError) {
        (self.path, self.replaces) = (path, replaces)
        // A link stays a link. Its target is replaced.
        let place = FileCreation.resolved(path) ?? path
        self.place = place
        try Self.refuse(path, place, replaces: replaces, ownFiles)
        Leftovers(of: place).remove()
        do throws(FileError) {
            part = try PartFile(beside: place, permissions: 0o600)
        } catch {
            throw Self.failure(error.code, path)
        }
    }

    /// The path of the copy until it is published.
    var aside: String { part.path }

    /// Gives the copy its name. After a loss of power it is complete or missing.
    func publish() throws(PersistenceError) {
        do throws(FileError) {
            try part.publish(replaces: replaces)
        } catch {
            throw Self.failure(error.code, path)
        }
    }

    /// Removes an unpublished copy, with SQLite's files beside it.
    func discard() { part.discard() }

    private static func refuse(
        _ path: String, _ place: String, replaces: Bool, _ ownFiles: OwnFiles
    ) throws(PersistenceError) {
        try ownFiles.refuse(path, for: "the copy")
        var status = stat()
        if stat(place, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw PersistenceError(
                    .cannotCreate, "\(path) exists and is not a regular file", hint: "name a file for the copy")
            }
            guard replaces else {
                throw PersistenceError(.cannotCreate, "\(path) exists already", hint: .nameAnotherFile)
            }
        }
        // SQLite would use this file with the copy and damage the copy (sqlite.org/howtocorrupt.html, section 1.4).
        for log in ["-wal", "-journal"].map({ place + $0 }) where FileCreation.exists(log) {
            throw PersistenceError(
                .cannotCreate, "\(log) exists and belongs to another database with the copy's name",
                hint: "end the programs that use it, or name another file for the copy")
        }
    }

    private static func failure(_ code: Int32, _ path: String) -> PersistenceError {
        let message = "the copy \(path) cannot be written: \(String(cString: strerror(code)))"
        switch code {
        case ENOSPC, EIO, EDQUOT, EFBIG:
            return PersistenceError(.inputOutput, message, hint: "check the free space and the health of the disk")
        case EEXIST:
            return PersistenceError(.cannotCreate, message, hint: .nameAnotherFile)
        default:
            return PersistenceError(
                .cannotCreate, message,
                hint: FileCreation.makingFolder(of: path).map(Hint.text)
                    ?? "check that the folder exists and that you may write in it")
        }
    }
}
