import CSQLite

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a statement did to a row of a rowid table.
package enum RowChange: Sendable, Equatable {
    case none
    case inserted(row: Int64)
    case updated(row: Int64)
    case deleted(row: Int64)

    package var isInsertion: Bool { if case .inserted = self { true } else { false } }
    package var isUpdate: Bool { if case .updated = self { true } else { false } }
}

/// The change noted last, and the table whose changes are noted.
struct ObservedChange {
    /// With its NUL; nil for all tables.
    var table: [CChar]?
    var change = RowChange.none
}

extension Connection {
    /// Notes changes of this table only, since a trigger may change other tables in the course of a statement.
    package func observeChanges(ofTable name: String) { observed.pointee.table = Array(name.utf8CString) }

    /// What has been done to a row since this was read last: the first change, as triggers may add others to it.
    package func takeRowChange() -> RowChange {
        defer { observed.pointee.change = .none }
        return observed.pointee.change
    }

    /// Notes the changes of rows in `observed`, which outlives the handle.
    ///
    /// An upsert's `sqlite3_changes()` is 1 for an insert and for an update alike; the update hook tells them apart.
    /// "The update hook is not invoked when WITHOUT ROWID tables are modified" (sqlite.org/c3ref/update_hook.html).
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
