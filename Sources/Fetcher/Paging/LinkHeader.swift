import GarnerCatalog

/// Reads the value of a `Link` field (RFC 8288, 3). It is lenient with servers: it skips text that is not a link.
///
/// It compares Unicode scalars, since a delimiter with a combining mark is a single character.
struct LinkHeader {
    struct Link: Equatable {
        /// The text between `<` and `>`.
        let target: String
        /// The relations in lower case.
        let relations: [String]
        /// True if the page behind the link is known to have no records, as Sentry says by `results="false"`.
        var isEmpty = false
    }

    /// Returns the links whose context is the page itself, in order.
    static func links(in value: String) -> [Link] {
        var reader = LinkHeader(rest: value.unicodeScalars[...])
        var links: [Link] = []
        while let link = reader.nextLink() { links += link.hasAnchor ? [] : [link.link] }
        return links
    }

    /// Returns true if a malformed link has this relation (in lower case).
    static func isBroken(_ relation: String, in value: String) -> Bool {
        var reader = LinkHeader(rest: value.unicodeScalars[...])
        while reader.nextLink() != nil {}
        if reader.hasLinkInLink, value.lowercased().contains(relation) { return true }
        // A relation without a link, JSON instead of one, or a quote that is missing.
        let rest = String(reader.rest.drop(while: isBlank)).lowercased()
        let isOdd = rest.hasPrefix("rel") || rest.hasPrefix("{") || !value.count { $0 == "\"" }.isMultiple(of: 2)
        if isOdd, rest.contains(relation) { return true }
        while let mark = reader.rest.firstIndex(of: ";") {
            reader.rest = reader.rest[mark...]
            while let (name, value) = reader.nextParameter() {
                if name == "rel", relations(in: value).contains(relation) { return true }
            }
        }
        return false
    }

    private var rest: Substring.UnicodeScalarView
    /// True if a link stands where a parameter of another one should.
    private var hasLinkInLink = false

    private mutating func nextLink() -> (link: Link, hasAnchor: Bool)? {
        guard let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") else { return nil }
        let target = rest[rest.index(after: open)..<close]
        rest = rest[rest.index(after: close)...]
        var relations: [String]?
        var hasAnchor = false
        var isEmpty = false
        while let (name, value) = nextParameter() {
            // “The rel parameter … MUST NOT appear more than once …; occurrences after the first MUST be ignored”.
            if name == "rel", relations == nil {
                relations = Self.relations(in: value)
            }
            if name == "anchor" { hasAnchor = true }
            if name == "results", value.lowercased() == "false" { isEmpty = true }
            if name.hasPrefix("<") { hasLinkInLink = true }
        }
        return (Link(target: String(target), relations: relations ?? [], isEmpty: isEmpty), hasAnchor)
    }

    private static func relations(in value: String) -> [String] {
        value.lowercased().unicodeScalars.split(whereSeparator: isBlank).map { String($0) }
    }

    /// Returns nil at the comma after a link, or at the end.
    private mutating func nextParameter() -> (name: String, value: String)? {
        while true {
            rest = rest.drop { Self.isBlank($0) }
            guard rest.first == ";" else { return nil }
            rest = rest.dropFirst().drop { Self.isBlank($0) }
            let name = rest.prefix { !";,=".unicodeScalars.contains($0) && !Self.isBlank($0) }
            rest = rest[name.endIndex...].drop { Self.isBlank($0) }
            guard rest.first == "=" else {
                if name.isEmpty { continue }
                return (String(name).lowercased(), "")
            }
            rest = rest.dropFirst().drop { Self.isBlank($0) }
            return (String(name).lowercased(), value())
        }
    }

    /// Reads a value in double quotes, in single ones, which no standard has but some servers write, or in none.
    private mutating func value() -> String {
        if rest.first == "\"" { return quotedValue() }
        guard rest.first == "'", let end = rest.dropFirst().firstIndex(of: "'") else { return token() }
        defer { rest = rest[end...].dropFirst() }
        return String(rest[..<end].dropFirst())
    }

    private mutating func token() -> String {
        let token = rest.prefix { !";,".unicodeScalars.contains($0) && !Self.isBlank($0) }
        rest = rest[token.endIndex...]
        return String(token)
    }

