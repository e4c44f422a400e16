import Catalog

extension PageLocator {
    /// nil where the position's texts are none.
    init?(_ position: PagePosition) {
        guard let address = WebAddress(position.url) else { return nil }
        let body = position.body.map { BodyValue(json: $0) }
        if case .some(.none) = body { return nil }
        self.init(address: address, body: body ?? nil)
    }
}

extension PageLocator {
    /// How many records the request asks for on a page; nil where it does not say.
    var limit: Int? { number { ParameterRole.isSize($0) } }

    /// The number of the page that the request asks for.
    var page: Int? { number { ParameterRole.isPage($0) } }

    /// How many records the request skips.
    var offset: Int? { number { ParameterRole.isOffset($0) } }

    /// The name of the parameter, as it is written.
    func name(where isMeant: (String) -> Bool) -> String? { numbers.first { isMeant($0.name) }?.name }

    private func number(where isMeant: (String) -> Bool) -> Int? { numbers.first { isMeant($0.name) }?.value }

    private var numbers: [(name: String, value: Int)] {
        var found = address.parameters.compactMap { name, value in Int(value).map { (name: name, value: $0) } }
        if case .object(let members) = body {
            for member in members {
                guard case .number(let text) = member.value, let value = Int(text) else { continue }
                found.append((name: member.name, value: value))
            }
        }
        return found
    }
}
