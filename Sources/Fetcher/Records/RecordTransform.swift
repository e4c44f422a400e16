import GarnerCatalog
import GarnerJSON
import GarnerModel

/// Turns what a response has into the records that are stored: shape, deletions, filter, fields, in this order.
///
/// Pages are counted between shape and filter. Records are composed anew only where necessary; numbers keep their digits.
struct RecordTransform: Sendable {
    private let shape: RecordShape
    /// True if the configuration does not name the value that holds the records.
    private let isWhole: Bool
    private let filter: FilterExpression?
    private let deletedWhen: FilterExpression?
    private let fields: FieldRules
    /// The largest size of the records that are written anew: that of a body.
    private let limit: Int
    private let rules: FieldTree?
    private let namedFields: [NamedField]
    /// The columns that are made of what is in a record, or of the bounds of its read.
    private let columns: [ComposedColumn]
    private let incremental: Incremental
    /// True if a read asks for all records, so that rows of others may be missing.
    private let readsAll: Bool

    init(of stream: StreamConfiguration) {
        shape = stream.recordShape
        isWhole = stream.recordSelector == nil
        filter = stream.recordFilter
        deletedWhen = stream.deletedWhen
        fields = stream.fields
        limit = stream.limits.body
        rules = FieldTree(stream.fields)
        namedFields = stream.namedFields
        columns = stream.fields.composed.filter { !$0.isOfSlice }
        incremental = stream.incremental ?? Incremental(cursorField: nil)
        readsAll = stream.incremental == nil
    }

    /// True if records are looked at or written anew one by one.
    var writesRecords: Bool { !takesObjects || filter != nil || deletedWhen != nil || rules != nil }

    /// True if the records are the values that are selected.
    var takesObjects: Bool { shape == .objects }

    /// True if no record is taken for what stands in another one. Only a filter's `$` looks there.
    var looksAtOneRecord: Bool {
        takesObjects && ![filter, deletedWhen].contains { $0?.description.contains("$") == true }
    }

    /// Returns the records as they are stored of the lines behind the first ones. Checks that all of them are valid.
    ///
    /// - Parameters:
    ///   - found: The first ones. The number of the others is noted there.
    ///   - unseen: The fields that none of the first ones has. Those that the others have are removed.
    func later(
        _ lines: LinedBody, in window: ReadWindow, _ found: inout FoundRecords, _ unseen: inout [UnseenField]
    ) throws -> LaterRecords {
        var (all, count, deletions) = (0, 0, 0)
        try lines.forEach { document in
            let received = document.withRoot { Selection(valuesOf: $0, in: document) }
            let piece = try stored(received, in: window)
            all += received.count
            count += piece.records.count
            deletions += piece.deletions.count
            found.doubt = found.doubt ?? piece.doubt
            guard !unseen.isEmpty else { return }
            let still = received.unseen(of: unseen.map(\.field), guesses: false).map(\.field.text)
            unseen.removeAll { !still.contains($0.field.text) }
        }
        found.later = all
        return LaterRecords(count: count, deletions: deletions) { body in
            try lines.forEach { document in
                try body(piece(of: document.withRoot { Selection(valuesOf: $0, in: document) }, in: window))
            }
        }
    }

    private func piece(of received: Selection, in window: ReadWindow) throws(FetchError.Kind) -> RecordPiece {
        let (records, deletions, _) = try stored(received, in: window)
        return RecordPiece(records: records, deletions: deletions)
    }

