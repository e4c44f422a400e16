import GarnerLibC

/// A loopback port that can be given up and bound again: nobody is given it by chance in between.
package enum ReusablePort {
    /// A free one below those that systems choose by themselves (Linux from 32,768 on).
    package static func find() throws -> Int {
        for _ in 0..<100 {
            if let port = try? RefusingPort(.random(in: 20_000..<32_000)) { return port.number }
        }
        throw POSIXFailure(code: EADDRINUSE)
    }
}
