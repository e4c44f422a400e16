import GarnerCatalog

/// The parts of a stream: values of a list, and the records of other streams.
extension StreamTranslation {
    func translatePartitions(_ router: ManifestNode?, among streams: StreamsByName) throws {
        guard let router, !router.isNull else { return }
        for part in router.isList ? router.list : [router] {
            switch part.type {
            case "ListPartitionRouter": attempt(at: part) { try translateList(part) }
            case "SubstreamPartitionRouter":
                attempt(at: part) { try translateParents(part, among: streams) }
            case "GroupingPartitionRouter":
                lose(.groupedParents, at: part)
                try translatePartitions(part["underlying_partition_router"], among: streams)
            case "UnionPartitionRouter": lose(.partitions, "a union of partitions", at: part)
            default: if !loseCode(part, "a partition router") { lose(.partitions, part.type, at: part) }
            }
        }
    }

    private func translateList(_ router: ManifestNode) throws {
        guard let field = try known(router["cursor_field"], of: router).printed else {
            throw LossError(.partitions, "cursor_field", at: router)
        }
        let given = try router["values"].map { try value($0, of: router) } ?? .missing
        guard given.isKnown else { throw LossError(.partitions, "values of \(field)", at: router["values"]) }
        let name = try newPartition(of: field, at: router)
        slice[field] = .partition(name)
        let values: [JinjaValue] =
            switch given {
            case .list(let list): list
            case _ where given.isNothing: []
            default: [given]
            }
        var texts: [FileValue] = []
        var seen: Set<FileValue> = []
        for value in values {
            guard let text = value.printed else {
                throw LossError(.partitions, "\(field): values that are objects", at: router["values"])
            }
            guard let text = try written(.text(text)) else {
                throw LossError(.partitions, "\(field): an empty value", at: router["values"])
            }
            if seen.insert(text).inserted { texts.append(text) }
        }
        if texts.isEmpty { lose(.partitions, "\(field): the settings list no values", at: router) }
        stream[mapping: "partitions"][name] = .list(texts)
        if let option = router["request_option"], !option.isNull { try place(.text("{partition.\(name)}"), by: option) }
    }

    private func translateParents(_ router: ManifestNode, among streams: StreamsByName) throws {
        let configurations = router["parent_stream_configs"]
        let parents = configurations.map { $0.isList ? $0.list : [$0] } ?? []
        if parents.count > 1 { lose(.partitions, "a union of \(parents.count) parents", at: router) }
        guard let configuration = parents.first, let node = configuration["stream"], node.isMapping else {
            throw LossError(.partitions, "no parent stream", at: router)
        }
        try LossError.refuseCode(configuration, "a parent stream")
        let parent = streams.translated(node)
        guard let key = try known(configuration["parent_key"], of: configuration).printed,
            let field = try known(configuration["partition_field"], of: configuration).printed
        else { throw LossError(.partitions, "no parent_key or partition_field", at: configuration) }
        if parent.effect == .notWritten {
            lose(.partitions, "the parent \(parent.name) is not written", at: configuration)
        } else if parent.losses.contains(where: { $0.effect == .differs && $0.changes(key) }) {
            lose(.partitions, "the parent \(parent.name) differs", at: configuration, effect: .differs)
        }
        let path = key.split(separator: "/").map(String.init)
        if path.contains(where: { $0.contains("*") }) {
            throw LossError(.partitions, "parent_key \(key)", at: configuration)
        }
        let column = path.joined(separator: "__")
        parent.flattens(path.count - 1)
        for extra in configuration["extra_fields"]?.list ?? [] { parent.flattens(extra.list.count - 1) }
        parent.marksGone()
        let asksForAll = configuration["incremental_dependency"]?.bool != true
        if asksForAll { parentsInFull.append(parent) }

        let text: String
        if self.parents.isEmpty {
            guard slice[field] == nil else { throw Self.twice(field, at: configuration) }
            slice[field] = .parent(column)
            stream["parent"] =
                configuration["incremental_dependency"]?.bool == true
                ? .mapping(FileMapping(["stream": .text(parent.streamName), "only": .text("changed")]))
                : .text(parent.streamName)
            self.parents.append(parent)
            // The members of an object are columns, and what a request holds of it.
            if case .mapping(let members)? = parent.addedFields[column] {
                for member in members { include("\(column)__\(member.name)") }
            } else {
                include(column)
            }
            text = "{parent.\(column)}"
        } else {
            // The product of two parents: the values of the second are asked from its table. All records of the first are asked
            // for, since there may be new values.
            stream["parent"] = self.parents.first.map { .text($0.streamName) }
            let name = try newPartition(of: field, at: configuration)
            slice[field] = .partition(name)
            let isMarked = parent.stream["primary_key"] != nil && (asksForAll || parent.stream["incremental"] == nil)
            let those = isMarked ? " WHERE _garner_deleted_at IS NULL" : ""
            let query = "SELECT DISTINCT \(Self.identifier(column)) FROM \(Self.identifier(parent.streamName))\(those)"
            stream[mapping: "partitions"][name] = .mapping(FileMapping(["query": .text(query)]))
            self.parents.append(parent)
            text = "{partition.\(name)}"
        }
        if let option = configuration["request_option"], !option.isNull { try place(.text(text), by: option) }
    }

