import GarnerJSON

/// When a list ends: a condition on the answer, on the number of its records, or on what leads to the next page.
struct StopCondition {
    let pages: StreamTranslation.CursorPages
    let recordSteps: [JinjaValue.Later.Step]
    /// The paginator's type.
    let records: String

    /// The meaning of a part of a condition.
    private enum Part {
        /// Garner ends there by itself; an empty page is the last one if `isEmptyPage` is true.
        case natural(isEmptyPage: Bool)
        case hasMore(String, isExact: Bool)
        case totalPages(String)
        case total(String)
        case condition(String)
    }

    /// The paginator's keys, with those that say where the list ends.
    func keys(of conditions: [JinjaValue], at node: ManifestNode) throws -> FileMapping {
        var keys = pages.keys
        var lastWhen: [String] = []
        for condition in conditions {
            for part in alternatives(condition, isTrue: true) {
                switch try meaning(of: part.value, isTrue: part.isTrue, node) {
                case .natural(let isEmptyPage):
                    if isEmptyPage, records != "page_number", records != "offset" {
                        keys["stop_after_empty_page"] = .bool(true)
                    }
                case .hasMore(let path, let isExact):
                    if ["cursor", "page_number"].contains(records),
                        keys["has_more_path"] == nil
                            || keys["has_more_path"] == .text(path)
                    {
                        keys["has_more_path"] = .text(path)
                        if !isExact, records == "cursor" { keys["stop_after_empty_page"] = .bool(true) }
                    } else {
                        lastWhen.append("\(path) == false")
                        if !isExact, records != "offset" { keys["stop_after_empty_page"] = .bool(true) }
                    }
                case .totalPages(let path): keys["total_pages_path"] = .text(path)
                case .total(let path): keys["total_path"] = .text(path)
                case .condition(let text): if !lastWhen.contains(text) { lastWhen.append(text) }
                }
            }
        }
        if let first = lastWhen.first {
            let text =
                lastWhen.count == 1 ? StreamTranslation.withoutParentheses(first) : lastWhen.joined(separator: " || ")
            keys["last_when"] = .text(text)
        }
        return keys
    }

    /// The alternatives of a condition, each of which ends the list alone; `isTrue` is false for one that must not hold.
    private func alternatives(_ value: JinjaValue, isTrue: Bool) -> [(value: JinjaValue, isTrue: Bool)] {
        if let arguments = value.arguments(of: "not"), let first = arguments.first {
            return alternatives(first, isTrue: !isTrue)
        }
        if let arguments = value.arguments(of: isTrue ? "or" : "and") {
            return arguments.flatMap { alternatives($0, isTrue: isTrue) }
        }
        if case .joined(let pieces) = value, pieces.count == 1 { return alternatives(pieces[0], isTrue: isTrue) }
        return value.isKnown && value.isFalsy == isTrue ? [] : [(value, isTrue)]
    }

    private func meaning(of value: JinjaValue, isTrue: Bool, _ node: ManifestNode) throws -> Part {
        if let part = natural(value, isTrue) { return part }
        if let part = flag(value, isTrue) { return part }
        if let part = total(value, isTrue) { return part }
        // Where two things must hold at once, it is enough that one of them ends the list in any case.
        if let arguments = value.arguments(of: isTrue ? "and" : "or") {
            if let text = try? condition(value, isTrue) { return .condition(text) }
            for argument in arguments {
                if let part = natural(argument, isTrue) { return part }
            }
            // A page that is short by itself ends the list, too: an empty one follows it.
            if value.laters.allSatisfy({ isOfRecords($0) || isLead($0) }) { return .natural(isEmptyPage: true) }
        }
        if let text = try? condition(value, isTrue) { return .condition(text) }
        throw LossError(.stopCondition, RecordCondition.shown(value), at: node)
    }

    private func condition(_ value: JinjaValue, _ isTrue: Bool) throws -> String {
        let condition = RecordCondition(
            root: .response, sign: "$", operand: { throw LossError(.stopCondition, RecordCondition.shown($0)) },
            code: .stopCondition)
        guard let text = try condition.text(value, isTrue: isTrue), (try? FilterExpression(parsing: text)) != nil else {
            throw LossError(.stopCondition)
        }
        return text
    }

    /// A condition that Garner need not be told: nothing leads on, or there are fewer records than asked for.
    private func natural(_ value: JinjaValue, _ isTrue: Bool) -> Part? {
        if let asked = emptiness(value, isTrue), let later = asked.value.later {
            if asked.isEmpty, isLead(later) { return .natural(isEmptyPage: false) }
            if isOfRecords(later) { return .natural(isEmptyPage: true) }
        }
        // A link of the header may say beside its URL that the page after it is empty.
        let laters = value.laters
        if records == "header_link", !laters.isEmpty, laters.allSatisfy({ $0.root == .headers }) {
            return .natural(isEmptyPage: true)
        }
        return nil
    }

