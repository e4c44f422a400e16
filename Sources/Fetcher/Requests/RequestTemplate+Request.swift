import Catalog

extension RequestTemplate {
    /// Base URL, path and parameters, without those that hold secrets.
    func address() throws(FetchError.Kind) -> WebAddress {
        guard let base = WebAddress(baseURL) else {
            throw .misconfigured(reason: "base_url is not an http or https URL without user and password")
        }
        return params.filter { !$0.value.isSecret }.reduce(base.appending(path)) {
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
