import CGarnerSQLite

extension Connection {
    /// A column of a table or view.
    package struct ReadColumn: Hashable {
        package let table: String
        package let column: String

        package init(table: String, column: String) { (self.table, self.column) = (table, column) }
    }

    /// Returns the columns that a query reads, also through views; none if the query cannot be prepared.
    ///
    /// Do not call it while a guard is in force: both use the connection's authorizer (sqlite.org/c3ref/set_authorizer.html).
    package func columnsRead(by sql: String) -> Set<ReadColumn> {
        let reads = Reads()
        // Safe without retaining: the handler is removed before this function returns.
        sqlite3_set_authorizer(
            handle,
            { context, action, table, column, _, _ in
                guard action == SQLITE_READ, let context, let table, let column else { return SQLITE_OK }
                Unmanaged<Reads>.fromOpaque(context).takeUnretainedValue().columns
                    .insert(ReadColumn(table: String(cString: table), column: String(cString: column)))
                return SQLITE_OK
            }, Unmanaged.passUnretained(reads).toOpaque())
        defer { sqlite3_set_authorizer(handle, nil, nil) }
        return withExtendedLifetime(reads) {
            (try? Statement(sql, on: self)) == nil ? [] : reads.columns
        }
    }

    private final class Reads {
        var columns: Set<ReadColumn> = []
    }
}
