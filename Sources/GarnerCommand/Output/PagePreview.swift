import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

/// The records of a page, and the table that they would form, in any output format.
struct PagePreview {
    /// The greatest length of a value on a terminal. A list of objects may be as long as the page.
    private static let maximumCellLength = 60

    private let stream: StreamName
    private let url: String
    private let next: String?
    private let advice: String?
    private let table: TablePreview
    private let records: [Record]
    /// The number of added columns, which are the last ones.
    private let addedCount: Int
    private let emptyHint: String

    private struct Record {
        let json: String
        /// The text for each column.
        let cells: [String?]
    }

    /// Throws `PersistenceError` if the records cannot form the configured table.
    init(of first: FirstPage, of stream: StreamConfiguration, limit: Int, advice: String?, now: Timestamp) throws {
        let page = first.page
        self.advice = advice
        self.stream = stream.name
        url = page.request.url
        next = page.next?.url
        guard case .records(let all) = page.content else {
            throw FetchError(stream: stream.name, kind: .status(304, retryAfter: nil), url: url)
        }
        let selection = all.removing(page.deletions)
        let table = try TablePreview(
            of: stream, from: selection, in: first.slice, isDocument: page.verdict?.kind == .document)
        let added = stream.fields.stamped.map {
            "\($0.content(ofReadBegunAt: now, in: stream.incremental?.timezone ?? .utc))"
        }
        var records: [Record] = []
        func show(_ node: Node) {
            guard records.count < limit else { return }
            let cells = table.withValues(of: node) { $0.dropLast(added.count).map(Self.cell) }
            records.append(Record(json: Self.json(node), cells: cells + added))
        }
        selection.forEach(show)
        if records.count < limit { try page.later?.forEach { $0.records.removing($0.deletions).forEach(show) } }
        emptyHint = "The first page of \(stream.name) has no records" + (page.wordsOnFilter.map { ": \($0)." } ?? ".")
        self.table = table
        self.records = records
        addedCount = added.count
    }

    func write(to setup: Setup) throws {
        switch setup.format.family {
        case .objects(inLines: false): try StandardOutput.write(json)
        case .objects: try StandardOutput.write(exactly: records.map { $0.json + "\n" }.joined())
        case .delimited: try rows.write(to: setup)
        case .table:
            try setup.paging {
                try columns.write(to: setup)
                guard !records.isEmpty else { return }
                for child in table.children {
                    try StandardOutput.write("\n\(child.table): \(child.rowCount.counted("row")) of this page\n")
                    let fields = child.columns.map { $0.fields(at: $0.placeInRecord) }
                    try Report(records: fields, emptyHint: "Its rows have no members.").write(to: setup)
                }
                try StandardOutput.write("\n")
                try setup.write(recordTable(cellLength: setup.cutsValues ? Self.maximumCellLength : .max))
            }
        }
    }

    private var columns: Report {
        Report(
            records: zip(table.columns, paths).map { $0.fields(at: $1) },
            emptyHint: emptyHint)
    }

    /// The places of the columns' values in a record; nil for added ones.
    private var paths: [String?] {
        let count = table.columns.count - addedCount
        return table.columns.enumerated().map { $0 < count ? $1.normalizedPath : nil }
    }

    private var rows: Report {
        Report(
            records: records.map { record in
                zip(table.columns, record.cells).map { .init($0.name, $1) }
            }, emptyHint: emptyHint)
    }

    private func recordTable(cellLength: Int) -> TextTable {
        TextTable(
            headers: table.columns.map(\.name),
            rows: records.map { record in
                record.cells.map { cell in cell.map { $0.count > cellLength ? "\($0.prefix(cellLength))…" : $0 } }
            },
            numeric: Set(
                table.columns.indices.filter { table.columns[$0].type == .integer || table.columns[$0].type == .real }))
    }

    private var json: JSONText {
        .object([
            ("stream", .string(stream.description)), ("url", .string(url)),
            ("schema", .object(schema)),
            ("records", .array(records.map { .verbatim($0.json) })), ("next", JSONText(next)),
            ("advice", JSONText(advice)),
        ])
    }

    private var schema: [(String, JSONText)] {
        func column(_ column: Column, at path: String?) -> JSONText {
            .object([
                ("name", .string(column.name)), ("type", .string(column.typeName)), ("path", JSONText(path)),
            ])
        }
        var members: [(String, JSONText)] = [
            ("primary_key", JSONText(table.primaryKey)),
            ("columns", .array(zip(table.columns, paths).map(column))),
        ]
        guard !table.children.isEmpty else { return members }
        let children = table.children.map { child in
            JSONText.object([
                ("table", .string(child.table)), ("rows", .integer(Int64(child.rowCount))),
                ("columns", .array(child.columns.map { column($0, at: $0.placeInRecord) })),
            ])
        }
        members.append(("child_tables", .array(children)))
        return members
    }

    /// Returns nil for null and for a missing member.
    private static func cell(_ value: Node?) -> String? {
        guard let value, !value.isNull else { return nil }
        return value.string ?? json(value)
    }

    private static func json(_ node: Node) -> String {
        var text = CanonicalText()
        text.append(node)
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
