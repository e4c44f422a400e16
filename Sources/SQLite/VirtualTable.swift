import CGarnerSQLite

/// A table whose rows a closure supplies one by one while a statement reads it: a virtual table (sqlite.org/vtab.html).
///
/// Its columns are named `c1`, `c2` and so on. Only statements of its connection see it. The values of a row keep until they are
/// set anew, as the parameters of a statement do.
///
///     let rows = try VirtualTable(columns: 2, on: connection)
///     let insert = try Statement("INSERT INTO t SELECT c1, c2 FROM \(rows.name)", on: connection)
///     try rows.supply {
///         guard let pair = pairs.popLast() else { return false }
///         rows.values.bind(pair.0, at: 1)
///         rows.values.bind(pair.1, at: 2)
///         return true
///     } to: { try insert.run() }
package final class VirtualTable {
    /// The name of the table in SQL.
    package let name: String
    /// The values of the current row.
    package let values: RowValues
    private let connection: Connection
    private let state: UnsafeMutablePointer<State>

    /// The data that SQLite's callbacks share with the table. It is freed when no statement uses the table any more.
    fileprivate struct State {
        let values: RowValues
        let declaration: String
        /// Sets the values of the next row. Returns false if there is none. Nil while no rows are supplied.
        var next: (() -> Bool)?
    }

    /// - Parameter columns: The number of columns, at most 2,000.
    package init(columns: Int, on connection: Connection) throws(SQLiteError) {
        self.connection = connection
        values = RowValues(count: columns)
        name = connection.nameOfNextVirtualTable()
        let names = (1...max(columns, 1)).map { "c\($0)" }.joined(separator: ", ")
        state = .allocate(capacity: 1)
        state.initialize(to: State(values: values, declaration: "CREATE TABLE rows(\(names))", next: nil))
        // "The destructor is also invoked if the call to sqlite3_create_module_v2() fails" (sqlite.org/c3ref/create_module.html).
        let code = sqlite3_create_module_v2(connection.handle, name, Self.module, state) { state in
            guard let state = state?.assumingMemoryBound(to: State.self) else { return }
            state.pointee.values.deallocate()
            state.deinitialize(count: 1)
            state.deallocate()
        }
        guard code == SQLITE_OK else { throw connection.error() }
    }

    deinit {
        // Without a module, the name is forgotten.
        if connection.isOpen { sqlite3_create_module_v2(connection.handle, name, nil, nil, nil) }
    }

    /// Calls `read`, which may run one statement that reads the table. Each row that it reads is a call of `next`.
    ///
    /// - Parameter next: Sets the values of the next row. Returns false if there is none.
    package func supply<Failure: Error>(
        _ next: () -> Bool, to read: () throws(Failure) -> Void
    ) throws(Failure) {
        try withoutActuallyEscaping(next) { next throws(Failure) in
            state.pointee.next = next
            defer { state.pointee.next = nil }
            try read()
        }
    }

    private struct Table {
        var base = sqlite3_vtab()
        let state: UnsafeMutablePointer<State>
    }

    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        let state: UnsafeMutablePointer<State>
        var row: Int64 = 0
        var isAtEnd = false

        mutating func advance() {
            isAtEnd = !(state.pointee.next?() ?? false)
            row += 1
        }
    }

    // Safe because it is never written after it was made. There is no `xCreate`: the table exists without a statement that creates
    // it, and in no schema.
    private nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        module.xConnect = { handle, state, _, _, result, message in
            guard let state = state?.assumingMemoryBound(to: State.self), let result else { return SQLITE_MISUSE }
            let code = sqlite3_declare_vtab(handle, state.pointee.declaration)
            guard code == SQLITE_OK else {
                message?.pointee = garner_sqlite_copied_message(handle)
                return code
            }
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            table.initialize(to: Table(state: state))
            result.pointee = table.pointer(to: \.base)
            return SQLITE_OK
        }
        module.xDisconnect = { table in
            UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self).deallocate()
            return SQLITE_OK
        }
        module.xBestIndex = { _, _ in SQLITE_OK }
        module.xOpen = { table, result in
            guard let table = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self), let result else {
                return SQLITE_MISUSE
            }
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            cursor.initialize(to: Cursor(state: table.pointee.state))
            result.pointee = cursor.pointer(to: \.base)
            return SQLITE_OK
        }
        module.xClose = { cursor in
            UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self).deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, _, _ in
            VirtualTable.cursor(cursor)?.pointee.advance()
            return SQLITE_OK
        }
        module.xNext = { cursor in
            VirtualTable.cursor(cursor)?.pointee.advance()
            return SQLITE_OK
        }
        module.xEof = { cursor in VirtualTable.cursor(cursor)?.pointee.isAtEnd == false ? 0 : 1 }
        module.xColumn = { cursor, context, column in
            VirtualTable.cursor(cursor)?.pointee.state.pointee.values.give(valueAt: Int(column), to: context)
            return SQLITE_OK
        }
        module.xRowid = { cursor, result in
            result?.pointee = VirtualTable.cursor(cursor)?.pointee.row ?? 0
            return SQLITE_OK
        }
        let place = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        place.initialize(to: module)
        return UnsafePointer(place)
    }()

    private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor>? {
        UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self)
    }
}

