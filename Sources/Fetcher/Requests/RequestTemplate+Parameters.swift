import GarnerCatalog

extension RequestTemplate {
    /// The parameters with their values as they are written, those in the path first.
    var writtenParameters: [(name: String, text: String)] {
        let query = path.firstIndex(of: "?").map { String(path[$0...].dropFirst()) }
        let own = WebAddress(scheme: "https", authority: "", path: "", query: query).parameters
        return own.map { (name: $0.name, text: $0.value) }
            + params.compactMap { parameter in parameter.value.literal.map { (name: parameter.name, text: $0) } }
    }
}
