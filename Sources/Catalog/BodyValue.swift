package import GarnerJSON

/// The template of a request's body: a JSON value, a mapping that is sent as a form, or one text. Its texts may hold
/// placeholders or be secrets.
package indirect enum BodyValue: Sendable, Equatable {
    case null
    case flag(Bool)
    /// The number as JSON spells it.
    case number(String)
    case text(ConfiguredText)
    case array([BodyValue])
    /// The members in the order of the file, each name once.
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: BodyValue

        package init(name: String, value: BodyValue) {
            self.name = name
            self.value = value
        }
    }
}

package enum BodyFormat: String, Sendable {
    case json
    /// `application/x-www-form-urlencoded`, as an HTML form sends it.
    case form
    /// The text as it is.
    case text = "body"

    /// The media type of the body, unless a header names another one.
    package var mediaType: String {
        switch self {
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        case .text: "text/plain; charset=utf-8"
        }
    }
}

/// A member in a request's JSON body or form, as a JSONPath of names: `$.page.cursor`.
package struct BodyPlace: Sendable, Equatable {
    /// The names from the root to the member, at least one.
    package let names: [String]

    /// Returns nil for any other path.
    package init?(_ path: String) {
        // Without a regular expression, whose compilation would take a fifth of the time of a short command.
        guard path.utf8.starts(with: "$.".utf8) else { return nil }
        let names = path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).dropFirst()
        guard names.allSatisfy(Self.isName) else { return nil }
        self.names = names.map { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 9535, 2.5.1.1: member-name-shorthand = name-first *name-char
    private static func isName(_ name: Substring.UTF8View) -> Bool {
        func isFirst(_ byte: UInt8) -> Bool {
            PercentEncoding.isLetter(byte) || byte == UInt8(ascii: "_") || byte >= 0x80
        }
        return name.first.map(isFirst) == true && name.allSatisfy { isFirst($0) || PercentEncoding.isDigit($0) }
    }

    /// Returns true if the place can be set without replacing a value other than an object.
    func fits(into body: BodyValue) -> Bool {
        var value: BodyValue? = body
        for name in names {
            guard let present = value else { return true }
            guard case .object(let members) = present else { return false }
            value = members.first { $0.name == name }?.value
        }
        return true
    }
}

extension BodyValue {
    /// Returns this value with its placeholders filled in; nil if the whole value is left out.
    ///
    /// - Parameter fill: returns the value for a template, or nil to leave out the member or element that holds it.
    package func filled<Failure: Error>(
        _ fill: (Template) throws(Failure) -> BodyValue?
    ) throws(Failure) -> BodyValue? {
        switch self {
        case .null, .flag, .number, .text(.secret): return self
        case .text(.literal(let text)): return try fill(Template(text))
        case .array(let values):
            var filled: [BodyValue] = []
            for value in values { try filled += value.filled(fill).map { [$0] } ?? [] }
            return .array(filled)
        case .object(let members):
            var filled: [Member] = []
            for member in members {
                guard let value = try member.value.filled(fill) else { continue }
                filled.append(Member(name: member.name, value: value))
            }
            return .object(filled)
        }
    }
}

extension BodyValue {
    package func value(at place: BodyPlace) -> BodyValue? {
        place.names.reduce(self as BodyValue?) { value, name in value?.member(name) }
    }

    /// Returns this value with another one at the place. Values on the way that are not objects become objects.
    package func setting(_ place: BodyPlace, to value: BodyValue) -> BodyValue {
        setting(place.names[...], to: value)
    }

    private func setting(_ names: ArraySlice<String>, to value: BodyValue) -> BodyValue {
        guard let name = names.first else { return value }
        var members: [Member] = if case .object(let members) = self { members } else { [] }
        let changed = (member(name) ?? .object([])).setting(names.dropFirst(), to: value)
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = changed
        } else {
            members.append(Member(name: name, value: changed))
        }
        return .object(members)
    }

    package func member(_ name: String) -> BodyValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension BodyValue {
    /// This value with null for each secret, to be stored.
    package var withoutSecrets: BodyValue {
        switch self {
        case .text(.secret): .null
        case .null, .flag, .number, .text(.literal): self
        case .array(let values): .array(values.map(\.withoutSecrets))
        case .object(let members):
            .object(members.map { Member(name: $0.name, value: $0.value.withoutSecrets) })
        }
    }

    package var secrets: [Secret] {
        switch self {
        case .text(.secret(let secret)): [secret]
        case .null, .flag, .number, .text(.literal): []
        case .array(let values): values.flatMap(\.secrets)
        case .object(let members): members.flatMap(\.value.secrets)
        }
    }

    /// Returns the text to be sent.
    ///
    /// - Parameter template: the value that has secrets in the places where this value has null.
    package func revealed(as format: BodyFormat, withSecretsOf template: BodyValue?) -> Secret {
        switch format {
        case .json: Secret(text(withSecretsOf: template) { $0.reveal() }.text)
        case .form: Secret(fields(template).map(PercentEncoding.formField).joined(separator: "&"))
        case .text: Secret(sentText(template) ?? "")
        }
    }

    /// Returns the names and values of a form. A list gives a field for each of its elements. A secret of which nothing
    /// is known gives none.
    private func fields(_ template: BodyValue?) -> [(name: String, value: String)] {
        guard case .object(let members) = self else { return [] }
        return members.flatMap { member -> [(name: String, value: String)] in
            let template = template?.member(member.name)
            guard case .array(let values) = member.value else {
                return member.value.sentText(template).map { [(member.name, $0)] } ?? []
            }
            let templates: [BodyValue] = if case .array(let templates)? = template { templates } else { [] }
            return values.indices.compactMap { index in
                let template = templates.indices.contains(index) ? templates[index] : nil
                return values[index].sentText(template).map { (member.name, $0) }
            }
        }
    }

    /// Returns a text, or the spelling of a number or flag; the template's secret for null.
    private func sentText(_ template: BodyValue?) -> String? {
        switch (self, template) {
        case (.null, .text(.secret(let secret))?): secret.reveal()
        case (.text(let text), _): text.reveal()
        case (.number(let number), _): number
        case (.flag(let flag), _): "\(flag)"
        case (.null, _), (.array, _), (.object, _): nil
        }
    }

    /// Returns the body for people, with `***` for the secrets that the template has in the places where this value has null.
    package func shown(withSecretsOf template: BodyValue?) -> String {
        text(withSecretsOf: template) { "\($0)" }.text
    }

    private func text(withSecretsOf template: BodyValue?, _ spelling: (Secret) -> String) -> JSONText {
        switch (self, template) {
        case (.null, .text(.secret(let secret))?): .string(spelling(secret))
        case (.array(let values), .array(let templates)?) where values.count == templates.count:
            .array(zip(values, templates).map { $0.text(withSecretsOf: $1, spelling) })
        case (.object(let members), _):
            .object(members.map { ($0.name, $0.value.text(withSecretsOf: template?.member($0.name), spelling)) })
        default: json
        }
    }

    /// The value as JSON, with `***` for secrets.
    package var json: JSONText {
        switch self {
        case .null: .null
        case .flag(let flag): .bool(flag)
        case .number(let number): .verbatim(number)
        case .text(let text): .string(text.description)
        case .array(let values): .array(values.map(\.json))
        case .object(let members): .object(members.map { ($0.name, $0.value.json) })
        }
    }
}

extension BodyValue: CustomStringConvertible {
    /// The value as JSON without spaces, with `***` for secrets.
    package var description: String { json.text }

    /// All texts without secrets, at any depth.
    var literals: [String] {
        switch self {
        case .null, .flag, .number, .text(.secret): []
        case .text(.literal(let text)): [text]
        case .array(let values): values.flatMap(\.literals)
        case .object(let members): members.flatMap(\.value.literals)
        }
    }
}
