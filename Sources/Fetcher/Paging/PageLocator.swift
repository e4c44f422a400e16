import Catalog

/// What a page is asked for with: a URL and, with POST, a JSON body; neither holds a secret.
struct PageLocator: Equatable {
    var address: WebAddress
    /// nil for a GET request.
    var body: BodyValue?

    /// As text; nil where there is none.
    func value(of place: ParameterPlace) -> String? {
        switch place {
        case .query(let name): address.value(of: name)
        case .body(let place): body?.value(at: place)?.plainText
        }
    }

    func setting(_ place: ParameterPlace, to value: BodyValue) -> PageLocator {
        var changed = self
        switch place {
        case .query(let name): changed.address = address.setting(name, to: value.plainText ?? "")
        case .body(let place): changed.body = body?.setting(place, to: value)
        }
        return changed
    }

    func setting(_ place: ParameterPlace, to number: Int) -> PageLocator { setting(place, to: .number("\(number)")) }
}

extension BodyValue {
    /// A text, or a number as it is spelled.
    fileprivate var plainText: String? {
        switch self {
        case .text(.literal(let text)), .number(let text): text
        case .null, .flag, .text(.secret), .array, .object: nil
        }
    }
}

extension PageLocator {
    /// nil where the position's texts are none.
    init?(_ position: PagePosition) {
        guard let address = WebAddress(position.url) else { return nil }
        let body = position.body.map { BodyValue(json: $0) }
        if case .some(.none) = body { return nil }
        self.init(address: address, body: body ?? nil)
    }
}
