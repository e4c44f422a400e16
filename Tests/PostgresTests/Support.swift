import GarnerLibC
@testable import GarnerPostgres
import PostgresCluster
import Testing

/// Opens a connection to the server that all tests share.
func connection(user: String = PostgresCluster.superuser) async throws -> PostgresConnection {
    try await PostgresConnection.open(PostgresURL(PostgresCluster.shared().socketURL(user: user)))
}

/// A schema of a test's own, in which its connections work.
struct Workplace {
    let name = "t" + PostgresUUID.random().description.filter { $0 != "-" }
    let connection: PostgresConnection

    init() async throws {
        connection = try await PostgresTests.connection()
        try await connection.execute("CREATE SCHEMA \(name)")
        try await connection.execute("SET search_path = \(name)")
    }

    func another() async throws -> PostgresConnection {
        let other = try await PostgresTests.connection()
        try await other.execute("SET search_path = \(name)")
        return other
    }
}

/// The error that `body` throws; nil where it throws none, or one of another type.
func postgresError(_ body: () async throws -> Void) async -> PostgresError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// A loopback port that takes connections and says nothing.
final class SilentPort: Sendable {
    let number: Int
    private let descriptor: Int32

    init() throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
        number = Int(in_port_t(bigEndian: address.sin_port))
        try #require(isBound && listen(descriptor, 8) == 0)
    }

    deinit { close(descriptor) }

    /// Waits until somebody has connected.
    func waitForConnection() async throws {
        while true {
            var waits = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&waits, 1, 0) == 1 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
