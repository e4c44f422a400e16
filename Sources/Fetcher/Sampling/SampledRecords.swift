package import GarnerCatalog
package import GarnerJSON
import GarnerModel

/// The records of a page whose selector is unknown, with a selector that finds them.
package struct SampledRecords: Sendable {
    package let selection: Selection
    /// The selector found, with a remark on how certain it is.
    package let finding: StarterFindings.Finding<String?>
    /// `columns` if the records are parallel arrays.
    package let shape: RecordShape
    package let isWholeBody: Bool
    /// True if the page is an object that says without a list that there are no records.
    package private(set) var isEmptyList = false

    /// The name of the list; nil if it is one of those that lists of all kinds have, such as `data`.
    package var listName: String? {
        guard let path = finding.value, path.hasSuffix("[*]"),
            let selector = try? Selector(parsing: String(path.dropLast(3)))
        else { return nil }
        return selector.memberNames?.last.flatMap { RecordNames.isList($0) ? nil : $0 }
    }

    /// Finds the records of a page. Throws `FetchError.Kind` if the body holds none.
    static func find(in document: Document, of stream: StreamConfiguration) throws(FetchError.Kind) -> SampledRecords {
        if stream.recordShape == .columns {
            return try columns(
                stream.recordSelector ?? "$", in: document, of: stream, "the place that record_selector names")
        }
        if let path = stream.recordSelector, let selector = try? Selector(parsing: path) {
            let found = try RecordSelection.selector(selector).records(
                in: document, asIn: nil, ReadContext(isFirst: false))
            return SampledRecords(found.selection, at: path, "the place that record_selector names")
        }
        let names = RecordNames(of: stream)
        do {
            let found = try RecordSelection.automatic(names).records(
                in: document, asIn: nil, ReadContext(isFirst: false))
            if found.isEmptyList {
                var records = whole(found.selection)
                records.isEmptyList = true
                return records
            }
            if let rival = found.rival, let selector = try? Selector(parsing: rival + "[*]") {
                return SampledRecords(
                    selector.select(in: document), at: selector.description,
                    "a guess, since an array beside it is empty", isDoubtful: true)
            }
            return switch found.place {
            case .detected(.array), .selector: SampledRecords(found.selection, at: "$[*]", "the page is their array")
            case .detected(.second):
                SampledRecords(found.selection, at: "$[1][*]", "the array beside the object about the page")
            case .detected(.path(let path)):
                SampledRecords(
                    found.selection, at: "$\(path.map(Selector.shortSegment(named:)).joined())[*]",
                    "the only array of objects")
            case .detected(.member(let name)): member(name, found.selection, names, in: document)
            case .wholeBody:
                inside(document, names) ?? paged(document, names) ?? columns(in: document, of: stream, names)
                    ?? whole(found.selection)
            }
        } catch {
            guard case .severalArrays(let names) = error else { throw error }
            return largest(of: names, in: document)
        }
    }

    private static func member(
        _ name: String, _ selection: Selection, _ names: RecordNames, in document: Document
    ) -> SampledRecords {
        document.withRoot { root in
            let mayBeRecord = names.isRecord(root)
            let other = names.isUsual(name) ? nil : RivalList.largest(below: root, than: selection.count)
            let remark =
                "the array '\(name.shortened)'"
                + (mayBeRecord ? ", though the page looks like a record itself, which would be $" : "")
                + (other.map { ", though the array at \($0.shortened) is larger" } ?? "")
            return SampledRecords(
                selection, at: "$\(Selector.shortSegment(named: name))[*]", remark,
                isDoubtful: mayBeRecord || other != nil)
        }
    }

    private static func whole(_ selection: Selection) -> SampledRecords {
        SampledRecords(
            selection, at: "$", "the page holds no array of objects, so that it is itself the record",
            isDoubtful: true, isWholeBody: true)
    }

    /// Returns the records of the longest parallel arrays; nil if there are none, or if the body is more likely a record.
    private static func columns(in document: Document, of stream: StreamConfiguration, _ names: RecordNames)
        -> SampledRecords?
    {
        let places = document.withRoot { root -> [(path: String, length: Int)] in
            guard !names.isRecord(root) else { return [] }
            let nodes = [("$", root)] + root.members.map { ("$\(Selector.shortSegment(named: $0.text))", $1) }
            return nodes.compactMap { path, node in node.parallelLength.map { (path: path, length: $0) } }
        }
        guard let first = places.first else { return nil }
        let longest = places.reduce(first) { $1.length > $0.length ? $1 : $0 }
        let others = places.map(\.path).filter { $0 != longest.path }.map(\.shortened)
        let remark =
            "arrays of \(longest.length) values each, one for each field"
            + (others.isEmpty
                ? "" : "; \(others.joined(separator: ", ")) has such arrays, too, for a stream of its own")
        return try? columns(longest.path, in: document, of: stream, remark, isDoubtful: !others.isEmpty)
    }

    private static func columns(
        _ path: String, in document: Document, of stream: StreamConfiguration, _ remark: String,
        isDoubtful: Bool = false
    ) throws(FetchError.Kind) -> SampledRecords {
        var shaped = stream
        (shaped.recordShape, shaped.recordSelector) = (.columns, path)
        guard let selector = try? Selector(parsing: path) else { throw .missingPath(selector: path, found: []) }
        let found = try RecordTransform(of: shaped).shaped(selector, in: document)
        return SampledRecords(found.selection, at: path, remark, isDoubtful: isDoubtful, shape: .columns)
    }

    private init(
        _ selection: Selection, at selector: String, _ remark: String, isDoubtful: Bool = false,
        isWholeBody: Bool = false, shape: RecordShape = .objects
    ) {
        self.selection = selection
        self.shape = shape
        self.isWholeBody = isWholeBody
        let counted = selection.count == 0 ? "\(remark), which is empty" : remark
        // The configuration reads this as a variable, which a path cannot hold.
        let isWritable = !selector.contains("${")
        finding = StarterFindings.Finding(
            isWritable ? selector : nil, isWritable ? counted : "\(counted), whose name cannot be written",
            isDoubtful: isDoubtful || selection.count == 0 || !isWritable)
    }

    private static func largest(of names: [String], in document: Document) -> SampledRecords {
        document.withRoot { root in
            let sizes = names.map { name in
                (name: name, size: root[name]?.elements.reduce(0) { count, _ in count + 1 } ?? 0)
            }
            let largest = sizes.reduce((name: "", size: -1)) { $1.size > $0.size ? $1 : $0 }
            let others = names.filter { $0 != largest.name }.prefix(5).map { "'\($0.shortened)'" }
            let selection = root[largest.name].map { Selection(valuesOf: $0, in: document) }
            return SampledRecords(
                selection ?? Selection([], in: document), at: "$\(Selector.shortSegment(named: largest.name))[*]",
                "'\(largest.name.shortened)' is the largest of several arrays, the others are "
                    + others.joined(separator: ", "), isDoubtful: true)
        }
    }

    /// Returns the largest array of objects inside mere wrappers, such as `$.data.items[*]`; nil if there is none, or
    /// if the body is more likely a record.
    private static func inside(_ document: Document, _ names: RecordNames) -> SampledRecords? {
        document.withRoot { root in
            guard root.kind == .object, !names.isRecord(root) else { return nil }
            let found = arrays(below: root, at: "$", depth: 0)
            guard let first = found.first else { return nil }
            let largest = found.reduce(first) { $1.size > $0.size ? $1 : $0 }
            let remark = "the only array of objects" + (found.count > 1 ? " that is as large" : "")
            return SampledRecords(
                Selection(valuesOf: largest.array, in: document), at: "\(largest.path)[*]", remark,
                isDoubtful: found.count > 1)
        }
    }

    /// Returns the records of a list in an object that tells of its pages; nil if there is none.
    private static func paged(_ document: Document, _ names: RecordNames) -> SampledRecords? {
        document.withRoot { root in
            guard !names.isRecord(root), let list = PagedList(below: root) else { return nil }
            return SampledRecords(
                Selection(valuesOf: list.array, in: document), at: list.selector,
                "a list beside what tells of its pages",
                isDoubtful: !list.isOnly)
        }
    }

    private static func arrays(below node: Node, at path: String, depth: Int) -> [(
        array: Node, path: String, size: Int
    )] {
        node.members.flatMap { key, value -> [(array: Node, path: String, size: Int)] in
            let name = key.text
            let place = path + Selector.shortSegment(named: name)
            switch value.kind {
            case .array:
                // The path leads to the last value of a duplicate name, so earlier ones are skipped.
                let size = value.elements.reduce(0) { count, _ in count + 1 }
                let isMeant = depth > 0 && value.elements.contains { $0.kind == .object } && isLast(value, name, node)
                return isMeant ? [(value, place, size)] : []
            case .object
            where depth < 2 && (depth > 0 || NestedArray.isWrapper(name, in: node)) && isLast(value, name, node):
                return arrays(below: value, at: place, depth: depth + 1)
            default: return []
            }
        }
    }

    private static func isLast(_ value: Node, _ name: String, _ object: Node) -> Bool {
        object[name]?.utf8.baseAddress == value.utf8.baseAddress
    }
}

extension Node {
    /// The number of values in each of the parallel arrays that are all members of an object; nil if the node is none.
    package var parallelLength: Int? {
        guard kind == .object else { return nil }
        var lengths: [Int] = []
        for (_, value) in members {
            let values = value.kind == .array ? Array(value.elements) : []
            guard values.allSatisfy({ $0.kind != .object && $0.kind != .array }) else { return nil }
            lengths.append(values.count)
        }
        guard let first = lengths.first, first > 1, lengths.count > 1, Set(lengths).count == 1 else { return nil }
        return first
    }
}

extension String {
    /// The text for use in a message: at most 40 characters, without control characters.
    var shortened: String {
        let printable = prefix(40).unicodeScalars.map { scalar in
            (" "..."~").contains(scalar) || scalar.properties.isAlphabetic ? String(scalar) : "?"
        }
        return printable.joined() + (count > 40 ? "…" : "")
    }
}
