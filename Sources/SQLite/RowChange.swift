import CGarnerSQLite
import GarnerLibC

/// The effect of a statement on a row of a rowid table.
package enum RowChange: Sendable, Equatable {
    case none
    case inserted(row: Int64)
    case updated(row: Int64)
    case deleted(row: Int64)

    package var isInsertion: Bool { if case .inserted = self { true } else { false } }
    package var isUpdate: Bool { if case .updated = self { true } else { false } }
}

/// The last change that was noted, and the table whose changes are noted.
struct ObservedChange {
    /// The table's name with its NUL; nil for all tables.
    var table: [CChar]?
    var change = RowChange.none
}

extension Connection {
    /// Notes only the changes of this table, since a trigger may change others within the same statement.
    package func observeChanges(ofTable name: String) { observed.pointee.table = Array(name.utf8CString) }

    /// Returns the first row change since the last call. Later ones, which triggers may cause, do not count.
    package func takeRowChange() -> RowChange {
        defer { observed.pointee.change = .none }
        return observed.pointee.change
    }

    /// Notes row changes in `observed`, which outlives the handle.
    ///
    /// An upsert's `sqlite3_changes()` is 1 for an insert and for an update alike, so only the update hook tells them
    /// apart. "The update hook is not invoked when WITHOUT ROWID tables are modified"
    /// (sqlite.org/c3ref/update_hook.html).
    func observeChanges() {
        sqlite3_update_hook(
            handle,
            { context, operation, _, table, row in
                guard let observed = context?.assumingMemoryBound(to: ObservedChange.self), let table,
                    observed.pointee.change == .none, observed.pointee.table.map({ strcmp($0, table) == 0 }) ?? true
                else { return }
                observed.pointee.change =
                    switch operation {
                    case SQLITE_INSERT: .inserted(row: row)
                    case SQLITE_UPDATE: .updated(row: row)
                    default: .deleted(row: row)
                    }
            }, observed)
    }
}
