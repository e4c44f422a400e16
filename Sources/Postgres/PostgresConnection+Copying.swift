internal import CGarnerPostgres

extension PostgresConnection {
    /// Copies rows into a table. Returns how many.
    ///
    ///     let count = try await connection.copy("COPY animals (id, name) FROM STDIN (FORMAT binary)") { rows in
    ///         guard let animal = animals.next() else { return false }
    ///         rows.beginRow(columns: 2)
    ///         rows.append(animal.id)
    ///         try rows.append(animal.name)
    ///         return true
    ///     }
    ///
    /// `fill` runs where the caller does. It appends a row or a few, until it returns false. What it has appended is sent as soon as
    /// it is worth it, and `fill` waits while the server does not keep up. If it throws, nothing is stored; the transaction has failed,
    /// as after each error of the server.
    package nonisolated(nonsending) func copy(
        _ sql: String, _ fill: (inout CopyRows) async throws -> Bool
    ) async throws -> Int {
        try await beginCopy(sql)
        do {
            var rows = CopyRows()
            while try await fill(&rows) {
                if rows.isFull { try await sendCopy(rows.take()) }
            }
            rows.end()
            try await sendCopy(rows.take())
            return try await endCopy(rows.count)
        } catch {
            // The server stores nothing of rows that break off.
            if Task.isCancelled { await close() }
            // Its own error, which is thrown already, or its word that it stored nothing.
            _ = try? await endCopy(0, because: "the rows ended early")
            // Nothing else can be done with a copy that does not end.
            if await isCopying { await close() }
            throw error
        }
    }

    private func beginCopy(_ sql: String) async throws {
        try await whileCancellable {
            try self.send(sql, Parameters([]))
            _ = try self.result(mayCopy: true)
            guard self.isCopying else { throw PostgresError(.other, "the statement is no COPY … FROM STDIN") }
        }
    }

    /// Sends a part of the rows. Returns when the system has taken it, which is when the server keeps up.
    private func sendCopy(_ bytes: [UInt8]) async throws {
        try await whileCancellable {
            let handle = try self.openHandle
            // libpq copies what it is given, so it is given little.
            for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
                let piece = bytes[start..<min(start + 64 << 10, bytes.count)]
                let code = piece.withUnsafeBytes { piece in
                    guard let start = piece.baseAddress?.assumingMemoryBound(to: CChar.self) else { return Int32(1) }
                    return handle.libpq.pointee.PQputCopyData(handle.pointer, start, Int32(piece.count))
                }
                guard code == 1, try self.flush() else {
                    self.isCopying = false
                    _ = try self.result()
                    throw self.lost()
                }
            }
        }
    }

    /// Ends the rows. Returns how many the server has stored.
    ///
    /// - Parameters:
    ///   - rows: How many there were.
    ///   - reason: Why none of them is to be stored; the server then fails with it. nil if all is well.
    private func endCopy(_ rows: Int, because reason: String? = nil) async throws -> Int {
        try await whileCancellable {
            let handle = try self.openHandle
            guard self.isCopying else { return 0 }
            self.isCopying = false
            _ = handle.libpq.pointee.PQputCopyEnd(handle.pointer, reason)
            return try self.result(ofRows: rows).count
        }
    }
}
