package import Catalog
import Digest

/// A request before it is sent; secrets in it are still secrets.
package struct Request: Sendable, CustomStringConvertible {
    package var method: RequestTemplate.Method = .get
    /// Without any secret.
    var address: WebAddress
    /// Parameters that are added only when the request is sent.
    var secretParameters: [RequestTemplate.Parameter] = []
    package var headers: [RequestTemplate.Parameter]
    package var body: RequestBody?
    /// What a file may be, as in `image/*`; nil: a document is asked for.
    var fileTypes: [String]?
    /// Of what is stored of this page: the answer may be that it has not changed.
    var validator: Validator?
    /// Of the body that is stored of this page: the same again need not be parsed.
    var fingerprint: Fingerprint?
    /// What the layers note of the request.
    let trace: RequestTrace
    /// Whether the connection may lead to this machine or into a private network.
    package var mayReachPrivateNetwork = false

    /// The URL to send, secrets included.
    package func revealedURL() -> String {
        secretParameters.reduce(address) { $0.setting($1.name, to: $1.value.reveal()) }.description
    }

    package var host: String { address.host }

    /// Whether the URL names the address to connect to, rather than a name that stands for some.
    package var namesItsAddress: Bool { IPAddress(address.host) != nil }

    init(
        address: WebAddress, headers: [RequestTemplate.Parameter], validator: Validator? = nil, trace: RequestTrace
    ) {
        self.address = address
        self.headers = headers
        self.validator = validator
        self.trace = trace
        if let condition = validator?.condition {
            self.headers.append(.init(name: condition.name, value: .literal(condition.value)))
        }
    }

    package var description: String { "\(method.rawValue) \(address)" }
}
