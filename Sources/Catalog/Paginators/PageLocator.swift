package import GarnerJSON

/// The request of a page without secrets: a URL and, if there is one, a body.
package struct PageLocator: Sendable, Equatable {
    package var address: WebAddress
    package var body: BodyValue?
    /// The value of the page, if a placeholder stands for it. The address, the body and the header fields are made with it.
    package var pageValue: BodyValue?

    package init(address: WebAddress, body: BodyValue?) {
        self.address = address
        self.body = body
    }

    /// The body; nil if there is none, or if it is one text, in which there are no places.
    package var structuredBody: BodyValue? {
        switch body {
        case .null, .text, nil: nil
        case .flag, .number, .array, .object: body
        }
    }

    /// Returns the text that is sent at this place; nil if there is none.
    package func value(of place: ParameterPlace) -> String? {
        switch place {
        case .query(let name): address.value(of: name)
        case .body(let place): body?.value(at: place)?.plainText
        case .placeholder: pageValue?.plainText
        }
    }

    /// Returns the number that is sent at this place; nil if there is none.
    func number(at place: ParameterPlace) -> Int? { value(of: place).flatMap { Int($0) } }

    package func setting(_ place: ParameterPlace, to value: BodyValue) -> PageLocator {
        var changed = self
        switch place {
        case .query(let name): changed.address = address.setting(name, to: value.plainText ?? "")
        case .body(let place): changed.body = body?.setting(place, to: value)
        case .placeholder: changed.pageValue = value
        }
        return changed
    }

    package func setting(_ place: ParameterPlace, to number: Int) -> PageLocator {
        setting(place, to: .number("\(number)"))
    }
}

/// A place in a request that selects the page.
package enum ParameterPlace: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The parameter with that name.
    case query(String)
    case body(BodyPlace)
    /// Wherever a placeholder of the page stands. It takes an array or object if all of them are whole members of a JSON body.
    case placeholder(takesAnyValue: Bool)

    /// Reads a name of the configuration. One that begins with `$.` is a place in the body.
    package init(_ name: String) {
        self = BodyPlace(name).map { .body($0) } ?? .query(name)
    }

    package init(stringLiteral name: String) { self.init(name) }

    /// The place as the configuration names it.
    package var description: String {
        switch self {
        case .query(let name): name
        case .body(let place): "$." + place.names.joined(separator: ".")
        case .placeholder: "{page}"
        }
    }
}

extension BodyValue {
    /// The text, or the spelling of a number.
    package var plainText: String? {
        switch self {
        case .text(.literal(let text)), .number(let text): text
        case .null, .flag, .text(.secret), .array, .object: nil
        }
    }

    package init(_ node: Node) {
        self =
            switch node.kind {
            case .null: .null
            case .true: .flag(true)
            case .false: .flag(false)
            case .integer, .real, .number: .number(node.text)
            case .string: .text(.literal(node.text))
            case .array: .array(node.elements.map(BodyValue.init))
            case .object: .object(node.members.map { Member(name: $0.key.text, value: BodyValue($0.value)) })
            }
    }

    package init?(json: String) {
        guard let document = try? Document(parsing: Bytes(json.utf8)) else { return nil }
        self = document.withRoot { BodyValue($0) }
    }
}
