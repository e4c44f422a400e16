import Foundation
import GarnerLibC

/// A client of a Unix socket, or of a loopback port, that sends what it likes.
package final class RawClient: Sendable {
    private let descriptor: Int32

    package init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.call(connect, descriptor, path) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    package init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        let descriptor = descriptor
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return connect(descriptor, address, socklen_t(bytes.count)) == 0
        }
        guard isConnected else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends the bytes; those that the other side does not accept are lost.
    package func send(_ bytes: [UInt8]) { _ = write(descriptor, bytes, bytes.count) }

    /// Leaves, as a process that ends does.
    package func leave() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// True if something came, or the other side has hung up.
    package var hasAnswer: Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// All that comes until the other side hangs up.
    package func readToEnd() async -> String { await readAll().text }

    /// All that comes until the other side hangs up, and whether it did so by a reset.
    package func readAll() async -> (text: String, isReset: Bool) {
        await withCheckedContinuation { continuation in
            // Not on a queue, whose threads are those of the tasks. It keeps `self`, which closes what is read.
            Thread.detachNewThread { [self] in
                var bytes: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = read(descriptor, &buffer, buffer.count)
                    guard count > 0 else {
                        let isReset = count < 0 && errno == ECONNRESET
                        return continuation.resume(returning: (String(decoding: bytes, as: UTF8.self), isReset))
                    }
                    bytes += buffer.prefix(count)
                }
            }
        }
    }

    /// Leaves a socket behind that nobody listens on, as a killed service does.
    package static func leaveSocket(at path: String) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return call(bind, descriptor, path)
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ path: String
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafeBytes(of: &address) { bytes in
            guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return function(descriptor, address, socklen_t(bytes.count)) == 0
        }
    }
}
