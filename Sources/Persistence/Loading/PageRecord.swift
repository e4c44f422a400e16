import JSON

/// A record of a page, with the fields that come to it from outside of the page.
struct PageRecord {
    let node: Node
    /// An object, whose members count as the record's own.
    let added: Node?

    /// The value at this path; nil where there is none.
    func value(at path: [String]) -> Node? {
        if path.count == 1, let value = added?[path[0]] { return value }
        return path.reduce(node) { node, name in node?[name] }
    }
}

/// What stands in a commit beside the page: the fields that its records have from outside.
struct AddedFields {
    private let document: Document?

    /// nil, and what is no JSON object: none.
    init(json: String?) {
        document = json.flatMap { try? Document(parsing: Bytes($0.utf8)) }
    }

    func with<R, Failure: Error>(_ body: (Node?) throws(Failure) -> R) throws(Failure) -> R {
        guard let document else { return try body(nil) }
        return try document.withRoot { root throws(Failure) in try body(root.isObject ? root : nil) }
    }
}
