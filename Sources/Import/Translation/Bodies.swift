import GarnerModel

/// Bodies of requests.
extension StreamTranslation {
    /// The member of a requester in which a body of each kind stands, and what becomes of it.
    private enum BodyKind { case json, form, text }

    func translateBody(of requester: ManifestNode) {
        if let body = requester["request_body"], !body.isNull {
            attempt(at: body) { try translateBodyObject(body, of: requester) }
        }
        for (name, kind) in [("request_body_json", BodyKind.json), ("request_body_data", .form)] {
            guard let body = requester[name], !body.isNull else { continue }
            attempt(at: body) { try translateBody(body, as: kind, of: requester) }
        }
    }

    private func translateBodyObject(_ body: ManifestNode, of requester: ManifestNode) throws {
        guard let value = body["value"] else { return }
        switch body.type {
        case "RequestBodyJsonObject", "RequestBodyGraphQL": try translateBody(value, as: .json, of: requester)
        case "RequestBodyUrlEncodedForm": try translateBody(value, as: .form, of: requester)
        case "RequestBodyPlainText": try translateBody(value, as: .text, of: requester)
        case let type: throw LossError(.bodyTemplate, String(type.prefix(60)))
        }
    }

    private func translateBody(_ node: ManifestNode, as kind: BodyKind, of requester: ManifestNode) throws {
        let value = assuming(try value(node, of: requester), token: nil)
        guard !value.isNothing, value != .mapping([]) else { return }
        switch (kind, value) {
        case (.json, _): try translateJSON(value)
        case (_, .mapping(let members)):
            guard members.count <= Self.mostParameters else { throw LossError(.bodyTemplate, "too many members") }
            for member in members {
                attempt(at: node[member.name] ?? node) {
                    guard let value = try requestValue(member.value, at: .form(member.name)) else { return }
                    try set(value, at: .form(member.name))
                }
            }
        default:
            guard case .text(let text)? = try requestValue(value, at: nil) else { return }
            stream["body"] = .text(text)
        }
    }

    private func translateJSON(_ value: JinjaValue) throws {
        // Airbyte reads each text as a literal of Python; what a template makes is read as a whole.
        let isWhole = Self.isText(value)
        let body = try json(isWhole ? try parsed(value) : value, at: [], isRead: !isWhole)
        switch (body, stream["json"]) {
        case (nil, _): break
        case (.mapping(let members)?, .mapping(var present)?):
            // A value that a router has put there stays.
            for entry in members.entries where present[entry.key] == nil { present[entry.key] = entry.value }
            stream["json"] = .mapping(present)
        case (let body?, nil): stream["json"] = body
        default: throw LossError(.bodyTemplate, "a value beside a body that is no object")
        }
    }

    /// Returns a value of a JSON body; nil for a member that is not sent.
    ///
    /// - Parameter path: the names of the members that lead to it; nil within a list.
    /// - Parameter isRead: true if a text is read as a number where it is one.
    private func json(_ value: JinjaValue, at path: [String]?, isRead: Bool) throws -> FileValue? {
        switch value {
        case .mapping(let members):
            var mapping = FileMapping()
            guard members.count <= Self.mostParameters else { throw LossError(.bodyTemplate, "too many members") }
            for member in members {
                mapping[member.name] = try json(member.value, at: path.map { $0 + [member.name] }, isRead: isRead)
            }
            return .mapping(mapping)
        case .operation("if", _) where tokenObject(value) != value:
            return try json(tokenObject(value), at: path, isRead: isRead)
        case .list(let values): return .list(try values.map { try json($0, at: nil, isRead: isRead) ?? .null })
        case .operation("|tojson", let values):
            guard let first = values.first else { return nil }
            return try json(first, at: path, isRead: isRead)
        case .text(""): return .text("")
        case .text(let text) where isRead:
            let literal = PythonLiteral.value(of: text) ?? value
            return try json(literal, at: path, isRead: false)
        default:
            let use: TextUse = path?.last == "query" && Self.isGraphQL(value) ? .graphQL : .request
            return try requestValue(value, at: path.flatMap { $0.isEmpty ? nil : .json($0) }, for: use)
        }
    }

    /// An object that has nothing but the token, and is empty on the first page; another value as it is.
    private func tokenObject(_ value: JinjaValue) -> JinjaValue {
        guard value.holdsPageToken, assuming(value, token: false) == .mapping([]),
            case .mapping(let members) = assuming(value, token: true), members.allSatisfy(\.value.holdsPageToken)
        else { return value }
        return .mapping(members)
    }

    private static func isText(_ value: JinjaValue) -> Bool {
        switch value {
        case .mapping, .list: false
        default: true
        }
    }

    private static func isGraphQL(_ value: JinjaValue) -> Bool {
        let first: JinjaValue = if case .joined(let pieces) = value { pieces.first ?? .missing } else { value }
        let text = (first.printed ?? "").trimming { $0.isWhitespace }
        return ["{", "query", "mutation"].contains { text.hasPrefix($0) }
    }
}

/// Bodies that a template puts together as a text.
extension StreamTranslation {
    /// Reads the text of a JSON value, in which marks stand for what is known later.
    private func parsed(_ value: JinjaValue) throws -> JinjaValue {
        let pieces: [JinjaValue] = if case .joined(let pieces) = value { pieces } else { [value] }
        guard pieces.count < 1000 else { throw LossError(.bodyTemplate, "too many values") }
        let text = pieces.enumerated().map { index, piece in
            piece.isKnown ? Self.text(of: piece) : "\(Self.mark)\(index)\(Self.markEnd)"
        }.joined()
        return Self.filled(try Self.parsed(text), with: pieces)
    }

    private static func parsed(_ text: String) throws -> JinjaValue {
        guard let node = try? ManifestReader.node(of: text), node.isMapping || node.isList else {
            throw LossError(.bodyTemplate, "a text that is no JSON")
        }
        return plain(node)
    }

    private static let mark: Character = "\u{E000}"
    private static let markEnd: Character = "\u{E001}"

    /// Returns a value with the pieces in the places of their marks.
    private static func filled(_ value: JinjaValue, with pieces: [JinjaValue]) -> JinjaValue {
        switch value {
        case .list(let values): return .list(values.map { filled($0, with: pieces) })
        case .mapping(let members):
            return .mapping(members.map { .init($0.name, filled($0.value, with: pieces)) })
        case .text(let text) where text.contains(mark):
            var parts: [JinjaValue] = []
            var rest = text[...]
            while let start = rest.firstIndex(of: mark), let end = rest[start...].firstIndex(of: markEnd) {
                if start > rest.startIndex { parts.append(.text(String(rest[..<start]))) }
                let index = Int(rest[rest.index(after: start)..<end])
                parts.append(index.flatMap { pieces.indices.contains($0) ? pieces[$0] : nil } ?? .missing)
                rest = rest[rest.index(after: end)...]
            }
            if !rest.isEmpty { parts.append(.text(String(rest))) }
            return parts.count == 1 ? parts[0] : .joined(parts)
        default: return value
        }
    }
}
