import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerReports

/// A page without its frame.
struct Page {
    /// The part of the dashboard that the page belongs to.
    enum Section: String, CaseIterable {
        case streams = "Streams"
        case runs = "Runs"
        case tables = "Tables"
        case changes = "Changes"
        case query = "Query"

        var link: Link { self == .streams ? Link() : Link(rawValue.lowercased()) }
    }

    var title: String
    var section: Section?
    var content: HTML
    /// The same data in other forms, by their names.
    var twins: [(name: String, link: Link)] = []
    var status = 200
    /// The end of the content, which is sent when it is ready, after the rest of the page.
    var rest: (@Sendable () async -> HTML)?
}

extension Dashboard {
    /// Puts a page into its frame.
    func response(_ page: Page) -> WebResponse {
        let now = now()
        let zoo: HTML =
            demo == nil
            ? "" : "<li><a href=\"/demo\"\(page.section == nil ? " aria-current=\"page\"" as HTML : "")>Zoo</a></li>"
        let items = Page.Section.allCases.map { section -> HTML in
            let isHere: HTML = section == page.section ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(section.link)\"\(isHere)>\(section.rawValue)</a></li>"
        }
        let twins = page.twins.map { "<a href=\"\($0.link)\">\($0.name)</a>" as HTML }
        let clock = now.description.dropFirst(11).prefix(5)
        let beginning: HTML = """
            <!doctype html>
            <html lang="en" data-now="\(now)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(told.isEmpty ? "" : "! ")\(page.title) · Garner</title>
            <link rel="icon" href="\((told.isEmpty ? Assets.icon : Assets.alarm).path)" data-alarm="\(Assets.alarm.path)" type="image/svg+xml">
            <link rel="stylesheet" href="\(Assets.style.path)">
            <script src="\(Assets.script.path)" defer></script>
            </head>
            <body>
            <a class="skip" href="#main">Skip to the content</a>
            <header class="top">
            <a class="brand" href="/">\(Self.mark)Garner</a>
            <nav aria-label="Pages"><ul>\(zoo)\(items)</ul></nav>
            <span class="live">As of \(clock) UTC</span>
            </header>
            <main id="main">
            \(told.map(Self.banner))\(page.content)
            """
        let end: HTML = """

            </main>
            <footer><ul><li>Garner \(version)</li><li>\(Component.foreign(fileName))</li><li class="zone">All times are UTC</li>\
            \(twins.isEmpty ? "" : "<li>This page as \(twins.joined(" "))</li>" as HTML)</ul></footer>
            </body>
            </html>

            """
        guard let rest = page.rest else { return .html(beginning + end, status: page.status) }
        return WebResponse(
            page.status, type: "text/html; charset=utf-8",
            .parts(2) { $0 == 0 ? beginning.bytes : (await rest() + end).bytes })
    }

    private static func banner(_ notice: ServiceNotice) -> HTML {
        """
        <div class="panel warn" role="status"><p>\(Component.foreign(notice.text.capitalizedAtStart)).</p>\
        \(Component.tried(Component.foreign(notice.remedy)))</div>

        """
    }

    private var fileName: Substring { database.split(separator: "/").last ?? database[...] }

    private static let mark: HTML = """
        <svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d="M3 8.500 10 3l7 5.500V17H3zM7 11.500h6M7 14.500h6"/></svg>
        """

    /// Returns the page that says what is wrong with a request.
    func page(for error: any Error, _ request: WebRequest) -> WebResponse {
        if let refusal = error as? Access.Refusal { return self.page(for: refusal, request) }
        let failure = RunFailure(error)
        let status = (error as? DashboardError)?.status ?? (error is MissingPage ? 404 : failure.httpStatus)
        guard request.format == nil else { return Self.json(failure, status: status) }
        return response(
            Page(
                title: "Error",
                content: """
                    <h1>This page cannot be shown</h1>
                    <div class="panel fail"><p>\(Component.foreign(failure.message.capitalizedAtStart)).</p>\
                    \(Component.tried(failure.hint.map { HTML($0.pageWords) }))</div>
                    """, status: status))
    }

    private func page(for refusal: Access.Refusal, _ request: WebRequest) -> WebResponse {
        let (failure, status) = (refusal.failure, refusal.status)
        guard request.format == nil else { return Self.json(failure, status: status) }
        if case .token = refusal, request.method == .get, request.components.first != "metrics" {
            return loginPage(next: request.link, status: status)
        }
        // Whoever may not look gets no page around the words.
        let words = [failure.message, failure.hint?.pageWords].compactMap { $0?.capitalizedAtStart }
        return .text(words.map { "\($0).\n" }.joined(), status: status)
    }

    private static func json(_ failure: RunFailure, status: Int) -> WebResponse {
        var failure = failure
        failure.hint = failure.hint.map { .text($0.pageWords) }
        return .json(.object([("error", failure.json)]), status: status)
    }
}

extension RunFailure {
    /// The status with which a page tells of the failure.
    var httpStatus: Int {
        switch category {
        case .usage: kind.hasPrefix("unknown_") || kind == "no_record" ? 404 : 400
        case .missing: 404
        case .noPermission: 403
        case .busy, .unavailable: 503
        // A question that can be read, and whose answer is larger than answers may be.
        case .failed where kind == PersistenceError.Kind.limit.rawValue: 422
        default: 500
        }
    }
}

extension Hint {
    /// The advice in the words of a page, whose reader has buttons and links and no options.
    package var pageWords: String {
        switch self {
        case .listColumns: "check the SQL; the list of tables beside it has their columns"
        case .listTables: "the list of tables is beside it"
        case .quoteText(let sql, let column): Hint.quoteText(sql, column)
        case .quoteName(let name, let reason, let sql): "\(reason): \(sql ?? "\"\(name)\"")"
        case .askForLess: "ask for less; 'garner query' on the command line can be given more time"
        case .onlyRead: "queries only read; to change a table, change what the stream fetches"
        case .nameParameters, .giveParameter: "write the value itself into the SQL"
        case .searchPlainWords: "search for plain words"
        case .nameTable: "name a table"
        case .listQuarantine: "look for it on the page of its stream"
        case .listRuns: "look for it on the page /runs"
        case .browse(let table), .filter(let table, _): "find its records at /tables/\(table)"
        default: words
        }
    }
}
