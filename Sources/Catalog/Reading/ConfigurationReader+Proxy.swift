internal import Yams

extension ConfigurationReader {
    static let proxyFields = [
        Field("url", .text, "The proxy's address, such as http://proxy.example:3128.", isRequired: true),
        Field("username", .secret, "Who uses the proxy."),
        Field("password", .secret, "The user's password."),
    ]

    private static let proxyExample = "write a URL such as http://proxy.example:3128"

    /// Messages never show the URL: it may hold a password.
    func proxy(_ value: YAMLValue) -> ProxySetting? {
        if value.node.mapping != nil { return proxyServer(value) }
        guard let text = value.text(hint: "write none, environment, or \(Self.proxyExample)") else { return nil }
        switch text {
        case "none": return ProxySetting.none
        case "environment": return .environment
        default:
            guard text.contains("://") else {
                let meant = Suggestion.closest(to: text, among: ["none", "environment"])
                value.fail(
                    "'\(value.name)' is neither none, environment nor a URL",
                    hint: meant.map { "did you mean '\($0)'?" } ?? Self.proxyExample)
                return nil
            }
            return proxyAddress(value).map { .server(address: $0, username: nil, password: nil) }
        }
    }

    private func proxyServer(_ value: YAMLValue) -> ProxySetting? {
        guard let mapping = value.mapping() else { return nil }
        mapping.expect(Self.proxyFields)
        let address = mapping.required("url", hint: "add 'url: http://proxy.example:3128'").flatMap(proxyAddress)
        let username = mapping["username"].map(userName)
        let password = mapping["password"].map { secret($0, isHeader: false) }
        if let value = mapping["password"], mapping["username"] == nil {
            value.fail("'\(value.name)' needs a user", hint: "add 'username: …'")
        }
        guard let address else { return nil }
        return .server(address: address, username: username ?? nil, password: password ?? nil)
    }

    private func proxyAddress(_ value: YAMLValue) -> WebAddress? {
        guard let text = value.text(hint: Self.proxyExample) else { return nil }
        if text.contains("://"), !text.lowercased().hasPrefix("http://") {
            value.fail("'\(value.name)' is no HTTP proxy", hint: "write http://…; https goes through it too")
            return nil
        }
        let userHint = "write proxy: { url: …, username: …, password: … }"
        guard let url = absoluteURL(text, of: value, example: Self.proxyExample, userHint: userHint),
            let address = WebAddress(url.text)
        else { return nil }
        guard address.path == "/" else {
            value.fail("'\(value.name)' holds a path", hint: Self.proxyExample)
            return nil
        }
        return address
    }
}
