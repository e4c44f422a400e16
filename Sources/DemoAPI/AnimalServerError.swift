import Foundation
import NIOCore

/// Why the animals' server did not start.
package enum AnimalServerError: Error, Equatable, CustomStringConvertible {
    case portOutOfRange(Int)
    case portInUse(Int)
    /// Ports below 1024 often need privileges.
    case portForbidden(Int)
    case cannotListen(port: Int, reason: String)

    init(_ cause: any Error, port: Int) {
        switch (cause as? IOError)?.errnoCode {
        case EADDRINUSE: self = .portInUse(port)
        case EACCES: self = .portForbidden(port)
        default: self = .cannotListen(port: port, reason: "\(cause)")
        }
    }

    package var description: String {
        switch self {
        case .portOutOfRange(let port): "\(port) is not a port: a port is a number from 0 to 65535"
        case .portInUse(let port): "port \(port) of 127.0.0.1 is in use by another program"
        case .portForbidden(let port): "this user may not listen on port \(port) of 127.0.0.1"
        case .cannotListen(let port, let reason): "cannot listen on port \(port) of 127.0.0.1: \(reason)"
        }
    }
}
