import GarnerJSON
import GarnerModel
import TestSupport
import Testing

@testable import GarnerCatalog

struct StarterFileTests {
    private typealias Findings = StarterFindings

    @Test func `the starter file of the demo is valid as written`() throws {
        let configuration = try Fixture.parse(StarterFile().text)
        let stream = try #require(configuration.streams.first)
        #expect(stream.name.description == "zoo.animals")
        #expect(stream.request.baseURL == "http://127.0.0.1:8080/" && stream.request.path == "/animals")
        #expect(stream.schedule == Schedule(every: .seconds(900), jitter: .seconds(30)))
        #expect(stream.allowsPrivateNetwork == nil)
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `every line that is commented out is valid when it is not`() throws {
        let stream = try #require(
            try Fixture.parse(uncommented(StarterFile().text), environment: ["API_TOKEN": "s3"]).streams.first)
        #expect(stream.request.authentication == .bearer(token: Secret("s3")))
        #expect(stream.recordSelector == "$.data[*]")
        #expect(stream.primaryKey == ["id"])
        #expect(stream.paginator.kind == .jsonLink(.init(nextURLPath: "$.next")))
        #expect(stream.deleteMissing == .soft)
        #expect(stream.request.params.count == 1)
    }

    @Test func `what was found out is written, with its reason`() throws {
        let findings = findings(
            paginator: .jsonLink(.init(nextURLPath: "$.next")), cursors: [.init("updated_at"), .init("seq", nil)])
        let text = try text("https://zoo.example/v1/animals?limit=5", findings)
        let stream = try #require(try Fixture.parse(text).streams.first)
        #expect(stream.recordSelector == "$.results[*]")
        #expect(stream.primaryKey == ["url"])
        #expect(stream.paginator.kind == .jsonLink(.init(nextURLPath: "$.next")))
        #expect(stream.incremental == nil)
        #expect(stream.request.params == [.init(name: "limit", value: .literal("5"))])
        #expect(text.contains("# Where the records are: why not.\n"))
        #expect(text.contains("# What identifies a record, unsure: a guess.\n"))
        #expect(findings.doubts == ["primary_key: a guess"])
    }

    @Test func `a key of several fields is a list`() throws {
        var findings = findings(paginator: .auto)
        findings.primaryKey = .init(["sensor", "the time"], "together they differ")
        let text = try text("https://zoo.example/readings", findings)
        #expect(text.contains("primary_key: [sensor, \"the time\"]\n"))
        #expect(try Fixture.parse(text).streams.first?.primaryKey == ["sensor", "the time"])
    }

    @Test func `a cursor is proposed in a line that is valid when it is not commented out`() throws {
        let findings = findings(paginator: .auto, cursors: [.init("updated_at"), .init("seq", nil)])
        let text = try text("https://zoo.example/animals", findings)
        #expect(text.contains("'updated_at' (or seq)"))
        let lines = text.replacing("# incremental:", with: "incremental:")
        #expect(try Fixture.parse(lines).streams.first?.incremental == Incremental(cursorField: "updated_at"))
    }

    /// The query of the URL, the fields, the line that is proposed, and the parameter that it speaks of.
    private static let times: [(String, [StarterFindings.CursorField], String, String?)] = [
        (
            "start_time=1332034771", [.init("updated_at"), .init("generated_timestamp", .epoch)],
            #"{ cursor_field: generated_timestamp, cursor_datetime_format: epoch, initial_value: "1332034771" }"#,
            "start_time"
        ),
        (
            "since=2026-01-31", [.init("seq", nil), .init("updated_at")],
            #"{ cursor_field: updated_at, cursor_datetime_format: rfc3339, datetime_format: date, initial_value: "2026-01-31" }"#,
            "since"
        ),
        (
            "updated_at_min=2026-01-31T00%3A00%3A00Z", [.init("updated_at")],
            #"{ cursor_field: updated_at, initial_value: "2026-01-31T00:00:00Z" }"#, "updated_at_min"
        ),
        (
            "start=7&created_to=1332034771", [.init("UpdatedDateUTC", .microsoftJSON)],
            "{ cursor_field: UpdatedDateUTC, cursor_datetime_format: microsoft_json, datetime_format: rfc3339 }", nil
        ),
    ]

