/// The template from which every request of a stream is made.
///
/// The path, the parameters, headers and texts of the body may hold placeholders (see `Template`), unless they are secrets.
package struct RequestTemplate: Sendable {
    package var method: Method
    /// An absolute `http` or `https` URL that ends with `/`, or with the last path segment as written.
    package var baseURL: String
    /// The path that is appended to the one of `baseURL`, even if it begins with `/`; empty for `baseURL` itself. It
    /// may have a query, as in `location/?limit=100`.
    package var path: String { didSet { pathTemplate = Template(path) } }
    /// The path in its parts. Each slice fills it in.
    package private(set) var pathTemplate: Template
    /// The secrets in `baseURL` and `path`, in which asterisks stand for them (see `HiddenURL`).
    package var urlSecrets: [Secret] = []
    /// The query parameters in the order of the file. They follow the path's own query. A parameter with several values
    /// is in the list once for each of them.
    package var params: [Parameter]
    package var headers: [Parameter]
    package var authentication: Authentication
    package var body: BodyValue?
    package var bodyFormat = BodyFormat.json

    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
    }

    package struct Parameter: Sendable, Equatable {
        package var name: String
        package var value: ConfiguredText

        package init(name: String, value: ConfiguredText) {
            self.name = name
            self.value = value
        }
    }

    package init(
        baseURL: String, path: String, params: [Parameter] = [], headers: [Parameter] = [],
        authentication: Authentication = .none, method: Method = .get, body: BodyValue? = nil
    ) {
        self.method = method
        self.baseURL = baseURL
        self.path = path
        pathTemplate = Template(path)
        self.params = params
        self.headers = headers
        self.authentication = authentication
        self.body = body
    }
}

extension RequestTemplate {
    /// True if the URL alone says what is asked for. The body of a GET has no meaning in HTTP (RFC 9110, 9.3.1), so that a
    /// validator may be that of another body.
    package var asksByURL: Bool { method == .get && body == nil }

    /// The placeholders in the path, the parameters, the headers and the body.
    package var placeholders: Set<Template.Placeholder> {
        let texts = [path] + (params + headers).compactMap(\.value.literal) + (body?.literals ?? [])
        return Set(texts.flatMap { Template($0).placeholders })
    }

    /// The place of the page, if placeholders name it; nil if there is none.
    package var pagePlace: ParameterPlace? {
        func holdsPage(_ text: String) -> Bool { Template(text).placeholders.contains(where: \.isPage) }
        let isOutside = ([path] + (params + headers).compactMap(\.value.literal)).contains(where: holdsPage)
        let members = (body?.literals ?? []).filter(holdsPage)
        guard isOutside || !members.isEmpty else { return nil }
        return .placeholder(
            takesAnyValue: !isOutside && bodyFormat == .json && members.allSatisfy { Template($0).isPage })
    }

    /// The parameters and the body as they are written: with their placeholders, and without secrets.
    package var written: PageLocator {
        let query = path.firstIndex(of: "?").map { String(path[$0...].dropFirst()) }
        let start = WebAddress(scheme: "https", authority: "", path: "", query: query)
        let address = params.reduce(start) { address, parameter in
            parameter.value.literal.map { address.appending(parameter: parameter.name, value: $0) } ?? address
        }
        return PageLocator(address: address, body: body?.withoutSecrets)
    }

    /// The fields of the parent's record among the placeholders, sorted.
    package var parentFields: [String] {
        placeholders.compactMap { if case .parent(let field) = $0 { field } else { nil } }.sorted()
    }
}

extension RequestTemplate {
    /// The end of the words on a header `Authorization` whose value is one word.
    package static let withoutScheme = ", without a scheme before its value"

    /// The credentials that the requests carry, in words and without secrets; nil if there are none.
    package var credentials: String? {
        func isSecret(_ parameter: Parameter) -> Bool { parameter.value.literal == nil }
        return switch authentication {
        case .bearer: "the token of 'auth' (Authorization: Bearer …)"
        case .apiKey(let name, .header, _): "the key of 'auth' (the header '\(name)')"
        case .apiKey(let name, .query, _): "the key of 'auth' (the parameter '\(name)')"
        case .basic: "the name and password of 'auth' (Authorization: Basic …)"
        case .oauth2(let client): "the token from \(client.tokenURL.host) (Authorization: Bearer …), and its scopes"
        case .command(let command): "the token that \(command.words.first ?? "the command") printed"
        case .session: "the login of 'auth'"
        case .none:
            headers.first(where: isSecret).map {
                "the header '\($0.name)'" + ($0.isBareToken ? Self.withoutScheme : "")
            }
                ?? params.first(where: isSecret).map { "the parameter '\($0.name)'" }
                ?? (urlSecrets.isEmpty ? nil : "the secret in the URL")
        }
    }
}

extension RequestTemplate.Parameter {
    /// True for a header `Authorization` whose value has no scheme before it.
    fileprivate var isBareToken: Bool { name.lowercased() == "authorization" && !value.reveal().contains(" ") }
}

extension ConfiguredText {
    /// The text; nil if it is a secret.
    package var literal: String? {
        if case .literal(let text) = self { text } else { nil }
    }
}

/// The syntax of header fields (RFC 9110, 5.5 and 5.6.2).
package enum HeaderSyntax {
    package static func isName(_ text: String) -> Bool {
        let areAllowed = text.utf8.allSatisfy { byte in
            PercentEncoding.isLetter(byte) || PercentEncoding.isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        return areAllowed && !text.isEmpty
    }

    /// Returns true if the text has no control characters. A line break would end the field and begin another one.
    package static func isValue(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { ($0.value >= 0x20 || $0 == "\t") && $0.value != 0x7F }
    }
}
