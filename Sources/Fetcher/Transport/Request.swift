package import Catalog

/// A GET request before it is sent; secrets in it are still secrets.
package struct Request: Sendable, CustomStringConvertible {
    /// Without any secret.
    var address: WebAddress
    /// Parameters that are added only when the request is sent.
    var secretParameters: [RequestTemplate.Parameter] = []
    package var headers: [RequestTemplate.Parameter]
    /// Whether the connection may lead to this machine or into a private network.
    package var mayReachPrivateNetwork = false

    /// The URL to send, secrets included.
    package func revealedURL() -> String {
        secretParameters.reduce(address) { $0.setting($1.name, to: $1.value.reveal()) }.description
    }

    package var description: String { "GET \(address)" }
}
