package import GarnerJSON
package import GarnerModel

/// A list of records of the program's own (runs, tables, streams) in any output format.
package struct Report: Sendable {
    package struct Field: Sendable {
        package let name: String
        package let json: JSONText
        /// The text for people; nil if the table leaves the field out or it has no value.
        package let text: String?

        /// True for a time.
        let isInstant: Bool

        package init(_ name: String, _ text: String?) { self.init(name, json: JSONText(text), text: text) }
        package init(_ name: String, _ number: Int?) {
            self.init(name, json: JSONText(number), text: number.map(String.init))
        }
        package init(_ name: String, _ id: (some RowID)?) {
            self.init(name, json: JSONText(id), text: id?.description)
        }
        package init(_ name: String, _ instant: Timestamp?) {
            self.init(name, json: JSONText(instant), text: instant?.description, isInstant: true)
        }
        package init(_ name: String, _ flag: Bool) {
            self.init(name, json: .bool(flag), text: flag ? "yes" : "no")
        }
        package init(_ name: String, _ texts: [String]) {
            self.init(name, json: JSONText(texts), text: texts.joined(separator: ", "))
        }
        package init(_ name: String, json: JSONText, text: String?, isInstant: Bool = false) {
            self.name = name
            self.json = json
            self.text = text
            self.isInstant = isInstant
        }

        /// Returns the field with a time as clocks on the wall show it; JSON keeps it in UTC.
        package func inLocalTime(_ local: LocalTime) -> Field {
            guard isInstant, let instant = text.flatMap(Timestamp.init(rfc3339:)) else { return self }
            return Field(name, json: json, text: local.text(instant), isInstant: true)
        }
    }

    /// The records, all with the same fields.
    package let records: [[Field]]
    /// The fields that tables for people show; nil for all.
    package let shown: [String]?
    /// The fields that a narrow table leaves out last, if they have a value.
    private let kept: [String]
    /// The text if there are no records.
    package let emptyHint: String
    /// True if `records` is a single record with a row for each of its fields.
    private let isOneRecord: Bool

    package init(records: [[Field]], shown: [String]? = nil, kept: [String] = [], emptyHint: String = "") {
        self.records = records
        self.shown = shown
        self.kept = kept
        self.emptyHint = emptyHint
        isOneRecord = false
    }

    /// Shows one record with a row for each of its fields.
    package init(fieldsOf record: [Field], emptyHint: String = "") {
        records = record.map { [Field("field", $0.name), Field("value", $0.text)] }
        (shown, kept) = (nil, [])
        self.emptyHint = emptyHint
        isOneRecord = true
    }

    /// Renders all records. Without records the text is empty, except in JSON.
    package func rendered(as format: RowFormat, _ layout: TableLayout) -> (text: String, omittedColumns: Int) {
        switch format.family {
        case .objects(let inLines): return (JSONText.list(records.map(\.json), inLines: inLines), 0)
        case .delimited(let delimiter): return (delimited(by: delimiter), 0)
        case .table:
            let isAligned = format == .table
            guard var table = table(of: isAligned && layout.showsAll ? nil : shown) else { return ("", 0) }
            if isAligned, isOneRecord, layout.form == .vertical { return (fields, 0) }
            let text = table.take(as: format, layout).text
            return (text, table.omittedColumns)
        }
    }

    /// Renders all records to a closure. Returns the number of columns without room.
    package func write(
        as format: RowFormat, _ layout: TableLayout, to write: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var (text, omittedColumns) = rendered(as: format, layout)
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        return omittedColumns
    }

    private func table(of shown: [String]?) -> TextTable? {
        guard let first = records.first else { return nil }
        let visible = first.indices.filter { shown?.contains(first[$0].name) ?? true }
        var table = TextTable(headers: visible.map { first[$0].name })
        table.rows = records.map { record in visible.map { record[$0].text } }
        for (column, index) in visible.enumerated() {
            if case .integer = first[index].json { table.numeric.insert(column) }
            if first[index].isInstant { table.instants.insert(column) }
            if kept.contains(first[index].name), records.contains(where: { $0[index].text != nil }) {
                table.kept.insert(column)
            }
        }
        return table
    }

    private var fields: String {
        TextTable(headers: records.map { $0[0].text ?? "" }, rows: [records.map { $0[1].text }]).fields.text
    }

    private func delimited(by delimiter: RowFormat.Delimiter) -> String {
        guard let first = records.first else { return "" }
        let lines = [first.map(\.name)] + records.map { $0.map { cell($0.text, delimiter) } }
        return lines.map { $0.joined(separator: String(delimiter.rawValue)) + "\n" }.joined()
    }

    /// Escapes a cell by scalars, since `"` with a combining mark is a single character.
    private func cell(_ text: String?, _ delimiter: RowFormat.Delimiter) -> String {
        guard let scalars = text?.unicodeScalars else { return "" }
        let escapes: [Unicode.Scalar: String] =
            delimiter == .tab ? ["\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"] : ["\"": "\"\""]
        let escaped = scalars.map { escapes[$0] ?? String($0) }.joined()
        let isPlain =
            delimiter == .tab || !scalars.isEmpty && !scalars.contains { ",\"\n\r".unicodeScalars.contains($0) }
        return isPlain ? escaped : "\"\(escaped)\""
    }
}

extension [Report.Field] {
    package var json: JSONText { .object(map { ($0.name, $0.json) }) }
}

extension JSONText {
    package init(_ id: (some RowID)?) { self = id.map { .integer($0.number) } ?? .null }
    package init(_ instant: Timestamp?) { self = instant.map { .string($0.description) } ?? .null }
}
