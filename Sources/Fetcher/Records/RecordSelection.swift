import GarnerCatalog
import GarnerDigest
import GarnerJSON
import GarnerModel

/// The way to find the records of a page.
enum RecordSelection: Sendable {
    case selector(Selector)
    /// The body if it is an array, or the only array of objects in it, or the object itself.
    case automatic(RecordNames)

    var isAutomatic: Bool { if case .automatic = self { true } else { false } }

    /// Returns the records of a page and their place.
    ///
    /// - Parameters:
    ///   - place: the place of the records on earlier pages of the read, if it was detected.
    ///   - earlier: the place of the records in an earlier read of the list, if one is known.
    ///   - context: the findings of earlier reads.
    func records(
        in document: Document, asIn place: ReadHistory.Place?, earlier: ReadHistory.Place? = nil, _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        switch self {
        case .selector(let selector):
            do throws(FetchError.Kind) {
                let selection = try Self.select(selector, in: document, context)
                // No records beside an error are not known to be none.
                if selection.count == 0, let refusal = document.withRoot(Self.refusal) { throw refusal.kind }
                if selection.count == 0, selector.isOfRoot, document.withRoot({ Self.isNoList($0, context) }) {
                    return EmptyList.found(in: document, at: .selector(selector))
                }
                let isWhole = selector.isRoot && document.withRoot { $0.kind == .object }
                return FoundRecords(selection: selection, place: isWhole ? .wholeBody : .selector(selector))
            } catch {
                if let refusal = document.withRoot(Self.refusal) { throw refusal.kind }
                guard case .missingPath = error, document.withRoot({ EmptyList.isSaid($0) }) else { throw error }
                return EmptyList.found(in: document, at: .selector(selector))
            }
        case .automatic(let names):
            return try document.withRoot { root throws(FetchError.Kind) in
                guard root.kind == .array || root.kind == .object else { throw .scalar(found: root.kind.noun) }
                if let refusal = BodyRefusal(root) { throw refusal.kind }
                do throws(FetchError.Kind) {
                    let found =
                        if let place {
                            try Self.find(place, of: names, below: root, in: document).besideOthers(names, below: root)
                        } else {
                            try Self.find(names, below: root, in: document, earlier: earlier, context)
                        }
                    if found.place == .wholeBody {
                        // A table whose records were in a list asks for no single record, either.
                        let isNoRecord = context.isFirst || AnswerShape(text: context.shape)?.isMap != nil
                        if let refusal = BodyRefusal(withoutList: root, isFirst: isNoRecord) { throw refusal.kind }
                    } else if found.selection.count == 0, let refusal = BodyRefusal(withoutRecords: root) {
                        throw refusal.kind
                    }
                    return found.besideTwin(names, below: root)
                } catch {
                    if let refusal = BodyRefusal(withoutRecords: root) { throw refusal.kind }
                    throw error
                }
            }
        }
    }

    /// Returns true for a body that should be the list, and is null or `{}` instead. Later, null is an empty list, and `{}` a map of none.
    private static func isNoList(_ root: Node, _ context: ReadContext) -> Bool {
        guard root.kind != .array, root.saysNothing else { return false }
        return context.isFirst || root.kind == .object && AnswerShape(text: context.shape)?.isMap != true
    }

    /// Returns the refusal in a body without records; nil if it is none.
    static func refusal(_ root: Node) -> BodyRefusal? { BodyRefusal(root) ?? BodyRefusal(withoutRecords: root) }

    /// Returns the records at a place detected on an earlier page of the read.
    private static func find(
        _ place: ReadHistory.Place, of names: RecordNames, below root: Node, in document: Document
    ) throws(FetchError.Kind) -> FoundRecords {
        switch place {
        case .member(let member): return try find([member], of: names, below: root, in: document)
        case .path(let path): return try find(path, of: names, below: root, in: document)
        case .array:
            guard root.kind == .array else { throw .noArray(selector: "$", found: root.kind.noun) }
            return FoundRecords(selection: Selection(valuesOf: root, in: document), place: .detected(.array))
        case .second:
            guard let pair = root.pageAndRecords else { throw .noArray(selector: "$[1]", found: root.kind.noun) }
            return FoundRecords(selection: Selection(valuesOf: pair.records, in: document), place: .detected(.second))
        }
    }

