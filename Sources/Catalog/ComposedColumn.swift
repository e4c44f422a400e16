import GarnerModel

/// A column of `fields.add` with what belongs to the record: members of it, of its parent and partition, and the bounds of its read.
package struct ComposedColumn: Sendable, Equatable {
    package let name: String
    /// The texts of which the first with a value counts.
    package let templates: [FieldTemplate]

    /// The names that lead to members of the record.
    package var recordPaths: [[String]] {
        templates.flatMap(\.parts).compactMap { if case .record(let path) = $0 { path } else { nil } }
    }

    package var placeholders: [Template.Placeholder] {
        templates.flatMap(\.parts).compactMap { if case .value(let placeholder) = $0 { placeholder } else { nil } }
    }

    package var parentFields: [String] {
        placeholders.compactMap { if case .parent(let field) = $0 { field } else { nil } }
    }

    package var hasPartition: Bool { placeholders.contains { if case .partition = $0 { true } else { false } } }

    /// True if a value is a bound of the read.
    package var hasBound: Bool { placeholders.contains(where: \.isIncremental) }

    /// True if all values are those of the parent or partition, which all records of a slice share.
    package var isOfSlice: Bool { recordPaths.isEmpty && !hasBound }
}

/// A text with placeholders such as `{record.owner.id}`, `{parent.id}`, `{partition.repo}` and `{incremental.start_value}`.
package struct FieldTemplate: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        case literal(String)
        /// The names that lead to a member of the record.
        case record([String])
        /// A value of the parent, the partition or the read.
        case value(Template.Placeholder)

        /// Returns nil if the text between the braces is not a known name.
        init?(name: String) {
            if name.utf8.starts(with: "record.".utf8) {
                let names = name.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
                guard names.allSatisfy({ !$0.isEmpty }) else { return nil }
                self = .record(names.map { String($0) })
                return
            }
            switch Template.Placeholder(name: name) {
            // A column has the bound as it is.
            case .time(let time)? where time.offset != .zero: return nil
            case let placeholder? where placeholder.isIncremental: self = .value(placeholder)
            case .parent(let field)?: self = .value(.parent(field))
            case .partition(let name)?: self = .value(.partition(name))
            default: return nil
            }
        }
    }

    package let parts: [Part]

    package init(parts: [Part]) { self.parts = parts }

    /// The only part; nil if there are others, so that the value is a text.
    package var alone: Part? { parts.count == 1 ? parts[0] : nil }

    /// Returns the text; nil if a part has no value.
    package func filled(_ value: (Part) -> String?) -> String? {
        var text = ""
        for part in parts {
            if case .literal(let literal) = part {
                text += literal
            } else if let value = value(part) {
                text += value
            } else {
                return nil
            }
        }
        return text
    }
}

extension FieldTemplate: CustomStringConvertible {
    package var description: String {
        parts.map { part in
            switch part {
            case .literal(let literal): literal
            case .record(let path): "{record.\(path.joined(separator: "."))}"
            case .value(let placeholder): "\(placeholder)"
            }
        }.joined()
    }
}

extension FieldRules {
    /// The columns that are set with a row that changes, and never compared.
    package var stamped: [AddedColumn] {
        additions.filter { if case .composed = $0.content { false } else { true } }
    }

    /// The columns that belong to the records.
    package var composed: [ComposedColumn] {
        additions.compactMap { column in
            guard case .composed(let templates) = column.content else { return nil }
            return ComposedColumn(name: column.name, templates: templates)
        }
    }

    /// Returns true if records have a column of this name from `add`.
    func composes(_ name: String) -> Bool {
        additions.contains { column in
            if case .composed = column.content { ExactText(column.name) == ExactText(name) } else { false }
        }
    }
}

extension ConfigurationReader {
    /// Reads the templates of a list. Returns nil and notes an issue if it has another value.
    func composed(list value: YAMLValue) -> AddedColumn.Content? {
        let hint = "write a list of fields, such as [\"{record.changed}\", \"{record.created}\"]"
        let templates = value.elements { element -> FieldTemplate? in
            guard let text = element.text(hint: hint), !holdsMistake(text, of: element) else { return nil }
            guard FieldTemplate.isMeant(by: text) else {
                return element.failed(
                    "'\(element.name)' has no field of the record, its parent or partition", hint: hint)
            }
            return fieldTemplate(text, of: element)
        }
        guard let templates else { return nil }
        guard !templates.isEmpty else { return value.failed("'\(value.name)' is an empty list", hint: hint) }
        return .composed(templates)
    }

