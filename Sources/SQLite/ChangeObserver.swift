import CGarnerSQLite
package import GarnerDatabase
import GarnerLibC

/// Watches the transactions of a connection, and each change that they make to rows.
package protocol ChangeObserver: AnyObject {
    /// Called when a transaction has begun. If it throws, the transaction ends.
    func didBegin(on connection: Connection) throws
    /// Called before a transaction is committed. What this changes is committed with it. If it throws, the transaction is undone.
    func willCommit(on connection: Connection) throws
    func didCommit()
    /// Called when a transaction was undone, perhaps without any before.
    func didRollBack()
    /// Returns a number by which the table's changes are told; nil if they are not. The answer holds until `forgetObservedTables`.
    func number(ofTable name: String) -> Int?
    /// Called before each change to a row of a table with a number. It must not use the connection.
    func note(_ change: ObservedRow, ofTable number: Int)
}

/// A change to a row that SQLite is about to make. It is valid during the call only.
package struct ObservedRow {
    package enum Operation: Sendable { case insert, update, delete }

    package let operation: Operation
    /// The row's number before the change; of an insertion, the new one.
    package let row: Int64
    /// The row's number after the change.
    package let newRow: Int64
    /// False for a statement that is a transaction of its own, which no observer was told of.
    package let isInTransaction: Bool
    fileprivate let handle: OpaquePointer

    /// Returns the value of a column before an update or a deletion.
    ///
    /// - Parameter column: The place in the table, as `pragma_table_xinfo` has it.
    package func oldValue(at column: Int32) -> Value { value(at: column, PreupdateFunctions.loaded?.old) }

    /// Returns true if the column has a value after an insertion or an update.
    package func hasNewValue(at column: Int32) -> Bool { value(at: column, PreupdateFunctions.loaded?.new) != .null }

    /// Returns true if an update changes the column. An integer and a REAL of its value are the same. It allocates nothing for a text.
    package func changesValue(at column: Int32) -> Bool {
        guard let functions = PreupdateFunctions.loaded, let old = self.column(at: column, functions.old),
            let new = self.column(at: column, functions.new)
        else { return true }
        return switch (old.kind, new.kind) {
        case (.null, .null): false
        case (.integer, .integer): old.integer != new.integer
        case (.integer, .real), (.real, .integer), (.real, .real): old.real != new.real
        case (.text, .text), (.blob, .blob): !old.bytes.elementsEqual(new.bytes)
        default: true
        }
    }

    private func column(at column: Int32, _ read: PreupdateFunctions.Read?) -> Statement.Column? {
        var found: OpaquePointer?
        guard let read, read(handle, column, &found) == SQLITE_OK, let found else { return nil }
        return Statement.Column(found)
    }

    private func value(at column: Int32, _ read: PreupdateFunctions.Read?) -> Value {
        guard let value = self.column(at: column, read) else { return .null }
        return switch value.kind {
        case .null: .null
        case .integer: .integer(value.integer)
        case .real: .real(value.real)
        case .text: .text(String(decoding: value.bytes, as: UTF8.self))
        case .blob: .blob(Array(value.bytes))
        }
    }
}

extension Connection {
    /// True if the library tells of each change to rows: if it was built with `SQLITE_ENABLE_PREUPDATE_HOOK`.
    package static var canObserveRows: Bool { PreupdateFunctions.loaded != nil }

    /// Tells the observer of what comes. It is kept until the connection is closed. Call this before a statement is prepared: without an
    /// observer, a deletion of all rows is prepared to pass none of them.
    ///
    /// Unlike `observeChanges`, this tells of each row, also of those that a deletion of all rows or `OR REPLACE` removes.
    package func observe(with observer: any ChangeObserver) throws(SQLiteError) {
        guard let functions = PreupdateFunctions.loaded else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "SQLite was built without SQLITE_ENABLE_PREUPDATE_HOOK")
        }
        forgetStatements()
        let observation = Observation(of: observer)
        self.observation = observation
        // Safe without retaining: the connection keeps it as long as the handle.
        _ = functions.hook(handle, observeRow, Unmanaged.passUnretained(observation).toOpaque())
    }

    /// Asks for the numbers of tables anew.
    package func forgetObservedTables() { observation?.forgetTables() }
}

/// The observer of a connection, and what it said of the tables that were changed last.
final class Observation {
    let observer: any ChangeObserver
    private var known: [KnownTable] = []
    /// The place of the next table that is forgotten.
    private var oldest = 0

    private struct KnownTable {
        /// The place where SQLite has its name, as long as the schema stays.
        let address: UnsafePointer<CChar>
        let name: UnsafeMutablePointer<CChar>
        let number: Int?
    }

    private static let mostTables = 16

    init(of observer: any ChangeObserver) { self.observer = observer }

    deinit { forgetTables() }

    func forgetTables() {
        for table in known { free(table.name) }
        known.removeAll()
        oldest = 0
    }

    /// Returns the number of a table. It allocates nothing for one of those that were changed last.
    fileprivate func number(ofTable name: UnsafePointer<CChar>) -> Int? {
        // Another table may have got the address.
        for table in known where table.address == name && strcmp(table.name, name) == 0 { return table.number }
        let number = observer.number(ofTable: String(cString: name))
        guard let copy = strdup(name) else { return number }
        let table = KnownTable(address: name, name: copy, number: number)
        if known.count < Self.mostTables {
            known.append(table)
        } else {
            free(known[oldest].name)
            known[oldest] = table
            oldest = (oldest + 1) % Self.mostTables
        }
        return number
    }
}

/// Called by SQLite before each change to a row, with the operation, the names of the database and the table, and the row's number before
/// and after.
private func observeRow(
    _ context: UnsafeMutableRawPointer?, _ handle: OpaquePointer?, _ operation: Int32,
    _ database: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>?, _ row: Int64, _ newRow: Int64
) {
    guard let context, let handle, let database, let table, strcmp(database, "main") == 0 else { return }
    let observation = Unmanaged<Observation>.fromOpaque(context).takeUnretainedValue()
    guard let number = observation.number(ofTable: table) else { return }
    let kind: ObservedRow.Operation =
        switch operation {
        case SQLITE_INSERT: .insert
        case SQLITE_UPDATE: .update
        default: .delete
        }
    observation.observer.note(
        ObservedRow(
            operation: kind, row: row, newRow: newRow, isInTransaction: sqlite3_get_autocommit(handle) == 0,
            handle: handle), ofTable: number)
}

/// The functions of `SQLITE_ENABLE_PREUPDATE_HOOK`, which a library may lack and its header declares only with that option
/// (sqlite.org/c3ref/preupdate_blobwrite.html).
private struct PreupdateFunctions: Sendable {
    typealias Callback =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64, Int64
        ) -> Void
    typealias Hook =
        @convention(c) (OpaquePointer?, Callback?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    typealias Read = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

    let hook: Hook
    let old: Read
    let new: Read

    /// Nil if the library lacks one of them.
    static let loaded: PreupdateFunctions? = {
        // RTLD_DEFAULT
        #if canImport(Darwin)
            let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
        #else
            let everywhere: UnsafeMutableRawPointer? = nil
        #endif
        guard let hook = dlsym(everywhere, "sqlite3_preupdate_hook"),
            let old = dlsym(everywhere, "sqlite3_preupdate_old"), let new = dlsym(everywhere, "sqlite3_preupdate_new")
        else { return nil }
        return PreupdateFunctions(
            hook: unsafeBitCast(hook, to: Hook.self), old: unsafeBitCast(old, to: Read.self),
            new: unsafeBitCast(new, to: Read.self))
    }()
}
