import Catalog

extension RequestTemplate {
    /// Where the request goes, and what it carries, for these values of its placeholders; without secrets.
    ///
    /// A parameter or member that holds `{incremental.start_value}` is left out while nothing was read yet.
    func locator(filledWith bindings: Bindings) throws(FetchError.Kind) -> PageLocator {
        let path = Template(path)
        let link = try link(at: path, with: bindings)
        let written = link == nil ? path : Template(parts: Array(path.parts.dropFirst()))
        let pathText = try filled(written, with: bindings, encoding: PercentEncoding.encoded) { value in
            // Such a segment names another place than the one that is meant, however it is encoded.
            ["", ".", ".."].contains(value) ? "it would make \(self.path) another path" : nil
        }
        guard let pathText else { throw .misconfigured(reason: "'path' needs a value for {incremental.start_value}") }
        let start =
            if let link { pathText.isEmpty ? link : link.appending(pathText) } else { try address(at: pathText) }
        var locator = PageLocator(address: start, body: nil)
        for parameter in params {
            guard case .literal(let text) = parameter.value,
                let value = try filled(Template(text), with: bindings)
            else { continue }
            locator.address = locator.address.appending(parameter: parameter.name, value: value)
        }
        locator.body = try body?.withoutSecrets.filled { template throws(FetchError.Kind) in
            try filled(template, with: bindings)
        }
        return locator
    }

    /// Returns the URL from the parent's record that a path begins with; nil if it begins otherwise.
    private func link(at path: Template, with bindings: Bindings) throws(FetchError.Kind) -> WebAddress? {
        guard case .placeholder(.parent(let field)) = path.parts.first, let value = bindings[.parent(field)],
            ["http://", "https://"].contains(where: { value.lowercased().hasPrefix($0) })
        else { return nil }
        guard let address = WebAddress(value) else {
            throw .unusableValue(of: "parent.\(field)", value: value, reason: "it is no URL that can be asked for")
        }
        return address
    }

    /// nil where nothing was read yet that the text could begin with.
    private func filled(
        _ template: Template, with bindings: Bindings, encoding: (String) -> String = { $0 },
        problem: (String) -> String? = { _ in nil }
    ) throws(FetchError.Kind) -> String? {
        for placeholder in template.placeholders {
            guard let value = bindings[placeholder] else {
                if placeholder == .incrementalStart { return nil }
                throw .misconfigured(reason: "nothing is known to fill \(placeholder) with")
            }
            if let problem = problem(value) {
                throw .unusableValue(of: placeholder.name, value: value, reason: problem)
            }
        }
        return template.filled({ bindings[$0] }, encoding: encoding)
    }

    /// Base URL and path, without parameters.
    private func address(at path: String) throws(FetchError.Kind) -> WebAddress {
        guard let base = WebAddress(baseURL) else {
            throw .misconfigured(reason: "base_url is not an http or https URL without user and password")
        }
        return base.appending(path)
    }

    /// What the configuration says of all its requests: base URL, path and parameters, without those that hold secrets.
    func address() throws(FetchError.Kind) -> WebAddress {
        params.filter { !$0.value.isSecret }.reduce(try address(at: path)) {
            $0.appending(parameter: $1.name, value: $1.value.reveal())
        }
    }

    /// The configured header fields that are no secrets, and those that every request has.
    var openHeaders: [Parameter] {
        let hasAccept = headers.contains { $0.name.lowercased() == "accept" }
        return headers.filter { !$0.value.isSecret }
            + (hasAccept ? [] : [Parameter(name: "Accept", value: .literal("application/json, */*;q=0.1"))])
    }
}
