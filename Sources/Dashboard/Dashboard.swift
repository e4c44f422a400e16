package import GarnerCatalog
import Connections
package import GarnerModel
package import GarnerPersistence
package import GarnerPresentation
import GarnerReports
import GarnerTasks

/// The pages over a database: streams, runs, tables, records, changes, SQL and metrics.
///
/// It reads through a pool of connections and writes nothing. What a form asks for is done by `DashboardActions`.
///
///     let dashboard = Dashboard(database: path, reader: DatabaseReader(path: path), …)
///     let response = await dashboard.respond(to: WebRequest(target: "/tables/animals?diet=krill"))
package struct Dashboard: Sendable {
    /// The path of the database.
    package let database: String
    let reader: DatabaseReader
    /// Returns the configuration in force; nil if there is only a database.
    let configuration: @Sendable () -> Configuration?
    /// Returns what is to be told on every page.
    private let notices: @Sendable () async -> [ServiceNotice]
    /// The notices that the page being made begins with.
    private(set) var told: [ServiceNotice] = []
    let query: any QueryRunner
    /// The work that forms ask for; nil if the dashboard only shows.
    let actions: (any DashboardActions)?
    let access: Access
    let version: String
    let now: @Sendable () -> Timestamp
    /// The start of the service; nil without one.
    let startedAt: Timestamp?
    /// The stream whose only record the page `/demo` shows; nil for no such page.
    let demo: StreamName?
    let events: EventHub
    let runCounters: RunCounters
    let exports = ExportPlaces()
    let pastReads = ExportPlaces()
    let clock: any Clock<Duration>
    /// The number of connections that a server of the dashboard may have open at once.
    package let maximumConnections: Int

    package init(
        database: String, reader: DatabaseReader, configuration: @escaping @Sendable () -> Configuration?,
        notices: @escaping @Sendable () async -> [ServiceNotice] = { [] }, query: any QueryRunner,
        actions: (any DashboardActions)? = nil, access: Access = Access(), version: String,
        now: @escaping @Sendable () -> Timestamp, startedAt: Timestamp? = nil,
        demo: StreamName? = nil, clock: any Clock<Duration>, maximumConnections: Int = OpenConnections.most
    ) {
        self.database = database
        self.reader = reader
        self.configuration = configuration
        self.notices = notices
        self.query = query
        self.actions = actions
        self.access = access
        self.version = version
        self.now = now
        self.startedAt = startedAt
        self.demo = demo
        self.clock = clock
        runCounters = RunCounters(since: startedAt ?? now())
        self.maximumConnections = maximumConnections
        // The rest is for pages.
        events = EventHub(database: database, clock: clock, maximumListeners: maximumConnections * 4 / 5)
    }

    /// The time that the reads of one page may take together.
    static let pageTime = Duration.seconds(10)

    /// Answers a request. Every failure is a page, too.
    package func respond(to request: WebRequest) async -> WebResponse {
        var response: WebResponse
        do {
            response = try await answer(request)
        } catch {
            response = page(for: error, request)
        }
        // A response may have a policy of its own, such as that of a picture.
        for header in Self.protection where !response.headers.contains(where: { $0.name == header.name }) {
            response.headers.append(header)
        }
        if response.status == 401 { response.headers.append(("WWW-Authenticate", "Bearer")) }
        if !response.headers.contains(where: { $0.name == "Cache-Control" }) {
            response.headers.append(("Cache-Control", "no-store"))
        }
        return response
    }

    /// The headers that keep pages to themselves: nothing is loaded from elsewhere, no script stands in a page, and no other
    /// site may frame or read it.
    private static let protection: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private func answer(_ request: WebRequest) async throws -> WebResponse {
        try access.check(request)
        guard !request.isFormTooLong else { throw DashboardError.formTooLong }
        let path = request.components
        switch path.first {
        case "healthz" where path.count == 1: return .text("ok\n")
        case "readyz" where path.count == 1: return await readiness()
        case "assets" where path.count == 2: return try Assets.response(path[1])
        case "login" where path.count == 1: return try login(request)
        default: break
        }
        try access.checkToken(of: request)
        var page = self
        if request.format == nil, request.method == .get { page.told = await notices() + lateness() }
        return try await page.page(request, path)
    }

    private func page(_ request: WebRequest, _ path: [String]) async throws -> WebResponse {
        if request.method == .post { return try await act(on: request) }
        guard request.method != .other else { throw DashboardError.method }
        let hasRows = path.first == "tables" && path.count == 2 || path == ["query"]
        if let format = request.format, !format.isJSON, !hasRows {
            throw DashboardError.noPage(request.link.as(format))
        }
        switch (path.first, path.count) {
        case (nil, _): return try await streamsPage(request)
        case ("events", 1): return eventStream()
        case ("query", 1): return try await queryPage(request)
        case ("demo", 1): return try await demoPage(request)
        case ("metrics", 1): return try await metrics()
        case ("tables", 1): return try await tablesPage(request)
        case ("tables", 2) where request.value(of: Link.keyParameter) == nil: return try await tablePage(request)
        case ("tables", _): return try await recordPage(request)
        case ("files", 2): return try await file(request)
        case ("runs", 1): return try await runsPage(request)
        case ("runs", 2): return try await runPage(request, path[1])
        case ("streams", 2): return try await streamPage(request, path[1])
        case ("changes", 1): return try await changesPage(request)
        default: throw DashboardError.noPage(request.link)
        }
    }

    /// Returns what has waited too long to be published. A database that cannot be read now says so on the page itself.
    private func lateness() async -> [ServiceNotice] {
        let (configuration, now) = (configuration(), now())
        guard configuration?.publish != nil else { return [] }
        let standing = try? await read { try PublicationStanding(of: configuration, in: $0) }
        return [standing?.notice(at: now)].compactMap(\.self)
    }

    /// Reads from the database on one unchanging state, within the time of a page.
    func read<R: Sendable>(
        within limit: Duration = Dashboard.pageTime, _ body: @escaping @Sendable (ReadOnlyDatabase) throws -> R
    ) async throws -> R {
        let (reader, clock) = (reader, clock)
        return try await race({ try await reader.read(body) }) {
            try await clock.sleep(for: limit)
            throw DashboardError.timeIsUp
        }
    }
}

