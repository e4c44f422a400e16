import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel

/// The records of a page and their place in the body.
struct FoundRecords {
    let selection: Selection
    let place: Place
    /// A digest of the names that the first row of the page, or of one before it, has; nil if no row has names.
    var rowNames: String?
    /// The fields of records that are the members of the whole body; nil for others.
    var fields: [String]?
    /// The reason why it is not clear that these are the records; nil if it is.
    var doubt: Verdict?
    /// The JSONPath of a value that may hold the records instead; nil if there is none.
    var rival: String?
    /// The selector of a list in an object of a body that is taken for one record; nil if nothing tells of its pages.
    var pagedList: String?
    /// True if the answer says without a list that there are no records.
    var isEmptyList = false
    /// The number of records behind these, in later pieces of a long body.
    var later = 0
    /// The fingerprint of a body that comes in pieces; nil if these are all records.
    private var body: Fingerprint?

    /// Creates what was found without a doubt.
    init(selection: Selection, place: Place) { (self.selection, self.place) = (selection, place) }

    /// - Parameter list: The array of the records; nil if there are none.
    init(valuesOf list: Node?, at place: ReadHistory.Place, in document: Document) {
        let selection = list.map { Selection(valuesOf: $0, in: document) } ?? Selection([], in: document)
        self.init(selection: selection, place: .detected(place))
    }

    /// Does `body`. If no other page is found, and the configuration selects one record of a list, that is what to change first.
    func advisingOnPlace<Result>(
        _ body: () throws(FetchError.Kind) -> Result
    ) throws(FetchError.Kind) -> Result {
        do throws(FetchError.Kind) {
            return try body()
        } catch {
            guard case .unclearPaging(let sign, let settings) = error, case .selector(let selector) = place,
                selection.count == 1, let list = "\(selector)".wholeMatch(of: /(.*)\[-?[0-9]+\]/)?.1
            else { throw error }
            let whole = Advice("record_selector: \"\(list)[*]\"", "for all records of the list")
            throw .unclearPaging(sign: sign, [whole] + settings)
        }
    }

    /// Says what is likely to be meant by records that are the object around a list, or lists of which the first has names; nil for others.
    func doubtOnShape(in document: Document) -> String? {
        if let (path, count) = listBeside(in: document) {
            return
                "record_selector leads to an object, and the list \(path) beside it has \(count.counted("object")); write record_selector: "
                + "\"\(path)[*]\" if these are the records"
        }
        let list: String? = document.withRoot { root in
            guard selection.count == 1, case .selector(let selector) = place, root.kind == .object,
                LoneRecord.container(of: selector, below: root)?.isSame(as: root) == true,
                !RecordNames.looksLikeRecord(root)
            else { return nil }
            let list = root.members.first {
                $0.value.kind == .array && $0.value.elements.contains { $0.kind == .object }
            }
            return list.map { "$" + Selector.shortSegment(named: $0.key.text) + "[*]" }
        }
        if let list {
            return
                "record_selector takes the whole answer as one record, and a list of objects is in it; write record_selector: \(list)"
        }
        if case .selector(let selector) = place, let outer = selector.description.wholeMatch(of: /(.+)\.attributes/)?.1,
            selection.withRecord(at: 0, { record -> Bool? in record["id"] == nil && record.kind == .object }) == true
        {
            return "the records are the 'attributes' of others, whose id is left out; write record_selector: \(outer)"
        }
        let width = selection.withRecord(at: 0) { record -> Int? in
            guard record.kind == .array, record.elements.allSatisfy({ $0.kind == .string }) else { return nil }
            return record.elements.reduce(0) { count, _ in count + 1 }
        }
        let isRow = selection.withRecord(at: 1) { record -> Bool? in
            record.kind == .array && record.elements.reduce(0) { count, _ in count + 1 } == width
        }
        guard let width, width > 1, isRow == true else { return nil }
        return
            "the records are lists; if the first has the names of the columns, write record_shape: { type: rows, names: first }"
    }

    /// Returns the place of a list of objects beside the only object that the configuration selects, or beside the one whose values it selects.
    /// It is nil if there is none, or if the object looks like a record.
    private func listBeside(in document: Document) -> (path: String, count: Int)? {
        guard case .selector(let selector) = place, selection.count > 0 else { return nil }
        return document.withRoot { root -> (path: String, count: Int)? in
            let way = selector.way(in: root)
            guard let object = way.last?.node, object.kind == .object, !RecordNames.looksLikeRecord(object),
                let owner = way.dropLast().last, owner.node.kind == .object,
                selection.withRecord(at: 0, { $0.isSame(as: object) || ![.array, .object].contains($0.kind) }) == true
            else { return nil }
            for (key, value) in owner.node.members where value.kind == .array {
                let count = value.elements.reduce(0) { count, _ in count + 1 }
                let name = key.text
                guard count > 1, value.elements.allSatisfy({ $0.kind == .object }),
                    !BodyRefusal.complaints.contains(name), !name.hasPrefix("include"), !name.hasSuffix("links")
                else { continue }
                return (owner.path + Selector.shortSegment(named: name), count)
            }
            return nil
        }
    }

    /// A fingerprint of all records.
    var digest: String { body?.text ?? selection.digest }

    /// Returns true if the body is taken for the only record, and holds an empty list or object.
    func isHollow(in document: Document) -> Bool {
        place == .wholeBody
            && document.withRoot { root in
                root.members.contains { [.array, .object].contains($0.value.kind) && $0.value.saysNothing }
            }
    }

