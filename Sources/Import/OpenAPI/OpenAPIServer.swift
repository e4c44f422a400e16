import GarnerCatalog

/// The base URL of a request.
struct OpenAPIServer {
    private let document: OpenAPIDocument

    init(_ document: OpenAPIDocument) { self.document = document }

    /// Returns the first server of a request, of its path or of the document; nil if only the user knows it.
    func base(of list: OpenAPIList, _ values: inout OpenAPIValues) -> String? {
        if let given = values.text("base_url") {
            if let base = valid(given) { return base }
            values.lack("base_url", "an absolute URL", example: "https://api.example.org/v1")
            return nil
        }
        let base = document.isSwagger ? swagger(list) : server(list, &values)
        if base == nil { values.lack("base_url", "the URL of the API", example: "https://api.example.org/v1") }
        return base
    }

    private func swagger(_ list: OpenAPIList) -> String? {
        guard let host = document.root["host"]?.text else { return nil }
        let schemes = (list.operation["schemes"] ?? document.root["schemes"])?.list.compactMap(\.text) ?? []
        let scheme = schemes.isEmpty || schemes.contains("https") ? "https" : "http"
        let path = document.root["basePath"]?.text ?? ""
        return valid("\(scheme)://\(host)\(path.hasPrefix("/") || path.isEmpty ? path : "/" + path)")
    }

    private func server(_ list: OpenAPIList, _ values: inout OpenAPIValues) -> String? {
        let servers = [list.operation, list.pathItem, document.root].lazy.compactMap { $0["servers"]?.list.first }
        guard let server = servers.first, let url = server["url"]?.text, let pieces = OpenAPIList.pieces(of: url) else {
            return nil
        }
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let letters): text += letters
            case .parameter(let name):
                let variable = server["variables"]?[name]
                let choice = variable?["enum"]?.list.first
                if let value = values.text(name) ?? (variable?["default"] ?? choice)?.scalarText {
                    text += value
                } else {
                    values.lack(name, "a part of the API's URL")
                }
            }
        }
        // An error on a missing part is enough.
        return values.missing.isEmpty ? valid(text) : "https://missing.invalid"
    }

    /// False for a URL without a server, and for one in which the file would have a variable or a placeholder.
    static func isPlain(_ url: String) -> Bool {
        url.prefixMatch(of: /(?i)https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(\/|\?|#|$)/) != nil
            && !url.contains { "{}$".contains($0) }
    }

    /// Returns the URL without its query; nil for one that is relative or no URL.
    private func valid(_ url: String) -> String? {
        guard OpenAPIServer.isPlain(url), var address = WebAddress(url) else { return nil }
        address.query = nil
        return "\(address)"
    }
}