    func fieldTemplate(_ text: String, of value: YAMLValue) -> FieldTemplate? {
        var parts: [FieldTemplate.Part] = []
        var literal = ""
        for piece in Template.pieces(of: text) {
            guard let name = piece.name else {
                literal += piece.text
                continue
            }
            guard let part = FieldTemplate.Part(name: name) else {
                let known =
                    "{record.…}, {parent.…}, {partition.…}, {incremental.start_value} and {incremental.end_value}"
                return value.failed(
                    "'{\(name.prefix(60))}' cannot be in '\(value.name)' beside what belongs to the record",
                    hint: "known there are \(known)")
            }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            parts.append(part)
            literal = ""
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        return FieldTemplate(parts: parts)
    }

    /// Checks that the columns that belong to records have their sources, and that nothing else makes their values wrong.
    func checkComposedColumns(_ draft: StreamDraft, at place: ConfigurationPlace) {
        let (stream, rules) = (draft.stream, draft.stream.fields)
        for column in rules.composed {
            let name = "'fields.add.\(column.name)' of '\(draft.name)'"
            for placeholder in column.placeholders {
                guard let (problem, hint) = problem(of: placeholder, in: draft) else { continue }
                issues.fail(at: place, "'\(placeholder)' in \(name) \(problem)", hint: hint)
            }
            let isOfSlice = !column.parentFields.isEmpty || column.hasPartition
            if isOfSlice, !column.isOfSlice {
                issues.fail(
                    at: place, "\(name) has values of the parent or partition beside others",
                    hint: "make two columns of it; SQL joins them, as in a || '-' || b")
            }
            if column.hasBound, stream.incremental?.lookbackWindow != nil,
                stream.primaryKey?.contains(column.name) != true
            {
                issues.fail(
                    at: place,
                    "\(name) is another one in each read, so that 'lookback_window' would update records that are as they were",
                    hint: "remove the column or 'lookback_window', or name the column in 'primary_key'")
            }
            // The start of a step grows from step to step.
            let isStart = column.placeholders.allSatisfy(\.isStart) && stream.incremental?.step != nil
            if column.recordPaths.isEmpty, !isStart, stream.incremental?.cursorFields.contains(column.name) == true {
                issues.fail(
                    at: place, "\(name) is the same for all records of a request, and no cursor",
                    hint: "name a field of the records in 'cursor_field'")
            }
            for path in column.recordPaths {
                guard let (problem, hint) = rules.problem(ofStoring: path.map { ExactText($0) }) else { continue }
                issues.fail(at: place, "\(name) stores '\(path.joined(separator: "."))' \(problem)", hint: hint)
            }
        }
    }
}

extension FieldRules {
    /// Returns why the member at a path must not be stored as it comes, and what to do; nil if it may be.
    ///
    /// A column may be made of a member that `drop` or `keep` leaves out, if it names that member itself and no value around it.
    fileprivate func problem(ofStoring path: [ExactText]) -> (String, hint: String)? {
        if hash.fields.contains(where: { FieldPlace(of: former($0.names), along: path) != .apart }) {
            return ("as it comes, and 'hash' is to hide it", "remove the column, or the field from 'hash'")
        }
        let kept = keep.map { FieldPlace(of: $0.names, along: path) }
        let isKeptInParts = kept.contains(.below) && !kept.contains(.here)
        let isDroppedInParts = drop.contains { FieldPlace(of: $0.names, along: path) == .below }
        guard isKeptInParts || isDroppedInParts else { return nil }
        let member = (path.map(\.text) + ["id"]).joined(separator: ".")
        return (
            "whole, and '\(isDroppedInParts ? "drop" : "keep")' leaves out a part of it",
            "make a column of each member that you need, such as {record.\(member)}"
        )
    }
}

/// The place of a rule's field, seen from the member of a record to which a path leads.
private enum FieldPlace {
    /// The member is the field, or in it.
    case here
    /// The field is in the member.
    case below
    case apart

    /// A number in the path may be a place in a list, through which rules lead, or a name.
    init(of field: [ExactText], along path: [ExactText]) {
        var reached: Set<Int> = [0]
        for (index, name) in path.enumerated() {
            let isPlace = index > 0 && Int(name.text) != nil
            var next: Set<Int> = isPlace ? reached : []
            for place in reached where field[place] == name { next.insert(place + 1) }
            guard !next.contains(field.count) else {
                self = .here
                return
            }
            reached = next
        }
        self = reached.isEmpty ? .apart : .below
    }
}

extension FieldTemplate {
    /// Returns true for a text with a placeholder for what belongs to a record, also if it is wrong.
    static func isMeant(by text: String) -> Bool {
        let sources = ["record.", "parent.", "partition.", "incremental."]
        return Template.pieces(of: text).contains { piece in
            piece.name.map { name in sources.contains { name.utf8.starts(with: $0.utf8) } } ?? false
        }
    }
}
