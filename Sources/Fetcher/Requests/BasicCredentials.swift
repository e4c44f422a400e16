import GarnerCatalog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The user name and password that the `Authorization` field carries (RFC 7617).
struct BasicCredentials: Equatable, Sendable {
    let username: ConfiguredText
    let password: Secret

    var encoded: Secret {
        Secret(Data("\(username.reveal()):\(password.reveal())".utf8).base64EncodedString())
    }
}
