import GarnerLibC

/// Ends a wait in poll(2) from another thread.
final class WakePipe: Sendable {
    /// It is readable after `wake()`.
    let reader: Int32
    private let writer: Int32

    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PostgresError(.other, "no pipe for a connection: \(String(cString: strerror(errno)))")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    func wake() {
        var byte: UInt8 = 1
        // If the pipe is full, the reader wakes anyway.
        _ = write(writer, &byte, 1)
    }

    /// Takes back all calls of `wake()`.
    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reader, &bytes, bytes.count) > 0 {}
    }
}
