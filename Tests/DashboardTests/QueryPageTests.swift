import GarnerCatalog
import Dashboard
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import Testing

/// The page for SQL, its data and its plot.
struct QueryPageTests {
    let rig: DashboardRig

    init() throws { rig = try DashboardRig() }

    private func get(_ sql: String, _ form: String = "", _ more: String = "") async throws -> Reply {
        let encoded = try #require(sql.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        return try await rig.get("/query\(form)?sql=\(encoded)\(more)")
    }

    /// Returns the path of the line that a result is drawn as.
    private func line(_ sql: String) async throws -> String {
        let page = try await get(sql, "", "&plot=Line").text
        let start = try #require(page.range(of: "<path class=\"curve\" d=\""))
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test func `a text that is not UTF-8 is given as its bytes`() async throws {
        let sql = "SELECT CAST(x'fffe' AS TEXT) AS a, CAST(x'c3a9' AS TEXT) AS b, CAST(x'6122C328' AS TEXT) AS c"
        let json = try await get(sql, ".json")
        #expect(json.text == #"[\#n{"a":{"$base64":"//4="},"b":"é","c":{"$base64":"YSLDKA=="}}\#n]\#n"#)
        let page = try await get(sql)
        #expect(page.contains("{&quot;$base64&quot;:&quot;//4=&quot;}"))
        #expect(String(validating: page.bytes, as: UTF8.self) != nil)
    }

    @Test func `a result in CSV is a file to save`() async throws {
        let csv = try await get("SELECT 1 AS a", ".csv")
        #expect(csv.text == "a\n1\n")
        #expect(csv.headers["Content-Disposition"] == "attachment; filename=\"query.csv\"")
    }

    /// Answers no SQL within its limits.
    private struct LimitedQueries: QueryRunner {
        func run(_: String, parameters _: [String: String], as _: RowFormat) async throws -> [UInt8] {
            throw PersistenceError.timeIsUp(.seconds(10))
        }
    }

    @Test func `advice on a query names nothing that only the command line has`() async throws {
        for sql in ["SELECT nothing", "SELECT :name", "DELETE FROM sqlite_schema"] {
            let page = try await get(sql)
            #expect(page.contains("<b>Try:</b>"), "\(sql)")
            for words in ["--", "-p ", "garner schema", "garner sync"] {
                #expect(!page.contains(words), "\(sql): \(words)")
            }
        }
    }

    @Test(arguments: [".json", ".csv"])
    func `a query beyond its limits is the request's fault, not the server's`(form: String) async throws {
        let (path, configuration) = (rig.path, rig.configuration)
        let dashboard = Dashboard(
            database: path, reader: DatabaseReader(path: path), configuration: { configuration },
            query: LimitedQueries(), version: "0.0.0", now: { DashboardRig.epoch }, clock: ContinuousClock())
        let request = WebRequest(target: "/query\(form)?sql=SELECT%201", headers: ["host": "localhost"])
        let reply = try await Reply(dashboard.respond(to: request))
        #expect(reply.status == 422)
        #expect(reply.headers["Content-Type"] == "application/json")
        #expect(reply.text.contains(#""kind":"limit""#))
    }

    @Test(arguments: [
        // A day of a year is a 364th of what is between its ends.
        (
            "VALUES ('2026-01-01', 1), ('2026-01-02', 2), ('2026-12-31', 3)",
            "M0.0 100.0L0.27 50.0L100.0 0.0"
        ),
        (
            "VALUES ('2026-01-31T00:00:00Z', 3), ('2026-01-01T00:00:00.000Z', 1), ('2026-01-04 00:00:00', 2)",
            "M0.0 100.0L10.0 50.0L100.0 0.0"
        ),
        ("VALUES ('2026-01', 1), ('2026-02', 2), ('2026-12', 3)", "M0.0 100.0L9.28 50.0L100.0 0.0"),
        ("VALUES ('2026-01-01', 1), (NULL, 9), ('2026-01-03', 2)", "M0.0 100.0L100.0 0.0"),
        ("VALUES (1, 1), (2, 2), (101, 3)", "M0.0 100.0L1.0 50.0L100.0 0.0"),
        ("VALUES ('a', 1), ('2026-01-02', 2), ('c', 3)", "M0.0 100.0L50.0 50.0L100.0 0.0"),
    ])
    func `a line has its points at the distances of dates and numbers`(rows: String, path: String) async throws {
        #expect(try await line("SELECT column1 AS x, column2 AS y FROM (\(rows))") == path)
    }

    @Test(arguments: [
        ("VALUES (1, 1), (2, NULL), (3, 3)", "M0.0 100.0h0M100.0 0.0h0"),
        ("VALUES (0, 0), (1, 1), (2, NULL), (3, NULL), (4, 4)", "M0.0 100.0L25.0 75.0M100.0 0.0h0"),
        ("VALUES (0, NULL), (1, 1), (2, 2)", "M50.0 100.0L100.0 0.0"),
        ("VALUES ('a', 1), ('b', NULL), ('c', 3)", "M0.0 100.0h0M100.0 0.0h0"),
    ])
    func `a row without a value ends a line`(rows: String, path: String) async throws {
        #expect(try await line("SELECT column1 AS x, column2 AS y FROM (\(rows))") == path)
    }

    @Test func `the axis of dates names its ends`() async throws {
        let page = try await get("SELECT '2026-03-01' AS x, 1 AS y UNION ALL SELECT '2026-01-01', 2", "", "&plot=Line")
        #expect(page.contains("<span>2026-01-01</span><span>2026-03-01</span>"))
    }
}