    /// The value that must be empty, or must not be.
    private func emptiness(_ value: JinjaValue, _ isTrue: Bool) -> (value: JinjaValue, isEmpty: Bool)? {
        let bare = value.bare
        guard case .operation(let name, let arguments) = bare, let first = arguments.first else {
            return (bare, !isTrue)
        }
        let second = arguments.count > 1 ? arguments[1].bare : .missing
        switch name {
        case "not": return emptiness(first, !isTrue)
        case "none", "is none": return emptiness(first, !isTrue)
        case "defined", "is defined": return emptiness(first, isTrue)
        case "|length", "|count": return emptiness(first, isTrue)
        case "eq" where second.isFalsy && second != .bool(false): return emptiness(first, !isTrue)
        case "ne" where second.isFalsy && second != .bool(false): return emptiness(first, isTrue)
        case "gt" where second.integerValue == 0: return emptiness(first, isTrue)
        case "lt" where second.integerValue == 1: return emptiness(first, !isTrue)
        case "lt", "lteq", "ne":
            // Fewer records than a page has.
            let counted = first.bare.arguments(of: "|length")?.first?.bare ?? first.bare
            guard isTrue, second.isKnown, let later = counted.later, isOfRecords(later) else { return nil }
            return (counted, true)
        case "gteq", "eq":
            let counted = first.bare.arguments(of: "|length")?.first?.bare ?? first.bare
            guard !isTrue, second.isKnown, let later = counted.later, isOfRecords(later) else { return nil }
            return (counted, true)
        case "notin", "in":
            guard case .text(let member) = first.bare, case .later(var later) = second else { return nil }
            later.steps.append(.member(member))
            return emptiness(.later(later), (name == "in") == isTrue)
        default: return nil
        }
    }

    /// True for what leads to the next page, and for what is around it.
    private func isLead(_ later: JinjaValue.Later) -> Bool {
        pages.leads.contains { lead in
            guard lead.root == later.root, later.steps.count <= lead.steps.count else { return false }
            return zip(later.steps, lead.steps).allSatisfy { one, other in
                if case .member(let one) = one, case .member(let other) = other, lead.root == .headers {
                    return one.lowercased() == other.lowercased()
                }
                return one == other
            }
        }
    }

    /// True for the number of records, or the list of them.
    private func isOfRecords(_ later: JinjaValue.Later) -> Bool {
        switch later.root {
        case .lastPageSize: true
        // A field of the last record says something else than how many there are.
        case .lastRecord, .lastRecords:
            later.steps.allSatisfy { if case .index = $0 { true } else { false } }
        case .response: later.steps == recordSteps
        default: false
        }
    }

    /// A flag that is false, or true, on the last page.
    private func flag(_ value: JinjaValue, _ isTrue: Bool) -> Part? {
        var (asked, isTrue) = (value.bare, isTrue)
        var isExact = false
        if case .operation(let name, let arguments) = asked, let first = arguments.first {
            let second = arguments.count > 1 ? arguments[1] : .missing
            switch (name, second) {
            case ("eq", .bool(false)), ("ne", .bool(true)), ("eq", .text("False")), ("eq", .text("false")):
                isTrue.toggle()
            case ("eq", .bool(true)), ("ne", .bool(false)), ("eq", .text("True")), ("eq", .text("true")): break
            case ("is false", _): isTrue.toggle()
            case ("is true", _): break
            default: return nil
            }
            // `!= true` is more than `== false`, and a text is another value.
            isExact = name != "ne"
            if case .text = second, !first.isLower { return nil }
            asked = (first.arguments(of: "|lower")?.first ?? first).bare
        } else if asked.later?.lastName.map(Self.isFlag) != true {
            return nil
        }
        guard case .later(let later) = asked, later.root == .response, !later.steps.isEmpty else { return nil }
        let path = StreamTranslation.jsonPath(later.steps)
        return isTrue ? .condition("\(path) == true") : .hasMore(path, isExact: isExact)
    }

    /// Names of members that are true or false.
    private static func isFlag(_ name: String) -> Bool {
        let name = name.lowercased().filter { $0 != "_" && $0 != "-" }
        return ["has", "is", "more", "no"].contains { name.hasPrefix($0) } || name.hasSuffix("more")
            || ["done", "last", "end", "finished", "complete", "completed", "eof", "endofstream", "incomplete"]
                .contains(name)
    }

    /// A comparison with a number of pages or of records.
    private func total(_ value: JinjaValue, _ isTrue: Bool) -> Part? {
        guard isTrue, case .operation(let name, let arguments) = value.bare, arguments.count == 2 else { return nil }
        var (reached, total) = (arguments[0].bare, arguments[1].bare)
        switch name {
        case "gteq", "gt", "eq": break
        case "lteq", "lt": (reached, total) = (total, reached)
        default: return nil
        }
        if name == "eq", reached.later?.lastName?.lowercased().contains("total") == true {
            (reached, total) = (total, reached)
        }
        // `page + 1 >= pages`, and `page >= pages - 1`
        if let arguments = total.arguments(of: "sub"), arguments.last?.integerValue == 1 { total = arguments[0].bare }
        guard case .later(let later) = total, later.root == .response, let last = later.lastName?.lowercased() else {
            return nil
        }
        let path = StreamTranslation.jsonPath(later.steps)
        let isOfPages = ["page", "last"].contains { last.contains($0) }
        let countsRecords = ["total", "count", "size"].contains { last.contains($0) }
        switch records {
        case "page_number":
            if isOfPages { return .totalPages(path) }
            return countsRecords && reached.later == nil ? .total(path) : nil
        case "offset": return countsRecords && reached.later == nil && !isOfPages ? .total(path) : nil
        // Nothing is computed while a list is read; it ends where nothing leads on, or with an empty page.
        default: return countsRecords && reached.later == nil ? .natural(isEmptyPage: true) : nil
        }
    }
}

extension JinjaValue {
    /// True for a text of a value, in which Jinja compares with `true` in quotes.
    fileprivate var isLower: Bool {
        ["string", "|string", "|lower", "lower", ".lower"].contains(operationName ?? "")
    }
}
