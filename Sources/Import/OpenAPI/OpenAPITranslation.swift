import GarnerCatalog

/// The streams that the lists of a document become, parents first.
struct OpenAPITranslation {
    private let document: OpenAPIDocument
    private let lists: [OpenAPIList]
    private let server: OpenAPIServer
    private let file: String
    private(set) var values: OpenAPIValues
    /// The lists that are written, in their order.
    private(set) var order: [Int] = []
    /// Lines before `auth`, by its value.
    private(set) var authComments: [FileMapping: [String]] = [:]
    /// The streams, by the indices of their lists.
    private var translated: [Int: StreamTranslation] = [:]
    /// By list: the columns of the stream's table that hold the parameters of its path, in their order. Streams below
    /// it use them.
    private var columns: [Int: [String]] = [:]
    /// By list: the partitions of the stream for which neither the user nor the document gives values.
    private var blanks: [Int: [String]] = [:]
    /// The names of streams that are taken, in lower case.
    private var taken: Set<String>

    init(
        _ document: OpenAPIDocument, _ lists: [OpenAPIList], _ options: ManifestImport.Options, connector: String?
    ) {
        (self.document, self.lists, file) = (document, lists, options.file)
        server = OpenAPIServer(document)
        values = OpenAPIValues(options.given, prefix: connector ?? "")
        taken = Set(options.takenStreams.map { $0.lowercased() })
    }

    var streams: [StreamTranslation] { order.compactMap { translated[$0] } }

    /// The error on missing values, once streams are translated.
    var error: ManifestError? { order.isEmpty ? nil : values.error(file) }

    func stream(of index: Int) -> StreamTranslation? { translated[index] }

    /// Translates the list of that name, and its parents.
    mutating func add(_ name: String) throws(ManifestError) {
        // People may also name the request.
        let isMeant = { (list: OpenAPIList) in list.operation["operationId"]?.text == name }
        guard let index = lists.firstIndex(where: { $0.name == name }) ?? lists.firstIndex(where: isMeant) else {
            let names = lists.map(\.name)
            let meant = Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'? " } ?? ""
            throw ManifestError(
                "there is no list '\(ImportReport.shown(name))' in \(ImportReport.shown(file))",
                advice:
                    "\(meant)its lists are: \(names.prefix(40).joined(separator: ", "))\(names.count > 40 ? ", …" : "")"
            )
        }
        try add(index, depth: 0)
    }

    private mutating func add(_ index: Int, depth: Int) throws(ManifestError) {
        guard translated[index] == nil, depth < ManifestLimit.depth else { return }
        let list = lists[index]
        if let parent = list.parent { try add(parent.index, depth: depth + 1) }
        let name = FileNames.free(list.name, among: &taken)
        let stream = StreamTranslation(list.operation, name: name, settings: .missing)
        stream.streamName = name
        let base = server.base(of: list, &values)
        stream.base = base
        translated[index] = stream
        translatePath(list, index, stream)
        var params = translateParameters(list, stream)
        let security = try OpenAPISecurity(of: list, base: base ?? "", in: document, &values)
        if let auth = security.auth {
            stream.stream[mapping: "auth"] = auth
            authComments[auth] = authComments[auth] ?? security.comments
        } else {
            for comment in security.comments { stream.stream.comment(comment, on: "path") }
        }
        for entry in security.params.entries { params[entry.key] = entry.value }
        for entry in security.headers.entries { stream.stream[mapping: "headers"][entry.key] = entry.value }
        stream.stream[mapping: "params"] = params
        translateRecords(list, stream)
        let pages = OpenAPIPages(list)
        for line in pages.changes(beside: params) { stream.stream.comment(line, on: "path") }
        if let line = pages.line {
            stream.stream.comment(
                "The pages that the document suggests, if garner does not find them by itself:", on: "path")
            stream.stream.comment(line, on: "path")
        }
        stream.sortKeys()
        order.append(index)
    }

    // MARK: - Path

    private mutating func translatePath(_ list: OpenAPIList, _ index: Int, _ stream: StreamTranslation) {
        var path = ""
        var number = 0
        var columns: [String] = []
        var partitions = FileMapping()
        var blanks: [String] = []
        for piece in list.pieces {
            guard case .parameter(let name) = piece else {
                if case .text(let text) = piece { path += text }
                continue
            }
            if let parent = list.parent, number <= parent.parameter, let field = field(number, of: parent) {
                path += "{parent.\(field)}"
                columns.append(field)
            } else {
                let key = FileNames.free(FileNames.name(of: name), of: partitions)
                path += "{partition.\(key)}"
                columns.append("_\(key)")
                let value = partition(name, list)
                partitions[key] = value ?? .texts(["FILL_IN"])
                if value == nil { blanks.append(key) }
            }
            number += 1
        }
        stream.stream["path"] = .text(path)
        if let parent = list.parent, let other = translated[parent.index] {
            stream.parents = [other]
            stream.stream["parent"] = .text(other.streamName)
            let name = list.pathParameters[parent.parameter]
            stream.stream.comment(
                "guess: {\(ImportReport.shown(name))} of the path is '\(parent.field)' of the records of '\(other.streamName)'",
                on: "parent")
        }
        if !partitions.isEmpty {
            stream.stream["partitions"] = .mapping(partitions)
            let words =
                blanks.isEmpty
                ? "One request for each of these values, which are examples of the document."
                : "Write the values of \(blanks.joined(separator: " and ")): there is one request for each."
            stream.stream.comment(words, on: "partitions")
        }
        self.columns[index] = columns
        self.blanks[index] = blanks
    }

