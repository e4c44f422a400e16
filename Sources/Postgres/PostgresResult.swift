internal import CGarnerPostgres

/// What a statement returned.
package struct PostgresResult: Equatable, Sendable {
    package internal(set) var columns: [String] = []
    package internal(set) var rows: [[PostgresValue]] = []
    /// The number of rows that the statement inserted, updated, deleted or selected; 0 for other statements.
    package internal(set) var count = 0

    /// The value of the first row in the first column; nil if there is no row.
    package var value: PostgresValue? { rows.first?.first }

    /// The texts of the first column.
    package var texts: [String] { rows.compactMap { $0.first?.text } }

    init() {}

    init(_ result: OpaquePointer, libpq: UnsafePointer<GarnerLibPQ>) throws(PostgresError) {
        count = libpq.pointee.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        let width = libpq.pointee.PQnfields(result)
        columns = (0..<width).map { column in
            libpq.pointee.PQfname(result, column).map { String(cString: $0) } ?? ""
        }
        let types = (0..<width).map { column in
            // Results of scripts are texts.
            libpq.pointee.PQfformat(result, column) == 1 ? libpq.pointee.PQftype(result, column) : TypeNumber.text
        }
        let height = libpq.pointee.PQntuples(result)
        rows.reserveCapacity(Int(height))
        for row in 0..<height {
            var values: [PostgresValue] = []
            values.reserveCapacity(types.count)
            for (column, type) in zip(0..<width, types) {
                guard libpq.pointee.PQgetisnull(result, row, column) == 0 else {
                    values.append(.null)
                    continue
                }
                let bytes = UnsafeRawBufferPointer(
                    start: libpq.pointee.PQgetvalue(result, row, column),
                    count: Int(libpq.pointee.PQgetlength(result, row, column)))
                values.append(try PostgresValue(type: type, binary: bytes))
            }
            rows.append(values)
        }
    }
}

extension PostgresError {
    init(_ result: OpaquePointer, libpq: UnsafePointer<GarnerLibPQ>, _ text: ForeignText) {
        func field(_ code: Int) -> String? {
            libpq.pointee.PQresultErrorField(result, Int32(code)).map { String(cString: $0) }
        }
        let state = field(GARNER_FIELD_SQLSTATE).flatMap { Self.isState($0) ? $0 : nil }
        let message = field(GARNER_FIELD_MESSAGE)
        // libpq's own errors, such as of a broken connection, have words only.
        let words = libpq.pointee.PQresultErrorMessage(result).map { text.shown(String(cString: $0)) } ?? ""
        self.init(
            state.map { Kind(sqlState: $0, message: message ?? "") } ?? .other, message.map(text.shown) ?? words,
            hint: field(GARNER_FIELD_HINT).map(text.shown), sqlState: state, schema: field(GARNER_FIELD_SCHEMA),
            table: field(GARNER_FIELD_TABLE), column: field(GARNER_FIELD_COLUMN),
            constraint: field(GARNER_FIELD_CONSTRAINT))
    }
}