/// The values of one row of a virtual table. Columns are numbered from 1 to the number with which the table was made.
///
/// It is a pointer, which is valid while the table is.
public struct RowValues {
    @usableFromInline
    enum Cell {
        case null
        case integer(Int64)
        case real(Double)
        case text(UnsafePointer<CChar>, count: Int)
        /// A copied text in a buffer of its own.
        case copy(UnsafeMutablePointer<CChar>, count: Int)
    }

    @usableFromInline
    let cells: UnsafeMutablePointer<Cell>
    @usableFromInline
    let count: Int

    fileprivate init(count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        cells.initialize(repeating: .null, count: count)
    }

    fileprivate func deallocate() {
        for cell in 0..<count { free(cellAt: cell) }
        cells.deallocate()
    }

    /// Sets a value. A copy that was there is freed.
    @inlinable
    func set(_ cell: Cell, at column: Int32) {
        assert((1...count).contains(Int(column)))
        if case .copy = cells[Int(column) - 1] { free(cellAt: Int(column) - 1) }
        cells[Int(column) - 1] = cell
    }

    @usableFromInline
    func free(cellAt index: Int) {
        if case .copy(let bytes, _) = cells[index] { bytes.deallocate() }
    }

    @inlinable
    public func bindNull(at column: Int32) { set(.null, at: column) }

    @inlinable
    public func bind(_ integer: Int64, at column: Int32) { set(.integer(integer), at: column) }

    @inlinable
    public func bind(_ real: Double, at column: Int32) { set(.real(real), at: column) }

    /// Sets a text without copying it. The buffer must stay valid until the next row is set.
    @inlinable
    public func bind(unownedUTF8 text: UnsafeBufferPointer<UInt8>, at column: Int32) {
        let start = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
        set(.text(start ?? Statement.nowhere, count: text.count), at: column)
    }

    /// Sets a copy of a text.
    package func bind(copyingUTF8 text: [UInt8], at column: Int32) {
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count)
        UnsafeMutableRawPointer(copy).copyMemory(from: text, byteCount: text.count)
        set(.copy(copy, count: text.count), at: column)
    }

    /// Sets all values to NULL. No pointer into a page is left.
    package func clear() {
        for index in 0..<count { bindNull(at: Int32(index + 1)) }
    }

    fileprivate func give(valueAt index: Int, to context: OpaquePointer?) {
        guard index >= 0, index < count else { return sqlite3_result_null(context) }
        switch cells[index] {
        case .null: sqlite3_result_null(context)
        case .integer(let integer): sqlite3_result_int64(context, integer)
        case .real(let real): sqlite3_result_double(context, real)
        case .text(let start, let count): garner_sqlite_result_text_static(context, start, UInt64(count))
        case .copy(let start, let count): garner_sqlite_result_text_static(context, start, UInt64(count))
        }
    }
}
