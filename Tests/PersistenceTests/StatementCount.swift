import CGarnerSQLite
@testable import GarnerSQLite

extension Connection {
    /// Returns the number of statements that the connection runs in `body`.
    func statements(in body: () throws -> Void) rethrows -> Int {
        let count = Count()
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_STMT),
            { _, context, _, _ in
                if let context { Unmanaged<Count>.fromOpaque(context).takeUnretainedValue().number += 1 }
                return 0
            }, Unmanaged.passUnretained(count).toOpaque())
        defer { sqlite3_trace_v2(handle, 0, nil, nil) }
        try body()
        return withExtendedLifetime(count) { count.number }
    }
}

private final class Count {
    var number = 0
}
