import GarnerLibC
import GarnerRuntime

/// Reports the state of the service to the service manager, as sd_notify(3) describes. Does nothing without
/// one, and on Darwin.
///
/// It never waits and never fails: a manager that does not listen must not stop a schedule.
struct ServiceNotifier: ServiceObserver {
    /// The interval of signs of life; nil if the manager expects none. "The service manager will … take action
    /// when the service does not send … within": this is half of that, as sd_watchdog_enabled(3) recommends.
    let watchdogInterval: Duration?
    private let address: SocketAddress?

    init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"].flatMap(SocketAddress.init)
        watchdogInterval = address == nil ? nil : Self.interval(environment)
    }

    var isActive: Bool { address != nil }

    /// Reports that the service has started or has finished reloading.
    func ready() { send(["READY=1"]) }

    /// Reports that the service reloads its configuration. Call `ready` afterwards.
    func reloading() {
        // "a field MONOTONIC_USEC= carrying the … CLOCK_MONOTONIC … when the notification message was generated".
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        send(["RELOADING=1", "MONOTONIC_USEC=\(UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000)"])
    }

    /// Tells what the service does, in words that `systemctl status` shows.
    func tell(_ status: String) { send(["STATUS=\(status.replacing("\n", with: " "))"]) }

    func stopping() { send(["STOPPING=1"]) }

    /// Sends a sign of life. Call it at least every `watchdogInterval`.
    func alive() { send(["WATCHDOG=1"]) }

    private static func interval(_ environment: [String: String]) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 1,
            // "the service manager … $WATCHDOG_PID": a child process inherits variables that are not meant for it.
            environment["WATCHDOG_PID"].map({ pid_t($0) == getpid() }) ?? true
        else { return nil }
        return .microseconds(microseconds / 2)
    }

    private func send(_ fields: [String]) {
        #if canImport(Glibc)
            guard let address else { return }
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return }
            defer { close(descriptor) }
            let message = Array(fields.joined(separator: "\n").utf8)
            address.withPointer { pointer, length in
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), pointer,
                    length)
            }
        #endif
    }
}

/// The address of a Unix socket: a path, or an abstract name of Linux, written with `@` before it.
private struct SocketAddress: Sendable {
    private let storage: sockaddr_un
    private let length: socklen_t

    /// Returns nil if the name is neither, or is too long.
    init?(_ name: String) {
        guard let first = name.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else { return nil }
        let isAbstract = first == UInt8(ascii: "@")
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
        var address = sockaddr_un()
        guard bytes.count > 1, bytes.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        storage = address
        let head = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        // All bytes of an abstract name count, so its length must be given. A path ends with a NUL.
        length = socklen_t(head + bytes.count)
    }

    func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
