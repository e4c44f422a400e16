import GarnerLibC
package import GarnerModel
import NIOCore

/// A reason why the dashboard does not listen.
package enum ListenError: FailureConvertible, Equatable {
    case inUse(ListenAddress)
    case forbidden(ListenAddress)
    case other(ListenAddress, reason: String)

    init(_ cause: any Error, at address: ListenAddress) {
        switch (cause as? IOError)?.errnoCode {
        case EADDRINUSE: self = .inUse(address)
        case EACCES: self = .forbidden(address)
        default: self = .other(address, reason: "\(cause)")
        }
    }

    package var failure: RunFailure {
        switch self {
        case .inUse(let address):
            RunFailure(
                .unavailable, kind: "address_in_use", message: "another program listens on \(address)",
                hint: "choose another port with --listen")
        case .forbidden(let address):
            RunFailure(
                .noPermission, kind: "address_forbidden", message: "this user may not listen on \(address)",
                hint: "choose a port from 1024 on with --listen")
        case .other(let address, let reason):
            RunFailure(
                .unavailable, kind: "cannot_listen", message: "cannot listen on \(address): \(reason)",
                hint: "name an address of this machine with --listen, such as 127.0.0.1:8787")
        }
    }
}
