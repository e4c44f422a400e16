/// The source and the stream of a new configuration, as the URL of a collection suggests them.
package struct StarterAddress: Sendable, Equatable {
    package private(set) var source: String
    package private(set) var stream: String
    /// `https://host/v1/` of `https://host/v1/items?a=b`
    package private(set) var baseURL: String
    /// The last segment, with the parameters that `params` cannot hold.
    package private(set) var path: String
    package let query: StarterQuery
    /// The stream whose records the path seems to name one of; nil if there is none.
    package private(set) var parent: Parent?
    /// True if the last segment says nothing of the records, as `search` does.
    private var isNamedByChance = false

    /// A record in the path, such as 44 of `issues/44/comments`.
    package struct Parent: Sendable, Equatable {
        package let stream: String
        package let record: String
        /// The path for all records, such as `issues/{parent.number}/comments`.
        package let path: String
        /// True if a record of the stream has that value in the field.
        package let isCertain: Bool

        package init(stream: String, record: String, path: String, isCertain: Bool) {
            (self.stream, self.record, self.path, self.isCertain) = (stream, record, path, isCertain)
        }
    }

    /// Returns nil if the text is no absolute `http` or `https` URL, or names a user.
    package init?(_ url: String) {
        guard let address = WebAddress(url) else { return nil }
        let source = StarterName.make(from: Self.label(of: address.host)) ?? "api"
        self.source = source
        query = StarterQuery(address.query ?? "", source: source)
        let (base, segment) = Self.split(address.path)
        baseURL = "\(address.scheme)://\(address.authority)\(base)"
        path = segment + (query.unnamed.isEmpty ? "" : "?\(query.unnamed)")
        // The id of a record is no name. The collection of the record may be one.
        let names = address.path.split(separator: "/").suffix(3).reversed()
            .compactMap { StarterName.make(from: Self.withoutSuffix(PercentEncoding.decoded($0))) }
        stream = names.first { !StarterName.isGeneral($0) } ?? names.first ?? "records"
        isNamedByChance = names.first.map(StarterName.isGeneral) ?? true
    }

    private init(source: String, stream: String, baseURL: String, path: String) {
        (self.source, self.stream, self.baseURL, self.path) = (source, stream, baseURL, path)
        query = StarterQuery("", source: source)
    }

    /// Returns this address as a stream of an existing source; nil if its URL does not begin with the source's.
    package func relative(to baseURL: String, of source: String) -> StarterAddress? {
        let base = baseURL.hasSuffix("/") ? baseURL : baseURL + "/"
        guard self.baseURL.hasPrefix(base) else { return nil }
        var address = self
        address.path = self.baseURL.dropFirst(base.count) + path
        (address.baseURL, address.source) = (baseURL, source)
        return address
    }

    /// Returns this address with another name for the stream; nil if the name is not possible.
    package func named(_ stream: String) -> StarterAddress? {
        guard let name = StarterName.make(from: stream[...]) else { return nil }
        var address = self
        (address.stream, address.isNamedByChance) = (name, false)
        return address
    }

    /// Returns this address with the name of the list in the answer, if the path says nothing of the records.
    package func named(after findings: StarterFindings) -> StarterAddress {
        guard isNamedByChance, let list = findings.listName, !StarterName.isGeneral(list) else { return self }
        return named(list) ?? self
    }

    /// Returns this address with the stream whose records its path names one of.
    package func child(of parent: Parent) -> StarterAddress {
        var address = self
        address.parent = parent
        return address
    }

    /// Returns this address as a stream of a source with another name.
    package func sourced(_ source: String) -> StarterAddress {
        var address = self
        address.source = source
        return address
    }

    static let demo = StarterAddress(
        source: "zoo", stream: "animals", baseURL: "http://127.0.0.1:8080/", path: "/animals")

    /// The values of the file's variables.
    package var environment: [String: String] {
        Dictionary(query.secrets.map { ($0.variable, $0.value.reveal()) }) { first, _ in first }
    }

    /// Returns the address to which a redirect has led, since the next page's link is most likely of that origin too.
    ///
    /// It stays the same within one origin, and if it has secrets, which must not be sent to another origin.
    package func moved(to source: WebAddress) -> StarterAddress {
        guard query.secrets.isEmpty, WebAddress(baseURL)?.origin != source.origin else { return self }
        return StarterAddress("\(source)") ?? self
    }

    /// Returns `/v1/` and `items/` for `/v1/items/`.
    private static func split(_ path: String) -> (base: String, segment: String) {
        let trimmed = path.prefix(path.count - path.reversed().prefix { $0 == "/" }.count)
        guard let slash = trimmed.lastIndex(of: "/") else { return (path.isEmpty ? "/" : path, "") }
        let segment = path[slash...].dropFirst()
        // A path that looks like a URL is not split.
        return segment.hasSuffix("//") ? (path, "") : (String(path[...slash]), String(segment))
    }

    private static func withoutSuffix(_ name: String) -> Substring {
        let suffix = [".json", ".ndjson", ".jsonl"].first { name.lowercased().hasSuffix($0) }
        return name.dropLast(suffix?.count ?? 0)
    }

    /// Returns the part of a host that names the provider: `example` of `api.example.co.uk`.
    private static func label(of host: String) -> Substring {
        let labels = host.split(separator: ".")
        guard labels.count > 1, !host.contains(":"), !host.allSatisfy({ $0.isNumber || $0 == "." }) else {
            return host[...]
        }
        let isRegistry =
            labels.count > 2 && ["ac", "co", "com", "edu", "gov", "net", "org"].contains(labels[labels.count - 2])
        return labels[labels.count - (isRegistry ? 3 : 2)]
    }
}

/// A name that a source or a stream can have.
package enum StarterName {
    /// Returns nil if too little of the text is left.
    package static func make(from text: Substring) -> String? {
        let letters = text.prefix(64).map { isPlain($0) ? $0 : "_" }
        // An SQL keyword as a name would need quotes in every query.
        let name = String(letters) + (reserved.contains(String(letters).lowercased()) ? "_list" : "")
        let isKept = ["sqlite_", "_garner_"].contains { name.lowercased().hasPrefix($0) }
        // The first character is a letter, so that YAML reads no number, null or merge key.
        let isWord = name.first?.isLetter == true && !YAMLText.words.contains(name.lowercased())
        return isWord && !isKept ? name : nil
    }

    /// Returns true for names that say what is done, and not with what: `search`, `v2`.
    static func isGeneral(_ name: String) -> Bool {
        general.contains(name.lowercased()) || name.wholeMatch(of: /[vV]\d+/) != nil
    }

    private static let general: Set = [
        "all", "api", "cursor", "data", "export", "fetch", "find", "get", "incremental", "index", "index_list", "json",
        "list",
        "listing", "lookup", "page", "query", "read", "rest", "search", "stream",
    ]

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    /// SQLite's keywords that an API may use as the name of a collection.
    private static let reserved: Set = [
        "case", "check", "column", "commit", "constraint", "default", "exists", "filter", "group", "index", "key",
        "limit",
        "order", "references", "select", "set", "table", "transaction", "trigger", "union", "unique", "update",
        "values",
        "view", "when", "where", "window",
    ]
}