    /// Returns the field of the parent's rows that has the parameter of that number in the path; nil if none has it.
    private func field(_ number: Int, of parent: (index: Int, parameter: Int, field: String)) -> String? {
        if number == parent.parameter { return parent.field }
        guard let columns = columns[parent.index], columns.indices.contains(number),
            let other = translated[parent.index]
        else { return nil }
        let column = columns[number]
        guard let above = lists[parent.index].parent, number <= above.parameter,
            let grandparent = translated[above.index]
        else { return column }
        // The parent includes it from its own parent.
        var included: [FileValue] = []
        if case .list(let names)? = other.stream["include_from_parent"] { included = names }
        if !included.contains(.text(column)) { included.append(.text(column)) }
        other.stream["include_from_parent"] = .list(included)
        other.sortKeys()
        return "_\(grandparent.streamName)_\(column)"
    }

    private mutating func partition(_ name: String, _ list: OpenAPIList) -> FileValue? {
        if let given = values.text(name, of: list.name) { return OpenAPIValues.given(given, isList: true) }
        guard let parameter = list.parameters.first(where: { $0.place == .path && $0.name == name }) else { return nil }
        let choices = parameter.schema.choices.compactMap { $0.scalarText.flatMap(OpenAPIValues.literal) }
        if !choices.isEmpty { return .list(choices) }
        return parameter.value?.scalarText.flatMap(OpenAPIValues.literal).map { .list([$0]) }
    }

    // MARK: - Parameters

    /// Headers that Garner sets itself.
    private static let own: Set = [
        "accept", "accept-encoding", "authorization", "content-type", "content-length", "host",
    ]

    private mutating func translateParameters(_ list: OpenAPIList, _ stream: StreamTranslation) -> FileMapping {
        var params = FileMapping()
        for parameter in list.parameters where parameter.place != .path {
            let name = parameter.name
            let isHeader = parameter.place == .header
            guard OpenAPIValues.literal(parameter.name) != nil,
                !isHeader || !Self.own.contains(parameter.name.lowercased()) && HeaderSyntax.isName(parameter.name)
            else { continue }
            guard let value = value(of: parameter, list) else { continue }
            switch parameter.place {
            case .query: params[name] = value
            case .header: stream.stream[mapping: "headers"][name] = value
            case .cookie:
                let old = stream.stream[mapping: "headers"]["Cookie"]
                stream.stream[mapping: "headers"]["Cookie"] = OpenAPISecurity.cookie(
                    name.doublingDollars, value, beside: old)
            case .path: break
            }
        }
        return params
    }

    /// Returns the value that the user has given, or that the document declares. Returns nil for a parameter that is
    /// not needed, and for a missing value, which it notes.
    private mutating func value(of parameter: OpenAPIParameter, _ list: OpenAPIList) -> FileValue? {
        let isList = parameter.schema.isList && parameter.place == .query
        let given = values.text(parameter.name, of: list.name)
        guard given != nil || parameter.isRequired else { return nil }
        let text = given ?? parameter.value?.scalarText
        let isSecret =
            parameter.place == .header
            ? SensitiveName.isHeader(parameter.name, value: text)
            : SensitiveName.isParameter(parameter.name, value: text)
        if isSecret {
            return values.secret(
                FileNames.name(of: parameter.name), "the value of '\(ImportReport.shown(parameter.name))'")
        }
        let found = given.map { OpenAPIValues.given($0, isList: isList) } ?? OpenAPIValues.value(of: parameter.value)
        if let found, parameter.place == .query { return found }
        if let text = found?.text, HeaderSyntax.isValue(text) { return .text(text) }
        if case .plain(let text)? = found { return .text(text) }
        values.lack(parameter.name, "a parameter of \(list.name)")
        return nil
    }

    // MARK: - Records

    private func translateRecords(_ list: OpenAPIList, _ stream: StreamTranslation) {
        let places = list.records.places
        if let place = places.first, !place.isEmpty || places.count > 1 {
            stream.stream["record_selector"] = .text(StreamTranslation.jsonPath(place) + "[*]")
            let others = places.dropFirst().prefix(5).map { StreamTranslation.jsonPath($0) + "[*]" }
            if !others.isEmpty {
                stream.stream.comment("guess: there is \(others.joined(separator: ", ")), too", on: "record_selector")
            }
        }
        if list.records.isKey("id") { stream.stream["primary_key"] = .text("id") }
    }

    // MARK: - Table

    /// Returns the row of a list in the report.
    func row(_ index: Int) -> OpenAPIImport.Row {
        let list = lists[index]
        let isWritten = translated[index] != nil
        let isGiven = { (parameter: OpenAPIParameter) in OpenAPIValues.value(of: parameter.value) != nil }
        let names = list.pathParameters
        let open =
            isWritten ? blanks[index] ?? [] : list.parent.map { Array(names.dropFirst($0.parameter + 1)) } ?? names
        return OpenAPIImport.Row(
            name: list.name, path: list.path,
            places: list.records.places.map { StreamTranslation.jsonPath($0) + "[*]" },
            parameters: list.needed.filter { parameter in
                let isOwn = parameter.place == .header && Self.own.contains(parameter.name.lowercased())
                return !isWritten && !isOwn && !isGiven(parameter)
                    && !SensitiveName.isParameter(parameter.name, value: nil)
            }.map(\.name),
            partitions: open, parent: list.parent.map { lists[$0.index].name })
    }
}

extension FileNames {
    /// Returns the first of `x`, `x_2`, … that is no key of a mapping.
    fileprivate static func free(_ name: String, of mapping: FileMapping) -> String {
        var taken = Set(mapping.entries.map(\.key))
        return free(name, among: &taken)
    }
}