    /// Returns the records in the values that `selector` selects.
    ///
    /// - Parameters:
    ///   - names: the digest of the names that the first rows of earlier pages had; nil if there were none.
    ///   - ignored: the places of members of the whole body that are no entries.
    func shaped(
        _ selector: Selector, in document: Document, namedAs names: String? = nil, ignoring ignored: [Selector] = [],
        _ context: ReadContext = ReadContext()
    ) throws(FetchError.Kind) -> FoundRecords {
        var text = RecordText(limit: limit)
        let members: NamedEntries? = try document.withRoot { root throws(FetchError.Kind) in
            if isWhole {
                guard root.kind == .array || root.kind == .object else { throw .scalar(found: root.kind.noun) }
                // Without a path to the records, an error of the server must not be stored as a record.
                if let refusal = BodyRefusal(root) ?? BodyRefusal(messageOnly: root) { throw refusal.kind }
            }
            let containers = selector.elements(in: root)
            guard !containers.isEmpty else {
                if let refusal = RecordSelection.refusal(root) { throw refusal.kind }
                throw .missingPath(selector: "\(selector)", found: root.members.prefix(20).map(\.key.text))
            }
            let areMembers = isWhole || selector.isRoot
            let none = areMembers ? ignored.compactMap { $0.first(in: root) } : []
            var entries: NamedEntries?
            for container in containers where container.kind != .null {
                switch shape {
                case .objects: break
                case .columns: try text.append(columns: container, at: selector)
                case .entries(let key, let value):
                    if areMembers {
                        // Another request may well bring other fields.
                        let earlier = context.asksAnew ? nil : AnswerShape(text: context.shape)?.fields
                        entries = NamedEntries(
                            container, ignoring: none, earlier: earlier, namesMember: !fields.hidesValues)
                    }
                    try text.append(entries: container, key, value, at: selector) {
                        entries?.leavesOut($0) == true || none.have($0)
                    }
                case .rows(let names): try text.append(rows: container, try Self.names(names, in: root))
                }
            }
            return entries
        }
        let seen = text.names.map(Self.digest) ?? names
        // A first row of values, taken for names, would be lost and name the others wrongly.
        if let names, seen != names {
            throw .shape(
                reason: "the first row has other names than on the page before; if only the first page has names, "
                    + "list them in names")
        }
        let selection = try text.selection()
        if selection.count == 0, !isWhole, let refusal = document.withRoot(RecordSelection.refusal) {
            throw refusal.kind
        }
        var found = FoundRecords(selection: selection, place: .selector(selector))
        found.rowNames = seen
        (found.doubt, found.fields) = (members?.doubt, members?.fields)
        return found
    }

    /// Returns the fields that the configuration names and none of the shaped records has.
    func unseenFields(of selection: Selection, isFirst: Bool) -> [UnseenField] {
        selection.unseen(of: namedFields, guesses: isFirst)
    }

    /// The records of a page that meet the filter or are deleted, the indices of those that say that their rows are to be deleted, and the
    /// doubt about others for which `deleted_when` holds, or that a value of another kind leaves out; nil if there are none.
    typealias Stored = (records: Selection, deletions: Set<Int>, doubt: Verdict?)

    /// Returns the records as they are stored.
    func stored(_ selection: Selection, in window: ReadWindow) throws(FetchError.Kind) -> Stored {
        let (selection, deletions, doubt) = try chosen(selection)
        guard let rules else { return (selection, deletions, doubt) }
        let shaping = FieldShaping(
            rules, adding: columns, bounds: bounds(of: window), hashKey: Array(fields.hash.key.reveal().utf8),
            limit: limit, from: selection.document)
        return (try shaping.records(of: selection), deletions, doubt)
    }

    /// Returns the bounds that columns have, as requests have them.
    private func bounds(of window: ReadWindow) -> Bindings {
        var bounds: Bindings = [:]
        for placeholder in columns.flatMap(\.placeholders) {
            let format: DatetimeFormat? = if case .time(let time) = placeholder { time.format } else { nil }
            bounds[placeholder] = (placeholder.isStart ? window.start : window.end).flatMap {
                incremental.requestText(of: $0, as: format)
            }
        }
        return bounds
    }