/// Runs SQL of users apart from the service, within limits of time and memory.
package protocol QueryRunner: Sendable {
    /// Returns the result as text in `format`.
    func run(_ sql: String, parameters: [String: String], as format: RowFormat) async throws -> [UInt8]
}

/// The work that a person can ask for on the pages.
package protocol DashboardActions: Sendable {
    func sync(_ stream: StreamName) async throws
    func pause(_ stream: StreamName) async throws
    func resume(_ stream: StreamName) async throws
    func retryQuarantine(of stream: StreamName, record: Int64?) async throws
    func dropQuarantined(_ record: Int64, of stream: StreamName) async throws
}

/// The failure of a request for something that the database does not have.
struct MissingPage: FailureConvertible {
    let failure: RunFailure

    /// Runs `body`. What it cannot find, by a name of the address, is a missing page.
    static func translating<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch let error as PersistenceError where error.kind == .request {
            throw MissingPage(failure: error.failure)
        }
    }
}

/// A reason why there is no page.
enum DashboardError: FailureConvertible, Equatable {
    case noPage(Link)
    case method
    case timeIsUp
    case busy
    case readOnly
    case noAction(Link)
    case noQuery
    case formTooLong

    var failure: RunFailure {
        RunFailure(.usage, kind: answer.kind, message: answer.message, hint: .text(answer.hint))
    }

    var status: Int { answer.status }

    private var answer: (status: Int, kind: String, message: String, hint: String) {
        switch self {
        case .noPage(let link): (404, "no_page", "there is no page \(link)", "begin at /, which lists all streams")
        case .method: (405, "method", "pages are requested with GET", "use GET; forms use POST")
        case .timeIsUp:
            (
                503, "time_is_up", "the page took longer than \(Dashboard.pageTime)",
                "ask for less, with a filter or a narrower time"
            )
        case .busy: (503, "busy", "old rows are being read for others", "try again in a moment")
        case .readOnly:
            (
                403, "read_only", "this dashboard only shows",
                "start 'garner serve --listen' to sync and pause from here"
            )
        case .noAction(let link): (404, "no_action", "nothing can be done at \(link)", "use the buttons of the pages")
        case .noQuery: (400, "no_query", "there is no SQL to answer", "add ?sql=SELECT… to the address")
        case .formTooLong: (413, "form_too_long", "the form is longer than it may be", "use the forms of the pages")
        }
    }
}
