import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// The result of a person's SQL, read from the JSON that the query's process wrote.
struct QueryResult {
    struct Value {
        let text: String?
        /// The value as a number; nil if it is none.
        let number: Double?
    }

    /// The number of rows that a page shows. CSV and JSON have all.
    static let maximumRows = 1000

    let columns: [String]
    let rows: [[Value]]
    /// The number of all rows.
    let count: Int

    init(json: [UInt8]) throws {
        let document = try Document(parsing: Bytes(json))
        var (columns, rows, count): ([String], [[Value]], Int) = ([], [], 0)
        document.withRoot { root in
            for record in root.elements {
                count += 1
                if columns.isEmpty { columns = record.members.map(\.key.text) }
                guard rows.count < Self.maximumRows else { continue }
                rows.append(record.members.map { Self.value($0.value) })
            }
        }
        (self.columns, self.rows, self.count) = (columns, rows, count)
    }

    private static func value(_ node: Node) -> Value {
        switch node.kind {
        case .null: Value(text: nil, number: nil)
        case .integer: Value(text: node.text, number: Double(node.integer))
        case .real, .number: Value(text: node.text, number: Double(node.text))
        case .string: Value(text: node.text, number: nil)
        default: Value(text: node.source, number: nil)
        }
    }

    /// True if the column has numbers, and nulls at most beside them.
    func isNumeric(_ column: Int) -> Bool {
        rows.contains { $0[column].number != nil }
            && rows.allSatisfy { $0[column].text == nil || $0[column].number != nil }
    }
}

extension Dashboard {
    /// Answers SQL in a process of its own: rows, a plot, and the tables to ask.
    func queryPage(_ request: WebRequest) async throws -> WebResponse {
        let sql = request.value(of: "sql") ?? ""
        let isEmpty = sql.allSatisfy(\.isWhitespace)
        if let format = request.format {
            guard !isEmpty else { throw DashboardError.noQuery }
            let bytes = try await query.run(sql, parameters: [:], as: format)
            return .rows(.bytes(bytes), as: format, name: "query")
        }
        let tables = try await read { reader in
            try reader.tables().prefix(Self.maximumTablesBeside).map { ($0, try reader.columnNames(of: $0.table)) }
        }
        var result: HTML = Component.empty(
            "Write a statement that reads, such as <code>SELECT * FROM \(tables.first?.0.table ?? "sqlite_schema") LIMIT 10</code>."
        )
        var status = 200
        if !isEmpty { (result, status) = await answer(sql, request) }
        let content: HTML = """
            <h1>Query</h1>
            <div class="beside"><div>
            <form action="/query"><label for="sql" class="muted">SQL, read only. The address of this page holds the query.</label>
            <textarea id="sql" name="sql" rows="7" spellcheck="false">\(sql)</textarea>
            <p class="bar"><button class="main">Run</button><span class="muted">At most 10 s; the page shows \
            \(Component.number(QueryResult.maximumRows)) rows</span></p></form>
            \(result)
            </div><aside aria-label="Tables"><h2>Tables</h2>\(tables.map(Self.columnList))</aside></div>
            """
        let twins = isEmpty ? [] : RowFormat.ofPages.map { (name: $0.title, link: request.link.as($0)) }
        return response(Page(title: "Query", section: .query, content: content, twins: twins, status: status))
    }

    private static let maximumTablesBeside = 100

    private static func columnList(_ table: TableSummary, _ columns: [String]) -> HTML {
        """
        <details><summary>\(table.table) <span>\(table.count.map { Component.counted($0.all, "row") } ?? "")</span></summary>
        <ul>\(columns.prefix(200).map { "<li><code>\($0)</code></li>" as HTML })</ul></details>
        """
    }

    private func answer(_ sql: String, _ request: WebRequest) async -> (HTML, status: Int) {
        let begin = now()
        do {
            let bytes = try await query.run(sql, parameters: [:], as: .json)
            let took = begin.duration(to: now())
            return (Self.result(try QueryResult(json: bytes), took: took, request), 200)
        } catch {
            let failure = RunFailure(error)
            let page: HTML = """
                <section aria-labelledby="wrong"><h2 id="wrong">The query was not answered</h2>
                <div class="panel fail" role="alert"><p>\(Component.foreign(failure.message.capitalizedAtStart)).</p>\
                \(Component.tried(failure.hint.map { HTML($0.pageWords) }))</div></section>
                """
            return (page, failure.httpStatus)
        }
    }

    private static func result(_ result: QueryResult, took: Duration, _ request: WebRequest) -> HTML {
        guard result.count > 0 else {
            return Component.empty("No row: the query was answered in \(Component.took(took)).")
        }
        var table = DataTable(
            id: "result",
            caption: result.count > result.rows.count
                ? "The first \(Component.number(result.rows.count)), in the order of the query; CSV has all."
                : "In the order of the query",
            columns: result.columns.enumerated().map { index, name in
                .init(Component.foreign(name), isNumber: result.isNumeric(index))
            })
        table.rows = result.rows.map { row in row.map { DataTable.Cell(cell($0)) } }
        return """
            <section aria-labelledby="rows"><div class="bar"><h2 id="rows">\(Component.counted(result.count, "row")) in \(Component.took(took))</h2>
            <span class="inline">\(Component.formats(of: request.link))</span></div>
            \(table.html)</section>
            \(Plot(of: result, request)?.html)
            """
    }

    private static let maximumCell = 2000

    private static func cell(_ value: QueryResult.Value) -> HTML {
        guard let text = value.text else { return "<span class=\"null\">null</span>" }
        guard value.number == nil else { return HTML(text) }
        let shown = text.utf8.count > maximumCell ? text.prefix(maximumCell) + "…" : text[...]
        return "<span class=\"clip\">\(Component.foreign(shown))</span>"
    }
}