    private static func select(
        _ selector: Selector, in document: Document, _ context: ReadContext
    ) throws(FetchError.Kind) -> Selection {
        let lone = try document.withRoot { root throws(FetchError.Kind) in
            try LoneRecord(at: selector, below: root, context).map { Selection([$0.node], in: document) }
        }
        if let lone { return lone }
        let selection = selector.select(in: document)
        return try document.withRoot { root throws(FetchError.Kind) in
            if selector.isSingular {
                // An array stands for its values, since most people write `$.data` for `$.data[*]`.
                guard let value = selector.first(in: root) else { throw missing(selector, below: root) }
                switch value.kind {
                case .array: return Selection(valuesOf: value, in: document)
                case .object: return selection
                case .null: return Selection([], in: document)
                // A text in the place of the list is an excuse rather than a record.
                default: throw .noArray(selector: "\(selector)", found: value.kind.noun)
                }
            }
            guard selection.count == 0 else { return selection }
            switch selector.absence(in: root) {
            case .empty: return selection
            case .missing: throw missing(selector, below: root)
            case .noContainer(let kind): throw .noArray(selector: "\(selector)", found: kind.noun)
            }
        }
    }

    /// Finds the records at a path detected on an earlier page. A later page may look different: an empty array on it
    /// is not a reason to take the body for a record.
    private static func find(
        _ path: [String], of names: RecordNames, below root: Node, in document: Document
    ) throws(FetchError.Kind) -> FoundRecords {
        let selector = "$" + path.map(Selector.shortSegment(named:)).joined()
        var value = root
        for name in path {
            guard let next = value[name] else { throw .missingPath(selector: selector, found: Self.names(below: root)) }
            value = next
        }
        let place = FoundRecords.Place.detected(path.count == 1 ? .member(path[0]) : .path(path))
        switch value.kind {
        case .array: return FoundRecords(selection: Selection(valuesOf: value, in: document), place: place)
        case .null: return FoundRecords(selection: Selection([], in: document), place: place)
        // Where several records are a list, APIs that are made from XML give one as an object.
        case .object where names.isRecord(value) && BodyRefusal(value) == nil:
            return FoundRecords(selection: Selection([value], in: document), place: place)
        default: throw .noArray(selector: selector, found: value.kind.noun)
        }
    }

    /// Finds the records on the first page of a read: where an earlier read had them, or else where they seem to be.
    private static func find(
        _ names: RecordNames, below root: Node, in document: Document, earlier: ReadHistory.Place?,
        _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        guard let earlier else {
            return try detect(names, below: root, in: document, context)
        }
        if let found = try? find(earlier, of: names, below: root, in: document) {
            return found.besideOthers(names, below: root)
        }
        // A list that is not empty and has a usual name may be the records. Nothing is deleted on the strength of that.
        var found = FoundRecords(selection: Selection([], in: document), place: .detected(earlier))
        found.doubt = .placeIsMissing(earlier, below: root)
        if let other = try? detect(names, below: root, in: document, context), other.selection.count > 0,
            let place = other.place.remembered, names.isUsual(place)
        {
            found = other
            found.doubt = .placeIsMissing(earlier, below: root, found: other.place.path)
        }
        return found
    }

