import GarnerLibC

/// A loopback port that refuses connections as long as this lives: bound, so that nobody else gets it, and not listened
/// on.
public final class RefusingPort: Sendable {
    public let number: Int
    private let descriptor: Int32

    /// - Parameter port: the number to take; 0 for any.
    public init(_ port: Int = 0) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
        }
        number = Int(in_port_t(bigEndian: address.sin_port))
        guard isBound else { throw POSIXFailure(code: errno) }
    }

    deinit { close(descriptor) }
}

struct POSIXFailure: Error {
    let code: Int32
}
