import GarnerCatalog
import GarnerJSON
import GarnerModel

/// Records that are written as a JSON array, and parsed again.
struct RecordText: ~Copyable {
    private var text = CanonicalText()
    private var bytes = Bytes()
    private var count = 0
    /// The most bytes before the last record. Each repeats the names of its fields, so the text may be longer than the body.
    private let limit: Int
    /// The names in the first row; nil if the names do not stand there.
    private(set) var names: [String]?

    init(limit: Int) {
        self.limit = limit
        bytes.append("[")
    }

    /// Begins a record. Throws `FetchError.Kind.bodyTooLarge` if the text is longer than the limit.
    mutating func beginRecord() throws(FetchError.Kind) {
        guard bytes.count <= limit else { throw .bodyTooLarge(limit: limit) }
        if count > 0 { bytes.append(",") }
        count += 1
    }

    /// Ends the array and parses it, so that these records are nodes of a document, as all others are.
    consuming func selection() throws(FetchError.Kind) -> Selection {
        bytes.append("]")
        do {
            let document = try Document(parsing: bytes)
            return document.withRoot { Selection(valuesOf: $0, in: document) }
        } catch {
            throw .json(reason: error.reason, offset: error.offset)
        }
    }

    // MARK: Shapes

    // The functions of this part throw `FetchError.Kind.shape` if a node does not have the shape.

    /// Appends the records of an object of arrays of one length, such as `{ "id": [1, 2], "name": ["a", "b"] }`.
    mutating func append(columns: Node, at selector: Selector) throws(FetchError.Kind) {
        guard columns.kind == .object else { throw .shape(reason: "\(selector) selects no object of arrays") }
        var fields: [(name: Node, values: [Node])] = []
        for (key, value) in columns.members {
            guard value.kind == .array else {
                throw .shape(reason: "'\(key.text)' is no array", withoutNames: "'…' is no array")
            }
            fields.append((key, Array(value.elements)))
        }
        guard let first = fields.first else { throw .shape(reason: "\(selector) selects an object without arrays") }
        for field in fields where field.values.count != first.values.count {
            throw .shape(
                reason: "'\(first.name.text)' has \(first.values.count.counted("value")), and "
                    + "'\(field.name.text)' \(field.values.count)",
                withoutNames: "'…' \(field.values.count)")
        }
        for place in first.values.indices {
            try beginRecord()
            append(object: fields.map { ($0.name.utf8, $0.values[place]) })
        }
    }

    /// Appends a record for each member of an object. The record has the member's name in `keyField`. If the member's
    /// value is an object, the record also has the members of that value; otherwise it has the value in `valueField`.
    ///
    /// - Parameter isNone: Returns true for the value of a member that is no entry.
    mutating func append(
        entries: Node, _ keyField: String, _ valueField: String, at selector: Selector, unless isNone: (Node) -> Bool
    ) throws(FetchError.Kind) {
        guard entries.kind == .object else { throw .shape(reason: "\(selector) selects no object of entries") }
        for (number, (key, value)) in entries.members.enumerated() where !isNone(value) {
            try beginRecord()
            bytes.append("{")
            append(name: keyField)
            append(key)
            if value.kind == .object {
                for (name, inner) in value.members {
                    guard name.text != keyField else {
                        throw .shape(
                            reason: "entry \(number + 1) has a field '\(keyField)' of its own",
                            withoutNames: "entry \(number + 1) has a field '…' of its own")
                    }
                    bytes.append(",")
                    append(name)
                    bytes.append(":")
                    append(inner)
                }
            } else {
                bytes.append(",")
                append(name: valueField)
                append(value)
            }
            bytes.append("}")
        }
    }

    /// Appends a record for each array of an array.
    ///
    /// - Parameter names: The names of the values of each array; nil if the first array has them.
    mutating func append(rows: Node, _ names: [String]?) throws(FetchError.Kind) {
        guard rows.kind == .array else { throw .shape(reason: "the rows are no array") }
        var names = names
        for (number, row) in rows.elements.enumerated() {
            guard row.kind == .array else { throw .shape(reason: "row \(number + 1) is no array") }
            let values = Array(row.elements)
            guard let known = names else {
                let texts = values.compactMap(\.string)
                guard texts.count == values.count else { throw .shape(reason: "the first row has no names") }
                try Self.checkUnique(texts)
                names = texts
                self.names = self.names ?? texts
                continue
            }
            guard known.count == values.count else {
                throw .shape(
                    reason: "row \(number + 1) has \(values.count.counted("value")) for \(known.count.counted("name"))")
            }
            try beginRecord()
            bytes.append("{")
            for (place, value) in values.enumerated() {
                if place > 0 { bytes.append(",") }
                append(name: known[place])
                append(value)
            }
            bytes.append("}")
        }
    }

    /// Throws if two values would have the same name.
    static func checkUnique(_ names: [String]) throws(FetchError.Kind) {
        guard let name = names.firstRepeated else { return }
        throw .shape(
            reason: "two values of a row have the name '\(name)'",
            withoutNames: "two values of a row have the name '…'")
    }

    // MARK: Values

    private mutating func append(object members: [(name: UnsafeBufferPointer<UInt8>, value: Node)]) {
        bytes.append("{")
        for (place, member) in members.enumerated() {
            if place > 0 { bytes.append(",") }
            text.removeAll()
            text.append(string: member.name)
            text.bytes.withUnsafeBytes { bytes.append($0) }
            bytes.append(":")
            append(member.value)
        }
        bytes.append("}")
    }

    private mutating func append(name: String) {
        bytes.append(JSONText.quoted(name) + ":")
    }

    /// Appends a value, whose numbers keep their spelling.
    private mutating func append(_ node: Node) {
        text.removeAll()
        text.append(node)
        text.bytes.withUnsafeBytes { bytes.append($0) }
    }
}

extension Bytes {
    fileprivate mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}