    /// Returns the records that meet the filter or are deleted. A deleted record may have lost what the filter asks for.
    ///
    /// A record that meets `deleted_when` by what it lacks does not say that it is deleted, and is one like any other.
    private func chosen(_ selection: Selection) throws(FetchError.Kind) -> Stored {
        guard filter != nil || deletedWhen != nil else { return (selection, [], nil) }
        var deletions: Set<Int> = []
        var (unsaid, odd): (UnsaidCondition?, UnsaidCondition?)
        do throws(FilterLimitError) {
            let records = try selection.document.withRoot { root throws(FilterLimitError) in
                var filter = filter.map { FilterEvaluation($0, root: root) }
                // This one looks again at what the filter leaves out, with steps of its own.
                var oddities = filter
                var deletion = deletedWhen.map { FilterEvaluation($0, root: root) }
                var records: [Node] = []
                try selection.forEach { record throws(FilterLimitError) in
                    if try deletion?.matches(record) == true {
                        guard let found = try deletion?.unsaid(by: record) else {
                            deletions.insert(records.count)
                            records.append(record)
                            return
                        }
                        unsaid = unsaid ?? found
                    }
                    if try filter?.matches(record) ?? true {
                        records.append(record)
                    } else if odd == nil, (try? oddities?.leavesOutOtherKind(record)) == true {
                        odd = try? oddities?.unsaid(by: record)
                    }
                }
                return Selection(records, in: selection.document)
            }
            let notDeleted = unsaid.map { Verdict.notDeleted($0, mayLeaveOut: readsAll && filter == nil) }
            return (records, deletions, notDeleted ?? odd.map(Verdict.otherKind))
        } catch {
            throw .filterLimit(steps: error.steps)
        }
    }

    /// Returns what the first record has where the filter compares it; nil if nothing tells, or if values of records are not to be stored.
    func mismatch(in selection: Selection) -> String? {
        guard let filter, !fields.hidesValues else { return nil }
        return selection.withRecord(at: 0) { record in
            guard let found = filter.mismatch(in: record) else {
                // RFC 9535, 2.3.5.2.2: nothing is not null.
                return filter.description.firstMatch(of: /(@(?:\.\w+)+)\s*==\s*null/).flatMap { match -> String? in
                    let names = match.1.split(separator: ".").dropFirst()
                    guard let name = names.first, names.count == 1, record[String(name)] == nil else { return nil }
                    return "\(match.1) is missing, which is not null: write (\(match.1) == null || !\(match.1))"
                }
            }
            let text = found.value.text.prefix(40)
            let value =
                switch found.value.kind {
                case .array: "a list"
                case .object: "an object"
                case .string: "'\(text)'"
                case .null, .true, .false:
                    "\(text)" + (filter.description.contains("'\(text)'") ? ", which is written without quotes" : "")
                case .integer, .real, .number: String(text)
                }
            let kind =
                found.value.kind == .string
                ? "a text, which no number is compared with\(wayOut(of: filter, at: found.path))"
                : "a number, and no text\(wayOut(of: filter, at: found.path, for: found.value))"
            return "\(found.path) is \(value)" + (found.isOfOtherKind ? ", \(kind)" : "")
        }
    }