    private static func detect(
        _ names: RecordNames, below root: Node, in document: Document, _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        if root.kind == .array {
            if !context.followsAsBefore, let pair = root.pageAndRecords {
                return FoundRecords(
                    selection: Selection(valuesOf: pair.records, in: document), place: .detected(.second))
            }
            return FoundRecords(selection: Selection(valuesOf: root, in: document), place: .detected(.array))
        }
        let arrays = arrays(below: root)
        var ofObjects = arrays.filter { $0.value.elements.contains { $0.kind == .object } }
        // Next to records, these arrays report errors.
        if ofObjects.count > 1 { ofObjects.removeAll { BodyRefusal.complaints.contains($0.name) } }
        // Beside anything else, these lead to other pages.
        if root.members.dropFirst().contains(where: { _ in true }) {
            ofObjects.removeAll { !names.lists($0.name) && $0.value.isListOfLinks(named: $0.name) }
        }
        if ofObjects.count > 1 { throw .severalArrays(ofObjects.map(\.name)) }
        let empty = names.emptyPage(among: arrays, of: root)
        let filled = ofObjects.first { !(names.isComplaint($0.name) && empty.map { names.isUsual($0.name) } ?? false) }
        // Beside null in the place of the list, an empty list of another name is something else.
        if filled == nil, let empty, !names.lists(empty.name), !names.isRecord(root),
            let null = root.members.first(where: { $0.value.isNull && names.lists($0.key.text) })
        {
            return FoundRecords(
                selection: Selection([], in: document), place: .detected(.member(null.key.text)))
        }
        // Errors stand beside a list that stands deeper.
        if let filled, names.isComplaint(filled.name), ofObjects.count == 1, !names.isRecord(root),
            let nested = NestedArray(below: root)
        {
            return FoundRecords(
                selection: Selection(valuesOf: nested.array, in: document), place: .detected(.path(nested.names)))
        }
        if filled == nil, let empty, !context.followsAsBefore,
            let rival = RivalList(of: empty.name, below: root, names)
        {
            return rival.found(beside: empty, in: document)
        }
        if let (name, value) = filled ?? empty {
            if context.isFirst, names.isDoubtful(name, in: root) { throw .arrayInRecord(name: name) }
            return FoundRecords(selection: Selection(valuesOf: value, in: document), place: .detected(.member(name)))
        }
        if !context.followsAsBefore, !names.isRecord(root), let nested = NestedArray(below: root) {
            return FoundRecords(
                selection: Selection(valuesOf: nested.array, in: document), place: .detected(.path(nested.names)))
        }
        if EmptyList.isSaid(root, mayHaveLists: context.isFirst),
            !names.isRecord(root) || root["resourceType"]?.string == "Bundle"
        {
            return EmptyList.found(in: document, at: .detected(.array))
        }
        // An object without members is no record of a table that has some, and objects without members are none of any.
        if root.holdsEmptyObjectsOnly, !context.isFirst || !root.isEmptyObject {
            var found = FoundRecords(selection: Selection([], in: document), place: .detected(.array))
            found.doubt = Verdict(
                .contradicted, "the answer is an object without \(root.isEmptyObject ? "members" : "values")",
                advice: "set record_selector, which says where the records stand")
            return found
        }
        return FoundRecords(selection: Selection([root], in: document), place: .wholeBody)
    }

    /// Returns the members that are arrays. Of duplicate names, the last counts.
    private static func arrays(below root: Node) -> [(name: String, value: Node)] {
        var last: [[UInt8]: (place: Int, value: Node)] = [:]
        for (place, member) in root.members.enumerated() { last[Array(member.key.utf8)] = (place, member.value) }
        return last.filter { $0.value.value.kind == .array }.sorted { $0.value.place < $1.value.place }
            .map { (name: String(decoding: $0.key, as: UTF8.self), value: $0.value.value) }
    }

    private static func missing(_ selector: Selector, below root: Node) -> FetchError.Kind {
        .missingPath(selector: "\(selector)", found: names(below: root))
    }

    private static func names(below root: Node) -> [String] { root.members.prefix(20).map(\.key.text) }
}

