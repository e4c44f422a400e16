package import GarnerModel

/// A column of `fields.add`. Unless its content belongs to the record, it is set when a row is inserted or one of its other columns
/// changes.
package struct AddedColumn: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case flag(Bool)
        case integer(Int64)
        case real(Double)
        /// A text, which may hold `{now}`.
        case text(String)
        /// Texts of members of the record, of which the first with a value counts.
        case composed([FieldTemplate])
    }

    package let name: String
    package let content: Content

    package init(name: String, content: Content) {
        (self.name, self.content) = (name, content)
    }

    /// The type of the column. A text that is only `{now, epoch}` or `{now, epoch_ms}` is an integer.
    package var type: ColumnType {
        switch content {
        case .flag: return .boolean
        case .integer: return .integer
        case .real: return .real
        case .composed: return .text
        case .text(let text):
            guard case .placeholder(.time(let time))? = Template(text).parts.first, Template(text).parts.count == 1,
                let format = time.format, [.epoch, .epochMilliseconds].contains(format)
            else { return .text }
            return .integer
        }
    }

    /// Returns the value for the rows of a read.
    ///
    /// - Parameters:
    ///   - beganAt: The instant at which the read began.
    ///   - zone: The time zone of formats without an offset.
    package func content(ofReadBegunAt beganAt: Timestamp, in zone: ZoneName) -> Content {
        guard case .text(let text) = content else { return content }
        let filled = Template(text).filled { placeholder in
            guard case .time(let time) = placeholder else { return nil }
            return time.text(ofReadBegunAt: beganAt, usually: .rfc3339, in: zone)
        }
        if type == .integer, let integer = filled.flatMap({ Int64($0) }) { return .integer(integer) }
        return .text(filled ?? text)
    }

    /// Returns true if SQL takes both names for one: it ignores the case of ASCII letters.
    func isNamed(_ other: String) -> Bool { Self.folded(name) == Self.folded(other) }

    fileprivate static func folded(_ name: String) -> [UInt8] {
        name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension TimePlaceholder {
    /// Returns the text of `{now}` in a read that began at this instant.
    ///
    /// - Parameter usual: The format of a placeholder that names none.
    package func text(
        ofReadBegunAt beganAt: Timestamp, usually usual: DatetimeFormat, in zone: ZoneName
    ) -> String {
        let instant = beganAt.advanced(by: offset)
        let format = format ?? usual
        guard format == .rfc3339 else { return format.text(of: instant, in: zone) }
        // Whole seconds are read by every API. Only milliseconds since 1970 are whole too.
        let second = instant.millisecondsSince1970.flooredDivision(by: 1000).quotient
        return format.text(of: Timestamp(millisecondsSince1970: second * 1000), in: zone)
    }
}

extension AddedColumn {
    static let format = ValueFormat<[AddedColumn]>(
        schema: .named(.texts), read: { $0.addedColumns($1) },
        show: { .members($0.map { ($0.name, $0.content.shown) }) })

    /// The reason why no column can have a name; nil if it can.
    package static func problem(ofName name: String) -> String? {
        let folded = String(decoding: folded(name), as: UTF8.self)
        if name.isEmpty || name.utf8.contains(0) || name.utf8.count > 255 { return "is no name of a column" }
        if name.utf8.starts(with: "$.".utf8) { return "is a path, and a column has a name" }
        let isReserved = folded == "_rowid_" || ["_garner_", "sqlite_"].contains { folded.utf8.starts(with: $0.utf8) }
        return isReserved ? "is a name that is not free" : nil
    }
}

extension AddedColumn.Content: CustomStringConvertible {
    package var description: String { shown.description }

    fileprivate var shown: EffectiveConfiguration.Value {
        switch self {
        case .flag(let flag): .flag(flag)
        case .integer(let number): .integer(Int(number))
        case .real(let number): .number(number)
        case .text(let text): .text(text)
        case .composed(let templates) where templates.count == 1: .text("\(templates[0])")
        case .composed(let templates): .list(templates.map(\.description))
        }
    }
}

extension ConfigurationReader {
    fileprivate func addedColumns(_ value: YAMLValue) -> [AddedColumn]? {
        guard let mapping = value.mapping(hint: "write add: { fetched_at: \"{now}\" }") else { return nil }
        var columns: [AddedColumn] = []
        for entry in mapping.entries {
            if let problem = AddedColumn.problem(ofName: entry.key) {
                value.fail(
                    "'\(entry.key.prefix(60))' in '\(value.name)' \(problem)",
                    hint: "write a name such as fetched_at, which does not begin with _garner_ or sqlite_")
                continue
            }
            guard let content = content(ofColumn: entry.value) else { continue }
            let column = AddedColumn(name: entry.key, content: content)
            guard !columns.contains(where: { $0.isNamed(entry.key) }) else {
                value.fail(
                    "'\(value.name)' has the column '\(entry.key)' twice, since SQL ignores case",
                    hint: "give each column a name of its own")
                continue
            }
            columns.append(column)
        }
        return columns.count == mapping.entries.count ? columns : nil
    }

    private func content(ofColumn value: YAMLValue) -> AddedColumn.Content? {
        if value.isList { return composed(list: value) }
        guard let text = value.text(hint: "write a text, a number, true or false, or \"{now}\"") else { return nil }
        guard value.plainText != nil, !value.isTaggedAsText else { return template(text, of: value) }
        if ["true", "True", "TRUE"].contains(text) { return .flag(true) }
        if ["false", "False", "FALSE"].contains(text) { return .flag(false) }
        let digits = text.utf8.drop { "+-".utf8.contains($0) }
        guard let first = digits.first, PercentEncoding.isDigit(first) || first == UInt8(ascii: "."),
            digits.allSatisfy({ PercentEncoding.isDigit($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(text)
        else { return template(text, of: value) }
        if let integer = Int64(text) { return .integer(integer) }
        guard number.isFinite, !digits.allSatisfy(PercentEncoding.isDigit) else {
            return value.failed(
                "'\(value.name)' is a number that no column holds", hint: "write it in quotes, as a text")
        }
        return .real(number)
    }

    private func template(_ text: String, of value: YAMLValue) -> AddedColumn.Content? {
        guard !holdsMistake(text, of: value) else { return nil }
        if text.lowercased().wholeMatch(of: /\$?(?:now|today)(?:\(\))?|current_(?:timestamp|date)/) != nil {
            value.warn(
                "'\(text)' in '\(value.name)' is text, and no time",
                hint: "write \"{now}\", or \"{now, date}\" for the day")
        }
        if FieldTemplate.isMeant(by: text) { return fieldTemplate(text, of: value).map { .composed([$0]) } }
        let unknown = Template.unknownNames(in: text).first
        if let unknown, unknown.hasPrefix("now"), holdsUnknownPlaceholder(text, of: value) { return nil }
        let other = Template(text).placeholders.first { placeholder in
            if case .time(let time) = placeholder { time.source != .now } else { true }
        }
        guard let name = unknown ?? other?.name else { return .text(text) }
        return value.failed(
            "'{\(name.prefix(60))}' cannot be in '\(value.name)'",
            hint: "write {now}, {now - 7d}, {now, date} or a field of the record, such as {record.id}"
                + (name == "record" ? "" : "; a space after '{' makes it text")
        )
    }

    /// Checks that no column of `fields.add` is one of the records' fields, nor named where a field is needed.
    func checkAddedColumns(_ draft: StreamDraft) {
        let (stream, rules) = (draft.stream, draft.stream.fields)
        guard !rules.additions.isEmpty, let place = draft.place(of: "fields") else { return }
        let kept = rules.keep.filter { $0.names.count == 1 && rules.mayHave($0.names[0]) }
        var fields = kept.map { ("keep", $0.names[0].text) }
        fields += rules.renames.filter { $0.field.names.count == 1 }.map { ("rename", $0.name) }
        fields += (rules.hash.fields + rules.types.map(\.field)).filter { $0.names.count == 1 }.map {
            ("hash' or 'types", $0.names[0].text)
        }
        let inRecords = fields.count
        fields += (stream.primaryKey ?? []).map { ("primary_key", $0) }
        fields += (stream.incremental?.cursorFields ?? []).map { ("incremental", $0) }
        fields += stream.search.map { ("search", $0) } + stream.attachments.map { ("attachments", $0.field) }
        for column in rules.additions {
            // These keys read records as they are stored, so they find such a column.
            let taken = rules.composes(column.name) ? fields[..<inRecords] : fields[...]
            if let (key, _) = taken.first(where: { column.isNamed($0.1) }) {
                issues.fail(
                    at: place,
                    "'fields' of '\(draft.name)' adds '\(column.name)', which '\(key)' names as a field of the records",
                    hint: "give the column another name in 'add'")
            } else if draft.adds(column.name) {
                issues.fail(
                    at: place,
                    "'fields' of '\(draft.name)' adds '\(column.name)', the column for a value of the partition or parent",
                    hint: "give the column another name in 'add'")
            }
        }
        checkComposedColumns(draft, at: place)
    }
}