    /// Returns what to write where a filter compares a number with a number in quotes; nothing if that cannot be told.
    private func wayOut(of filter: FilterExpression, at path: String, for number: Node) -> String {
        guard [.integer, .real, .number].contains(number.kind) else { return "" }
        let comparisons = filter.description.matches(
            of: /(@(?:\.\w+)+)\s*(<=|>=|<|>|==|!=)\s*['"](-?[0-9]+(?:\.[0-9]+)?)['"]/)
        return comparisons.first { $0.1 == path }.map { "; write \($0.1) \($0.2) \($0.3) for a number" } ?? ""
    }

    /// Returns what to write where a filter compares a text with a number; nothing if that cannot be told.
    private func wayOut(of filter: FilterExpression, at path: String) -> String {
        let comparisons = filter.description.matches(
            of: /(@\.\w+)\s*(<=|>=|<|>|==|!=)\s*(-?[0-9]+(?:\.[0-9]+)?)(?![\w.])/)
        guard let found = comparisons.first(where: { $0.1 == path }) else { return "" }
        guard found.2 != "==", found.2 != "!=" else { return "; write \(path) \(found.2) '\(found.3)' for a text" }
        return
            "; leave record_filter out, and write WHERE CAST(\"\(path.dropFirst(2))\" AS REAL) \(found.2) \(found.3) in queries"
    }

    /// Returns the doubt whether the filter is meant to leave out all of these records: none has what it compares, or the first has something
    /// else there. Nil if one of them says that it does not meet the filter.
    ///
    /// - Parameter unseen: The fields that the configuration names and none of them has.
    func doubt(onFilterOf selection: Selection, lacking unseen: [UnseenField]) -> Verdict? {
        guard let filter else { return nil }
        var (first, isSaid): (UnsaidCondition?, Bool) = (nil, false)
        selection.document.withRoot { root in
            var evaluation = FilterEvaluation(filter, root: root)
            selection.forEach { record in
                guard !isSaid, let unsaid = try? evaluation.unsaid(by: record) else {
                    isSaid = true
                    return
                }
                first = first ?? unsaid
            }
        }
        guard !isSaid, let first else { return nil }
        if let field = unseen.first(where: \.field.isCompared)?.field {
            return Verdict(
                .contradicted, "no record has '\(field.text)', which record_filter compares, so that all are left out",
                advice: "correct record_filter, or add optional_fields: [\(field.written)] if records may lack it")
        }
        guard first.isOfOtherKind else { return nil }
        return Verdict(
            .contradicted, "record_filter leaves out all records, as \(first.finding)", advice: "correct record_filter")
    }

    private static func digest(of names: [String]) -> String {
        var hash = StableHash()
        for name in names { hash.add(Array(name.utf8) + [0]) }
        return String(hash.value, radix: 16)
    }

    /// Returns the names of a row's values; nil if the first row has them.
    private static func names(
        _ names: RecordShape.RowNames, in root: Node
    ) throws(FetchError.Kind) -> [String]? {
        switch names {
        case .list(let list): return list
        case .first: return nil
        case .path(let path):
            let found = path.elements(in: root)
            let values = path.isSingular ? found.flatMap { Array($0.elements) } : found
            let texts = values.compactMap(\.string)
            guard !texts.isEmpty, texts.count == values.count else {
                throw .shape(reason: "\(path) does not select the names of the values")
            }
            try RecordText.checkUnique(texts)
            return texts
        }
    }
}

extension Verdict {
    /// The judgement on a page with records that `record_filter` leaves out since they have another kind of value where it compares one.
    fileprivate static func otherKind(_ odd: UnsaidCondition) -> Verdict {
        let leavingOut = odd.leavingOut.map { ", or write record_filter: \(YAMLText.quoted($0)) if they are not meant" }
        return Verdict(
            .contradicted,
            "record_filter leaves out records, as \(odd.finding), which it compares with another kind of value",
            advice: "correct record_filter" + (leavingOut ?? ""))
    }

    /// The judgement on a page with records that meet `deleted_when` and do not say that they are deleted.
    fileprivate static func notDeleted(_ unsaid: UnsaidCondition, mayLeaveOut: Bool) -> Verdict {
        // A row goes only where something says so: a record that says nothing is left out, and its row is missing.
        let others = unsaid.others.flatMap { mayLeaveOut ? YAMLText.quoted($0) : nil }
        let leavingOut = others.map {
            "write record_filter: \($0) with delete_missing in the place of deleted_when if they are"
        }
        let careful = unsaid.careful.map { "write deleted_when: \(YAMLText.quoted($0)) if they are not deleted" }
        let advice = [careful ?? "ask in deleted_when for what only deleted records have", leavingOut]
        return Verdict(
            .silent, "records that meet deleted_when and do not say that they are deleted were kept: \(unsaid.finding)",
            advice: advice.compactMap(\.self).joined(separator: ", or "))
    }
}
