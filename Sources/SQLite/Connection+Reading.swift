extension Connection {
    /// All rows of a query, each decoded by `decode`.
    package func rows<R>(_ sql: String, _ values: [Value] = [], decode: (Statement) throws -> R) throws -> [R] {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        var rows: [R] = []
        while try statement.step() { rows.append(try decode(statement)) }
        return rows
    }

    /// The first row of a query, decoded by `decode`; nil where there is none.
    package func firstRow<R>(_ sql: String, _ values: [Value] = [], decode: (Statement) throws -> R) throws -> R? {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        return try statement.step() ? try decode(statement) : nil
    }

    /// The first column of the first row as an integer; nil where it is NULL or there is no row.
    package func integer(_ sql: String, _ values: Value...) throws -> Int64? {
        try firstRow(sql, values) { $0.optionalInteger(at: 0) } ?? nil
    }

    /// The first column of the first row as text; nil where it is NULL or there is no row.
    package func text(_ sql: String, _ values: Value...) throws -> String? {
        try firstRow(sql, values) { $0.optionalText(at: 0) } ?? nil
    }
}
