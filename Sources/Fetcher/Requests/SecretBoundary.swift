import Catalog

/// Where a stream's secrets may go: to the origin of its base URL, and into no URL that is kept or sent elsewhere.
struct SecretBoundary: Sendable {
    private let start: WebAddress
    private let parameterNames: Set<String>
    /// The body as the configuration writes it in the open.
    private let openBody: String
    private let redaction: Redaction

    init(_ template: RequestTemplate, start: WebAddress, redaction: Redaction) {
        self.start = start
        self.redaction = redaction
        openBody = template.body.map { "\($0.withoutSecrets)" } ?? ""
        parameterNames = Set(template.secretParameters.map(\.name))
    }

    func isInside(_ address: WebAddress) -> Bool { address.origin == start.origin }

    /// The address without the secrets that a server repeats in it, under names of its own too; nil where one remains.
    func withoutSecrets(_ target: WebAddress) -> WebAddress? {
        let address = target.removingParameters { name, value in
            parameterNames.contains(name) || (redaction.isSecret(value) && start.value(of: name) != value)
        }
        // What the configuration writes in the open may be repeated in the open.
        return redaction.mentionsSecret("\(address)", except: "\(start)") ? nil : address
    }

    /// Whether a server has repeated a secret in what the body of the next request is made from.
    func mentionsSecret(_ body: BodyValue) -> Bool { redaction.mentionsSecret("\(body)", except: openBody) }
}
