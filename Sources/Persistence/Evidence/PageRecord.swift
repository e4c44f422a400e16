import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

/// A record of a page, with the fields added from outside the page.
struct PageRecord {
    let node: Node
    /// An object whose members count as the record's own.
    let added: Node?

    func value(at path: [String]) -> Node? {
        if path.count == 1, let value = added?[path[0]] { return value }
        return path.reduce(node) { node, name in node?[name] }
    }
}

/// The fields that a commit adds to each record of its page.
struct AddedFields {
    private let document: Document?

    /// Creates the fields from a JSON object. Nil, or text that is not a JSON object, gives none.
    init(json: String?) {
        document = json.flatMap { try? Document(parsing: Bytes($0.utf8)) }
    }

    func with<R, Failure: Error>(_ body: (Node?) throws(Failure) -> R) throws(Failure) -> R {
        guard let document else { return try body(nil) }
        return try document.withRoot { root throws(Failure) in try body(root.isObject ? root : nil) }
    }
}

extension Node {
    /// True for an array that is empty or contains only objects.
    var isArrayOfObjects: Bool { kind == .array && elements.allSatisfy(\.isObject) }

    /// True for an array of at least one object that contains only objects.
    var isTable: Bool {
        var elements = elements
        return elements.next()?.isObject == true && elements.allSatisfy(\.isObject)
    }
}

extension Node {
    /// True for a text with half of a character, in whose place U+FFFD stands.
    var isHalved: Bool { isString && isReplaced }

    /// The integer that a number such as `5.0` is; nil for any other value.
    var wholeReal: Int64? {
        // Beyond 2^53, only the digits tell which one it is.
        if kind == .number {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 2 && parts[1].allSatisfy { $0 == "0" } ? Int64(parts[0]) : nil
        }
        guard kind == .real, let integer = Int64(exactly: real), integer.isExactDouble else { return nil }
        return integer
    }

    /// Returns the integer that is the same as this value in a column of this type once it is widened; nil if none is.
    func integer(spelledAs type: ColumnType) -> Int64? {
        if type == .boolean, kind == .integer { return [0, 1].contains(integer) ? integer : nil }
        if type == .integer, let wholeReal { return wholeReal }
        guard let text = string else { return nil }
        switch type {
        case .integer: return Int64(text).flatMap { String($0) == text ? $0 : nil }
        case .boolean: return text == "true" ? 1 : text == "false" ? 0 : nil
        case .real, .json, .text: return nil
        }
    }
}

extension HashKey {
    /// Reads the database's own random key, which the migration that introduced it created.
    init(of connection: Connection) throws {
        let secret = try connection.firstRow("SELECT secret FROM _garner_hash_key") { Array($0.bytes(at: 0)) }
        guard let key = secret.flatMap(HashKey.init) else {
            throw PersistenceError(
                .unusable, "\(connection.path) has lost the random bits that its hashes are made with",
                hint: "restore the database from a backup, or fetch everything anew into another file")
        }
        self = key
    }
}