    /// Returns a fingerprint of all records without a number and those beside it: a page may also name the one before it.
    func digest(without number: Int) -> String {
        let own = (-1...1).map { Array("\(number &+ $0)".utf8) }
        var list = ListFingerprint()
        selection.forEach { record in
            var (others, digits) = ([UInt8](), [UInt8]())
            for byte in record.utf8 {
                if PercentEncoding.isDigit(byte) {
                    digits.append(byte)
                    continue
                }
                if !own.contains(digits) { others += digits }
                digits.removeAll()
                others.append(byte)
            }
            others.withUnsafeBufferPointer { list.add($0) }
        }
        return list.value.text
    }

    /// Returns what was found in the first piece of JSON Lines: each line is a record.
    func ofLines(_ document: Document, asOne body: Fingerprint) -> FoundRecords {
        let place: Place = if case .selector = self.place { self.place } else { .detected(.array) }
        var found = FoundRecords(
            selection: document.withRoot { Selection(valuesOf: $0, in: document) }, place: place)
        (found.doubt, found.body) = (doubt, body)
        return found
    }

    enum Place: Equatable {
        /// The place that the configuration names.
        case selector(Selector)
        /// The place that later pages of the read must use.
        case detected(ReadHistory.Place)
        /// The body is the only record.
        case wholeBody

        /// The place as a JSONPath; nil if the configuration names it.
        var path: String? {
            switch self {
            case .selector: nil
            case .detected(let place): place.path
            case .wholeBody: "$"
            }
        }

        /// The name of the list; nil if it has none, or if the configuration names it.
        var lastName: String? {
            switch remembered {
            case .member(let name)?: name
            case .path(let names)?: names.last
            case .array?, .second?, nil: nil
            }
        }

        /// The place that later pages of the read must use; nil if there is nothing to remember.
        var remembered: ReadHistory.Place? { if case .detected(let place) = self { place } else { nil } }
    }

    /// Returns the same records, with a doubt if there are none, and a list of another usual name may hold them.
    func besideOthers(_ names: RecordNames, below root: Node) -> FoundRecords {
        guard selection.count == 0, let path = place.path, root.kind == .object else { return self }
        let other = root.members.first { key, value in
            let place = "$" + Selector.shortSegment(named: key.text)
            return value.kind == .array && names.isUsual(key.text) && !path.hasPrefix(place)
                && value.elements.contains { $0.kind == .object }
        }
        guard let other else { return self }
        var found = self
        found.doubt = .emptyBeside("$" + Selector.shortSegment(named: other.key.text), list: path)
        return found
    }

    /// Returns the same records, with a doubt if a list beside theirs has others with the same members, a key among them.
    ///
    /// Records that an answer includes for others have the members of any, and a list may stand there twice, in whole or in part. Where the
    /// configuration selects one list, only one of a name that any API may use is another part of it.
    func besideTwin(_ names: RecordNames, below root: Node, ignoring ignored: [Selector]) -> FoundRecords {
        let way = way(in: root)
        guard doubt == nil, let own = way.last, let owner = way.dropLast().last, owner.node.kind == .object,
            owner.node.members.contains(where: { $0.value.kind == .array && !$0.value.isSame(as: own.node) }),
            let members = names.members(ofFirstIn: own.node)
        else { return self }
        var isSelected = false
        if case .selector = place {
            // A selector may select several lists, or a part of one.
            guard selection.count == own.node.elements.reduce(0, { count, _ in count + 1 }) else { return self }
            isSelected = true
        }
        let settled = ignored.compactMap { $0.first(in: root) }
        let twin = owner.node.members.first { key, value in
            guard value.kind == .array, !value.isSame(as: own.node), names.members(ofFirstIn: value) == members,
                !names.isComplaint(key.text), !key.text.lowercased().hasPrefix("include"),
                !isSelected || names.lists(key.text), !settled.have(value)
            else { return false }
            let first = value.elements.first { _ in true }
            return !own.node.elements.contains { record in first.map { record.utf8.elementsEqual($0.utf8) } ?? false }
        }
        let name = owner.node.members.first { $0.value.isSame(as: own.node) }?.key.text
        guard let twin, let name else { return self }
        var found = self
        found.doubt = .besideTwin(twin.key.text, list: name, below: owner.path)
        return found
    }

    /// Returns the values from the root to the one that holds the records; empty if the body is the record.
    func way(in root: Node) -> [(path: String, node: Node)] {
        switch place {
        case .selector(let selector): return selector.way(in: root)
        case .detected(.array): return [(path: "$", node: root)]
        case .detected(.second): return [(path: "$", node: root), (path: "$[1]", node: root)]
        case .detected(.member(let name)): return Self.way([name], in: root)
        case .detected(.path(let names)): return Self.way(names, in: root)
        case .wholeBody: return []
        }
    }

    private static func way(_ names: [String], in root: Node) -> [(path: String, node: Node)] {
        var way = [(path: "$", node: root)]
        for name in names {
            guard let last = way.last, let next = last.node[name] else { break }
            way.append((path: last.path + Selector.shortSegment(named: name), node: next))
        }
        return way
    }

    /// Returns the number of records on the page, whatever part of each is selected.
    func count(in root: Node) -> Int {
        guard case .selector(let selector) = place, selector.passesAllChildren, !selector.selectsChildren,
            let container = selector.way(in: root).last?.node
        else { return selection.count + later }
        switch container.kind {
        case .array: return container.elements.reduce(0) { count, _ in count + 1 }
        case .object: return container.members.reduce(0) { count, _ in count + 1 }
        default: return selection.count
        }
    }
}
