/// Reads the value of a `Link` field (RFC 8288, 3), leniently where servers are: what is no link is skipped.
struct LinkHeader {
    struct Link: Equatable {
        /// As written between `<` and `>`.
        let target: String
        /// In lower case.
        let relations: [String]
    }

    /// The links whose context is the page itself, in order.
    static func links(in value: String) -> [Link] {
        var reader = LinkHeader(rest: value[...])
        var links: [Link] = []
        while let link = reader.nextLink() { links += link.hasAnchor ? [] : [link.link] }
        return links
    }

    /// Whether what is no link, but stands where one should, has this relation, which is given in lower case.
    static func isBroken(_ relation: String, in value: String) -> Bool {
        var reader = LinkHeader(rest: value[...])
        while reader.nextLink() != nil {}
        while let mark = reader.rest.firstIndex(of: ";") {
            reader.rest = reader.rest[mark...]
            while let (name, value) = reader.nextParameter() {
                if name == "rel", relations(in: value).contains(relation) { return true }
            }
        }
        return false
    }

    private var rest: Substring

    private mutating func nextLink() -> (link: Link, hasAnchor: Bool)? {
        guard let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") else { return nil }
        let target = rest[rest.index(after: open)..<close]
        rest = rest[rest.index(after: close)...]
        var relations: [String]?
        var hasAnchor = false
        while let (name, value) = nextParameter() {
            // “The rel parameter … MUST NOT appear more than once …; occurrences after the first MUST be ignored”.
            if name == "rel", relations == nil {
                relations = Self.relations(in: value)
            }
            if name == "anchor" { hasAnchor = true }
        }
        return (Link(target: String(target), relations: relations ?? []), hasAnchor)
    }

    private static func relations(in value: String) -> [String] {
        value.lowercased().split(whereSeparator: isBlank).map(String.init)
    }

    /// nil at the comma or the end behind a link.
    private mutating func nextParameter() -> (name: String, value: String)? {
        while true {
            rest = rest.drop { Self.isBlank($0) }
            guard rest.first == ";" else { return nil }
            rest = rest.dropFirst().drop { Self.isBlank($0) }
            let name = rest.prefix { !";,=".contains($0) && !Self.isBlank($0) }
            rest = rest[name.endIndex...].drop { Self.isBlank($0) }
            guard rest.first == "=" else {
                if name.isEmpty { continue }
                return (name.lowercased(), "")
            }
            rest = rest.dropFirst().drop { Self.isBlank($0) }
            return (name.lowercased(), rest.first == "\"" ? quotedValue() : token())
        }
    }

    private mutating func token() -> String {
        let token = rest.prefix { !";,".contains($0) && !Self.isBlank($0) }
        rest = rest[token.endIndex...]
        return String(token)
    }

    private mutating func quotedValue() -> String {
        var value = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
            value.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return value
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