    private mutating func quotedValue() -> String {
        var value = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let scalar = rest.popFirst(), scalar != "\"" {
            value.append(scalar == "\\" ? rest.popFirst() ?? scalar : scalar)
        }
        return String(value)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}

extension ResponseHead {
    /// Returns the target of the first link with this relation. Throws if the field has the relation in a broken link.
    func link(_ relation: String) throws(FetchError.Kind) -> String? {
        let relation = relation.lowercased()
        let values = headers.values(of: "Link")
        if let link = values.flatMap(LinkHeader.links).first(where: { $0.relations.contains(relation) }) {
            return link.isEmpty ? nil : link.target
        }
        // Returning nil here would end the read with a part of the records.
        if let broken = values.first(where: { LinkHeader.isBroken(relation, in: $0) }) { throw .invalidLink(broken) }
        return nil
    }

    /// Returns true if a link has this relation, and says that its page is empty.
    func hasEmptyLink(_ relation: String) -> Bool {
        headers.values(of: "Link").flatMap(LinkHeader.links).contains { $0.isEmpty && $0.relations.contains(relation) }
    }

    /// The relations of the links, each once, without those whose page is empty. Where they lead may differ in each answer.
    var relations: [String] {
        let links = headers.values(of: "Link").flatMap(LinkHeader.links).filter { !$0.isEmpty }
        return Set(links.flatMap(\.relations)).sorted()
    }

    /// Relations of one word that are for something else than pages, as most of them are registered (RFC 8288, 4.2).
    private static let others: Set = [
        "about", "acl", "alternate", "api-catalog", "apidocumentation", "author", "base", "bookmark", "canonical",
        "collection", "contents", "copyright", "create-form", "current", "deprecation", "describedby", "describes",
        "dns-prefetch", "edit", "help", "hub", "icon", "index", "item", "latest-version", "license", "modulepreload",
        "payment",
        "preconnect", "prefetch", "preload", "privacy-policy", "profile", "related", "schema", "search", "service",
        "service-desc", "service-doc", "service-meta", "shortlink", "start", "status", "stylesheet", "sunset", "tag",
        "terms-of-service", "type", "up", "version-history", "via",
    ]

    /// Relations that pages have besides that of the next one.
    private static let pages: Set = ["first", "prev", "previous", "self", "last"]

    /// The links of relations that are neither of pages nor for something else, and so may be other names of that to the next page.
    var unknownLinks: [(relation: String, target: String)] {
        let links = headers.values(of: "Link").flatMap(LinkHeader.links).filter { !$0.isEmpty }
        return links.flatMap { link in
            link.relations.filter { $0 != "next" && !Self.pages.contains($0) && !Self.others.contains($0) }
                .map { (relation: $0, target: link.target) }
        }
    }

    /// Returns digests of the relations of unknown names that stand beside that of the next page and lead elsewhere.
    func namesOfOthers(besides relation: String, from address: WebAddress) -> [String] {
        let links = headers.values(of: "Link").flatMap(LinkHeader.links)
        let relation = relation.lowercased()
        guard let next = links.first(where: { $0.relations.contains(relation) }),
            let target = address.resolving(next.target)
        else { return [] }
        func isSame(_ target: WebAddress, _ link: String) -> Bool { address.resolving(link)?.asks(for: target) == true }
        let unknown = unknownLinks.filter { $0.relation != relation }
        let same = unknown.filter { isSame(target, $0.target) }.map(\.relation)
        return Set(unknown.map(\.relation)).subtracting(same).map { RequestEcho.digest(of: $0) }.sorted()
    }

    /// Returns the `Link` field if no link in it has this relation, one that pages have besides it, or one for something else; else nil.
    ///
    /// A relation that is a URI, such as `https://api.w.org/`, is one that the server has defined for itself.
    ///
    /// - Parameter known: Digests of relations that stood beside that of the next page, and led elsewhere.
    func oddLink(besides relation: String, and known: [String] = []) -> PageStatement? {
        let values = headers.values(of: "Link")
        let relations = values.flatMap(LinkHeader.links).flatMap(\.relations)
        guard !values.isEmpty, Self.pages.union([relation.lowercased()]).isDisjoint(with: relations) else { return nil }
        // A word that nobody knows may lead on, and so may a link without one.
        let isOfOthers =
            !relations.isEmpty
            && relations.allSatisfy {
                Self.others.contains($0) || $0.contains(":") || known.contains(RequestEcho.digest(of: $0))
            }
        return isOfOthers ? nil : PageStatement(path: "Link", value: "one without a relation of pages")
    }
}