extension Node.Kind {
    /// The kind with its article, for a sentence.
    var noun: String {
        switch self {
        case .null: "null"
        case .true, .false: "a boolean"
        case .integer, .real, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

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
    /// True if the answer says without a list that there are no records.
    var isEmptyList = false
    /// The number of records behind these, in later pieces of a long body.
    var later = 0
    /// The fingerprint of a body that comes in pieces; nil if these are all records.
    private var body: Fingerprint?

    /// Creates what was found without a doubt.
    init(selection: Selection, place: Place) { (self.selection, self.place) = (selection, place) }

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
    /// What an answer includes for other records has the members of any, and a list may stand there twice, in whole or in part.
    func besideTwin(_ names: RecordNames, below root: Node) -> FoundRecords {
        let way = way(in: root)
        guard doubt == nil, let own = way.last, let owner = way.dropLast().last, owner.node.kind == .object,
            owner.node.members.contains(where: { $0.value.kind == .array && !$0.value.isSame(as: own.node) }),
            let members = names.members(ofFirstIn: own.node)
        else { return self }
        let twin = owner.node.members.first { key, value in
            guard value.kind == .array, !value.isSame(as: own.node), names.members(ofFirstIn: value) == members,
                !names.isComplaint(key.text), !key.text.lowercased().hasPrefix("include")
            else { return false }
            let first = value.elements.first { _ in true }
            return !own.node.elements.contains { record in first.map { record.utf8.elementsEqual($0.utf8) } ?? false }
        }
        guard let twin, let name = place.lastName else { return self }
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

/// The names that distinguish an empty page from a record whose only array happens to be empty.
struct RecordNames: Sendable {
    /// Names of members that usually hold records.
    private static let usual: Set<String> = ["data", "entries", "items", "records", "results", "value", "values"]
    /// More names of members that hold records, used only in addition to other evidence.
    private static let others: Set<String> = [
        "children", "content", "docs", "edges", "features", "hits", "list", "nodes", "response", "result", "rows",
    ]
    /// Names of members that usually identify a record.
    private static let usualKeys = ["id", "_id", "uuid", "key", "slug"]

    /// Names of members that hold records of this stream.
    private let lists: Set<String>
    /// The primary key of this stream; empty if none is configured.
    private let key: [String]

    init(of stream: StreamConfiguration) {
        let path = stream.request.path.prefix { $0 != "?" }
        let resource = path.split(separator: "/").last.map(String.init) ?? stream.name.stream
        lists = Self.usual.union([stream.name.stream, stream.table, resource])
        key = stream.primaryKey ?? []
    }

    /// Returns the one empty array in the place of the page's records; nil if `root` itself is more likely a record.
    func emptyPage(among arrays: [(name: String, value: Node)], of root: Node) -> (name: String, value: Node)? {
        let empty = arrays.filter { $0.value.elements.contains { _ in true } == false }
        let named = empty.filter { lists.contains($0.name) }
        if named.count == 1 { return named.first }
        let meant = arrays.count == 1 ? arrays : arrays.filter { !(isBeside($0.name) && $0.value.saysNothing) }
        return meant.count == 1 && meant[0].value.saysNothing && !isRecord(root) ? meant.first : nil
    }

    /// Returns true if a list with this name stands beside the records: of errors, or of what JSON:API includes.
    private func isBeside(_ name: String) -> Bool { isComplaint(name) || name == "included" && !lists.contains(name) }

    /// Returns true if the array may be a part of the one record that the body is, such as the lines of an order.
    func isDoubtful(_ name: String, in root: Node) -> Bool {
        !lists.contains(name) && !Self.others.contains(name) && root["jsonrpc"] == nil
            && Self.looksLikeRecord(root)
    }

    /// Returns true if members with this name usually hold records.
    static func isList(_ name: String) -> Bool { usual.contains(name) || others.contains(name) }

    /// Returns true if a member usually identifies a record.
    static func looksLikeRecord(_ node: Node) -> Bool { usualKeys.contains { node[$0] != nil } }

    /// Returns true if this stream's records, or those of most others, are in members with this name.
    func lists(_ name: String) -> Bool { lists.contains(name) }

    /// Returns true if this stream's records, or those of many others, are in members with this name.
    func isUsual(_ name: String) -> Bool { lists.contains(name) || Self.others.contains(name) }

    func isUsual(_ place: ReadHistory.Place) -> Bool {
        switch place {
        case .array, .second: true
        case .member(let name): isUsual(name)
        case .path(let names): names.last.map(isUsual) ?? false
        }
    }

    /// Returns true if an array with this name reports errors beside the records.
    func isComplaint(_ name: String) -> Bool { BodyRefusal.complaints.contains(name) && !lists.contains(name) }

    /// Returns the names of the members of the first record in a list; nil if it has fewer than three, or no key.
    func members(ofFirstIn list: Node) -> Set<String>? {
        guard list.kind == .array, let first = list.elements.first(where: { _ in true }), first.kind == .object,
            isRecord(first)
        else { return nil }
        let names = Set(first.members.map(\.key.text))
        return names.count > 2 ? names : nil
    }

    func isRecord(_ root: Node) -> Bool {
        key.isEmpty ? Self.looksLikeRecord(root) : key.allSatisfy { root[$0] != nil }
    }
}
