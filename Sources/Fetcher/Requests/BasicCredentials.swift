import Catalog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// User and password as the `Authorization` field carries them (RFC 7617).
struct BasicCredentials: Equatable, Sendable {
    let username: ConfiguredText
    let password: Secret

    var encoded: Secret {
        Secret(Data("\(username.reveal()):\(password.reveal())".utf8).base64EncodedString())
    }
}