    /// Returns the name of a partition. Another one of that name would take its place.
    private func newPartition(of field: String, at node: ManifestNode) throws -> String {
        let name = Self.partitionName(field)
        guard slice[field] == nil, stream[mapping: "partitions"][name] == nil else { throw Self.twice(field, at: node) }
        return name
    }

    private static func twice(_ field: String, at node: ManifestNode) -> LossError {
        LossError(.partitions, "\(field): two partitions of one name", at: node)
    }

    /// Takes out the partitions whose values no request has, and names those that make too many requests.
    func settlePartitions() {
        var requests = 1
        for entry in stream[mapping: "partitions"].entries {
            if case .list(let values) = entry.value, requests <= Partition.maximumCombinations {
                requests = requests.multipliedReportingOverflow(by: max(values.count, 1)).partialValue
            }
            guard !["}", ","].contains(where: { requestMentions("{partition.\(entry.key)\($0)") }) else { continue }
            let isStored =
                ["fields", "record_filter"].contains { stream[$0]?.mentions("{partition.\(entry.key)") == true }
                || stream["primary_key"]?.mentions("_\(entry.key)") == true
            let words = "no request has the value of '\(entry.key)'"
            guard case .list = entry.value, !isStored else {
                lose(.partitions, words, at: node["retriever"]?["partition_router"])
                continue
            }
            // Each value gets the same records, of which a key keeps one: nothing is lost with it.
            stream[mapping: "partitions"][entry.key] = nil
            slice = slice.filter { $0.value != .partition(entry.key) }
            guard stream["primary_key"] == nil else { continue }
            lose(.partitions, words, at: node["retriever"]?["partition_router"], effect: .differs)
        }
        if requests > Partition.maximumCombinations {
            lose(.partitions, "more than 100,000 combinations", at: node["retriever"]?["partition_router"])
        }
    }

    static func identifier(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// Stores a column of its parent's record with each of its records.
    ///
    /// - Parameter other: A column that is stored no more; nil for none.
    func include(_ column: String, insteadOf other: String? = nil) {
        var columns: [FileValue] = if case .list(let list) = stream["include_from_parent"] { list } else { [] }
        if let other { columns.removeAll { $0 == .text(other) } }
        if !columns.contains(.text(column)) { columns.append(.text(column)) }
        stream["include_from_parent"] = .list(columns)
    }

    /// Marks rows whose records are gone, so that nobody asks for their children, which are gone with them. A read from a
    /// cursor sees no record go.
    func marksGone(isReadInFull: Bool = false) {
        guard stream["primary_key"] != nil, isReadInFull || stream["incremental"] == nil else { return }
        stream["delete_missing"] = .text("soft")
    }

    /// Lets a parent be read in full, as Airbyte reads one of which a child asks for all records: only then is known which are
    /// gone. A bound in its requests needs `incremental`, which covers everything again with each read, or, where the stream
    /// is wanted for itself, once a day.
    func readsAll(isWanted: Bool) {
        guard stream["incremental"] != nil, stream["primary_key"] != nil else { return }
        if stream.entries.contains(where: { $0.key != "incremental" && $0.value.mentions("{incremental.") }) {
            stream[mapping: "incremental"]["full_refresh_every"] = .plain(isWanted ? "1d" : "1s")
        } else {
            stream["incremental"] = nil
        }
        marksGone(isReadInFull: true)
    }

    /// Makes columns of members this many objects below the record.
    func flattens(_ depth: Int) {
        let present = if case .plain(let depth) = stream["flatten_depth"] { Int(depth) ?? 1 } else { 1 }
        if depth > present { stream["flatten_depth"] = .int(min(depth, 16)) }
    }
}

extension Loss {
    /// True if other records, or other values of their key, may come of it.
    fileprivate func changes(_ key: String) -> Bool {
        guard [.fieldAdded, .fieldRemoved, .transformation, .fileUpload].contains(code) else { return true }
        return detail?.prefix { !":. ".contains($0) } == key.prefix { $0 != "/" }
    }
}