    @Test(arguments: times)
    func `the time in a URL is the beginning of what is proposed`(
        query: String, fields: [StarterFindings.CursorField], line: String, parameter: String?
    ) throws {
        let text = try text("https://zoo.example/animals?\(query)", findings(paginator: .auto, cursors: fields))
        #expect(text.contains("        # incremental: \(line)\n"), "\(text)")
        #expect(
            text.contains(
                "# \(parameter ?? "here called since, add it to params as since"): \"{incremental.start_value}\""),
            "\(text)")
        #expect(
            try Fixture.parse(text.replacing("# incremental:", with: "incremental:")).streams.first?.incremental != nil)
    }

    @Test func `parallel arrays have their shape written beside their place`() throws {
        var findings = findings(paginator: .singlePage)
        (findings.recordSelector, findings.recordShape) = (.init("$.hourly", "arrays"), .columns)
        let stream = try #require(try Fixture.parse(text("https://zoo.example/forecast", findings)).streams.first)
        #expect(stream.recordSelector == "$.hourly" && stream.recordShape == .columns)
    }

    @Test func `a table that is replaced deletes nothing by itself`() throws {
        var findings = findings(paginator: .singlePage)
        (findings.primaryKey, findings.replacesTable) = (.init(nil, "none"), true)
        let text = try text("https://zoo.example/live", findings)
        #expect(try Fixture.parse(text).streams.first?.writeDisposition == .replace)
        #expect(text.contains("all records changed between two requests") && !text.contains("delete_missing"))
        #expect(findings.doubts.contains { $0.hasPrefix("write_disposition: ") })
    }

    @Test func `the database that was named is written`() throws {
        #expect(StarterFile(database: "a b.db").text.contains("\ndatabase: \"a b.db\"\n"))
    }

    @Test func `a record in the path leads to its stream`() throws {
        let address = try #require(StarterAddress("https://zoo.example/issues/44/comments"))
        func parent(_ isCertain: Bool) -> String {
            let parent = StarterAddress.Parent(
                stream: "issues", record: "44", path: "issues/{parent.number}/comments", isCertain: isCertain)
            return StarterFile(of: address.child(of: parent)).text
        }
        #expect(parent(true).contains("        parent: issues\n        path: \"issues/{parent.number}/comments\"\n"))
        #expect(parent(false).contains("        path: \"comments\"\n"))
        #expect(
            parent(false).contains("        # parent: issues\n        # path: \"issues/{parent.number}/comments\"\n"))
    }

    static let paginators: [Paginator.Kind] = [
        .auto, .singlePage, .jsonLink(.init(nextURLPath: "$['@odata.nextLink']")), .headerLink(.init(relation: "a b")),
        .headerCursor(.init(cursorHeader: "X-Next", cursorParam: "a: b")),
        .cursor(.init(cursorPath: "$['a\"b']['\\\\']", cursorParam: "page[cursor]", hasMorePath: "$.has_more")),
        .offset(.init(offsetParam: "$skip", limitParam: "$top", limit: 7, totalPath: "$.meta.total")),
        .pageNumber(
            .init(
                pageParam: "n", basePage: 0, pageSizeParam: "null", pageSize: 3, totalPath: "$.total",
                totalPagesPath: "$.pages", hasMorePath: "$.more")),
    ]

    @Test(arguments: paginators)
    func `every paginator is read as it was found`(kind: Paginator.Kind) throws {
        let text = try text("https://zoo.example/animals", findings(paginator: kind))
        #expect(try Fixture.parse(text).streams.first?.paginator.kind == kind)
    }

    @Test func `a size that the paginator sends is no parameter`() throws {
        let address = "https://zoo.example/animals?limit=5&sort=id"
        let offset = findings(paginator: .offset(.init(limitParam: "limit", limit: 5)))
        #expect(try Fixture.parse(text(address, offset)).streams.first?.request.params.map(\.name) == ["sort"])
        let link = findings(paginator: .headerLink(.init()))
        #expect(try Fixture.parse(text(address, link)).streams.first?.request.params.map(\.name) == ["sort", "limit"])
    }

    @Test func `a first page is asked for as the URL does, unless the paginator sends its number`() throws {
        let address = "https://zoo.example/animals?page=1&sort=id&page=1"
        #expect(try Fixture.parse(text(address)).streams.first?.request.params.map(\.name) == ["sort", "page"])
        let link = findings(paginator: .headerLink(.init()))
        let page = try Fixture.parse(text(address, link)).streams.first?.request.params.last
        #expect(page == .init(name: "page", value: .literal("1")))
        let number = findings(paginator: .pageNumber(.init(pageParam: "page")))
        #expect(try Fixture.parse(text(address, number)).streams.first?.request.params.map(\.name) == ["sort"])
        // A read begins with the first page.
        let third = try Fixture.parse(text("https://zoo.example/animals?page=3", link)).streams.first
        #expect(third?.request.params.isEmpty == true)
    }

    @Test func `what was not found is left to each run`() throws {
        let findings = Findings(
            recordSelector: .init(nil, "no"), primaryKey: .init(nil, "none", isDoubtful: true),
            paginator: .init(.auto, "no"))
        let stream = try #require(try Fixture.parse(text("https://zoo.example/animals", findings)).streams.first)
        #expect(stream.recordSelector == nil && stream.primaryKey == nil && stream.paginator == Paginator())
    }

    /// URLs and names from all that could end a text, a comment, a line or a placeholder.
    @Test(arguments: 0..<400)
    func `a file is valid and says the same, whatever is in it`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let hostile = Array(
            "ab/?&=#%{}[]$\"'\\:,* ~!|><@`\u{0}\u{1}\n\r\t\u{7F}\u{85}\u{A0}é\u{2028}\u{FEFF}\u{FFFD}😀\u{301}-+.0")
        func hostileText(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 0...most, using: &random)).compactMap { _ in hostile.randomElement(using: &random) }
            )
        }
        let url = "https://zoo.example/\(hostileText(12))?\(hostileText(12))=\(hostileText(12))&\(hostileText(5))"
        let address = try #require(StarterAddress(url))
        // The configuration knows no way to write `${` in a path.
        let name = "$" + Selector.segment(named: hostileText(12).replacing("${", with: "$"))
        let key = "k" + hostileText(12).replacing("${", with: "$")
        let findings = Findings(
            recordSelector: .init(name, hostileText(20)), primaryKey: .init([key], hostileText(20)),
            paginator: .init(
                .cursor(.init(cursorPath: try Selector(parsing: name), cursorParam: ParameterPlace(key))),
                hostileText(20)))
        let text = StarterFile(of: address, findings: findings).text
        let configuration = try Fixture.parse(text, environment: address.environment)
        let stream = try #require(configuration.streams.first)
        #expect(configuration.warnings.allSatisfy { $0.message.contains("which nobody sees") })
        #expect(stream.recordSelector?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
        #expect(stream.primaryKey?.first?.unicodeScalars.elementsEqual(key.unicodeScalars) == true)
        #expect(stream.paginator == findings.paginator.value)
        // What is sent is what the URL asks for, but for what is left to the paginator.
        let asked = try #require(WebAddress(url))
        let base = try #require(WebAddress(stream.request.baseURL))
        let sent = base.appending(stream.request.path)
        #expect(sent.path == asked.path)
        for parameter in stream.request.params {
            #expect(asked.value(of: parameter.name) == parameter.value.reveal(), "\(parameter.name)")
        }
    }

    @Test func `a value that would be a placeholder is sent with the path, and a dollar is one`() throws {
        let address = try #require(StarterAddress("https://zoo.example/animals?q=%7B%CC%81x%7D&p=%24%CC%81"))
        let stream = try #require(try Fixture.parse(StarterFile(of: address).text).streams.first)
        #expect(stream.request.path.hasSuffix("?q=%7B%CC%81x%7D"))
        #expect(stream.request.params == [.init(name: "p", value: .literal("$\u{301}"))])
    }

    // MARK: -

    private func findings(paginator: Paginator.Kind, cursors: [StarterFindings.CursorField] = []) -> StarterFindings {
        Findings(
            recordSelector: .init("$.results[*]", "why not"), primaryKey: .init(["url"], "a guess", isDoubtful: true),
            paginator: .init(paginator, "it is"), cursorFields: cursors)
    }

    private func text(_ url: String, _ findings: StarterFindings? = nil) throws -> String {
        let address = try #require(StarterAddress(url))
        return StarterFile(of: address, findings: findings).text
    }

    private func uncommented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.firstMatch(of: /^ +# [a-z_]+:[ ]/) == nil ? line : line.replacing("# ", with: "", maxReplacements: 1)
        }.joined(separator: "\n")
    }
}
