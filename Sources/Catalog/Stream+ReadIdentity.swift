extension Stream {
    /// What the pages of a read hold, as far as the configuration decides it: the same text as long as a read may go on
    /// where another one stopped. Values that are secrets are left out, since they change while the records stay.
    package var readIdentity: String {
        var lines: [(String, String)] = [
            ("url", request.baseURL + " " + request.path), ("method", request.method.rawValue),
        ]
        lines += request.params.map { ("param", "\($0.name)=\($0.value)") }
        lines += request.headers.map { ("header", "\($0.name.lowercased())=\($0.value)") }
        if let body = request.body { lines.append(("body", "\(body)")) }
        lines += paginator.effectiveValues.map { ("paginator.\($0)", "\($1)") }
        lines.append(("record_selector", recordSelector ?? "auto"))
        lines.append(("primary_key", primaryKey?.joined(separator: ",") ?? "auto"))
        lines.append(("flatten_depth", "\(flattenDepth)"))
        if childTables { lines.append(("child_tables", "true")) }
        if replacesTable { lines.append(("write_disposition", WriteDisposition.replace.rawValue)) }
        // Named only where they are set, so that a read that was begun before they could be goes on.
        if schemaContract != SchemaContract() { lines.append(("schema_contract", schemaContract.text)) }
        if mergeStrategy != .upsert { lines.append(("merge_strategy", mergeStrategy.rawValue)) }
        if dedupes { lines.append(("dedupe", "true")) }
        if let parent { lines.append(("parent", "\(parent.stream) \(parent.include.joined(separator: ","))")) }
        lines += partitions.map { ("partition.\($0.name)", $0.values.joined(separator: ",")) }
        if let incremental { lines.append(("incremental", incremental.cursorField)) }
        lines += responseActions.filter { $0.action == .ignore }.map { ("response_action", $0.effectiveText) }
        return lines.map { "\($0)=\($1)\n" }.joined()
    }
}
