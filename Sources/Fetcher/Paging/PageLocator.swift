import Catalog

extension PageLocator {
    /// Returns nil if the position's URL or body cannot be parsed.
    init?(_ position: PagePosition) {
        guard let address = WebAddress(position.url) else { return nil }
        let body = position.body.map { BodyValue(json: $0) }
        if case .some(.none) = body { return nil }
        self.init(address: address, body: body ?? nil)
    }
}

extension PageLocator {
    /// The page size that the request asks for; nil if it names none.
    var limit: Int? { number { ParameterRole.isSize($0) } }

    /// The page number that the request asks for.
    var page: Int? { number { ParameterRole.isPage($0) } }

    /// The number of records that the request skips.
    var offset: Int? { number { ParameterRole.isOffset($0) } }

    /// Returns the name of the first numeric parameter that matches, as it is written.
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
