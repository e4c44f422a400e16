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
    ///   - ignored: the places of lists that are none of records.
    func records(
        in document: Document, asIn place: ReadHistory.Place?, earlier: ReadHistory.Place? = nil,
        ignoring ignored: [Selector] = [], _ context: ReadContext
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
                let found = FoundRecords(selection: selection, place: isWhole ? .wholeBody : .selector(selector))
                return document.withRoot { found.besideTwin(.anyStream, below: $0, ignoring: ignored) }
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
                    return found.besideTwin(names, below: root, ignoring: ignored)
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
            return FoundRecords(valuesOf: root, at: .array, in: document)
        case .second:
            guard let pair = root.pageAndRecords else { throw .noArray(selector: "$[1]", found: root.kind.noun) }
            return FoundRecords(valuesOf: pair.records, at: .second, in: document)
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
        let place: ReadHistory.Place = path.count == 1 ? .member(path[0]) : .path(path)
        switch value.kind {
        case .array: return FoundRecords(valuesOf: value, at: place, in: document)
        case .null: return FoundRecords(valuesOf: nil, at: place, in: document)
        // Where several records are a list, APIs that are made from XML give one as an object.
        case .object where names.isRecord(value) && BodyRefusal(value) == nil:
            return FoundRecords(selection: Selection([value], in: document), place: .detected(place))
        default: throw .noArray(selector: selector, found: value.kind.noun)
        }
    }

    /// Finds the records on the first page of a read: where an earlier read had them, or else where they seem to be.
    private static func find(
        _ names: RecordNames, below root: Node, in document: Document, earlier: ReadHistory.Place?,
        _ context: ReadContext
    ) throws(FetchError.Kind) -> FoundRecords {
        guard let earlier else { return try detect(names, below: root, in: document, context) }
        if let found = try? find(earlier, of: names, below: root, in: document) {
            return found.besideOthers(names, below: root)
        }
        // A list that is not empty and has a usual name may be the records. Nothing is deleted on the strength of that.
        var found = FoundRecords(valuesOf: nil, at: earlier, in: document)
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
                return FoundRecords(valuesOf: pair.records, at: .second, in: document)
            }
            return FoundRecords(valuesOf: root, at: .array, in: document)
        }
        let arrays = arrays(below: root)
        var ofObjects = arrays.filter { $0.value.elements.contains { $0.kind == .object } }
        // JSON:API has beside the records what they refer to.
        if arrays.contains(where: { $0.name == "data" }) {
            ofObjects.removeAll { $0.name == "included" && !names.lists($0.name) }
        }
        // Next to records, these arrays report errors.
        if ofObjects.count > 1 { ofObjects.removeAll { BodyRefusal.complaints.contains($0.name) } }
        // Beside anything else, these lead to other pages.
        if root.members.dropFirst().contains(where: { _ in true }) {
            ofObjects.removeAll { !names.lists($0.name) && $0.value.isListOfLinks(named: $0.name) }
        }
        // Beside a list of a usual name, these repeat what was asked for.
        if ofObjects.count > 1, ofObjects.contains(where: { names.isUsual($0.name) }) {
            ofObjects.removeAll { !names.lists($0.name) && $0.value.repeatsFilters(named: $0.name) }
        }
        if ofObjects.count > 1 { throw .severalArrays(ofObjects.map(\.name)) }
        let empty = names.emptyPage(among: arrays, of: root)
        let filled = ofObjects.first { !(names.isComplaint($0.name) && empty.map { names.isUsual($0.name) } ?? false) }
        // Beside null in the place of the list, an empty list of another name is something else.
        if filled == nil, let empty, !names.lists(empty.name), !names.isRecord(root),
            let null = root.members.first(where: { $0.value.isNull && names.lists($0.key.text) })
        {
            return FoundRecords(valuesOf: nil, at: .member(null.key.text), in: document)
        }
        // Errors stand beside a list that stands deeper.
        if let filled, names.isComplaint(filled.name), ofObjects.count == 1, !names.isRecord(root),
            let nested = NestedArray(below: root)
        {
            return FoundRecords(valuesOf: nested.array, at: .path(nested.names), in: document)
        }
        if filled == nil, let empty, !context.followsAsBefore,
            let rival = RivalList(of: empty.name, below: root, names)
        {
            return rival.found(beside: empty, in: document)
        }
        if let (name, value) = filled ?? empty {
            if context.isFirst, names.isDoubtful(name, in: root) { throw .arrayInRecord(name: name) }
            return FoundRecords(valuesOf: value, at: .member(name), in: document)
        }
        if !context.followsAsBefore, !names.isRecord(root), let nested = NestedArray(below: root) {
            return FoundRecords(valuesOf: nested.array, at: .path(nested.names), in: document)
        }
        // A table that has the whole body for its only row keeps it, and its owner is told of the list.
        let paged = names.isRecord(root) ? nil : PagedList(below: root)
        if let paged, paged.isOnly, context.isFirst || context.shape != nil, !context.followsAsBefore {
            var found = FoundRecords(valuesOf: paged.array, at: .path(paged.names), in: document)
            if found.selection.count == 0 { found.doubt = .besidePagedList(paged.selector) }
            return found
        }
        if EmptyList.isSaid(root, mayHaveLists: context.isFirst),
            !names.isRecord(root) || root["resourceType"]?.string == "Bundle"
        {
            return EmptyList.found(in: document, at: .detected(.array))
        }
        // An object without members is no record of a table that has some, and objects without members are none of any.
        if root.holdsEmptyObjectsOnly, !context.isFirst || !root.isEmptyObject {
            var found = FoundRecords(valuesOf: nil, at: .array, in: document)
            found.doubt = Verdict(
                .contradicted, "the answer is an object without \(root.isEmptyObject ? "members" : "values")",
                advice: "set record_selector, which says where the records stand")
            return found
        }
        var found = FoundRecords(selection: Selection([root], in: document), place: .wholeBody)
        found.pagedList = paged?.selector
        return found
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
