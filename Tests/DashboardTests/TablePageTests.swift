import GarnerCatalog
import Dashboard
import Foundation
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import Testing

struct TablePageTests {
    let rig: DashboardRig

    init() throws { rig = try DashboardRig() }

    private static let animals = #"""
        [{"id":1,"name":"Kea","kind":"Bird","age":9,"tame":true},{"id":2,"name":"Wolf","kind":"Mammal","age":20,"tame":false},
        {"id":3,"name":"100% Owl","kind":"Bird","age":100,"tame":true},{"id":4,"name":"Fox","kind":"Mammal","age":null,"tame":null}]
        """#

    @Test(arguments: [
        ("kind=Bird", "1 3"), ("kind__not=Bird", "2 4"), ("age__gt=20", "3"), ("age__gte=20", "2 3"),
        ("age__lt=20", "1"), ("age__lte=20.0", "1 2"), ("age=020", "2"), ("name__contains=O", "2 3 4"),
        ("name__contains=0%25", "3"), ("name__contains=_", ""), ("name__startswith=f", "4"), ("age__isnull=1", "4"),
        ("age__isnull=0", "1 2 3"), ("age__isnull=TRUE", "4"), ("age__isnull=yes", "4"), ("age__isnull=false", "1 2 3"),
        ("age__isnull=No", "1 2 3"), ("tame=true", "1 3"), ("tame__not=true", "2 4"), ("tame=0", "2"),
        ("kind=Bird&age__gt=10", "3"), ("kind='%20OR%201=1%20--", ""), ("id__exact=2", "2"),
    ])
    func `filters of the address choose the rows`(query: String, ids: String) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        #expect(try await rig.values("id", at: "/tables/animals.json?\(query)").joined(separator: " ") == ids)
        let page = try await rig.get("/tables/animals?\(query)")
        #expect(page.status == 200)
        let shown = (1...4).filter { page.contains("href=\"/tables/animals/\($0)\"") }
        #expect(shown.map(String.init).joined(separator: " ") == ids)
    }

    @Test(arguments: [
        ("", "1 2 3 4"), ("?_sort=name", "3 4 1 2"), ("?_sort_desc=name", "2 1 4 3"), ("?_sort=age", "4 1 2 3"),
        ("?_sort_desc=age", "3 2 1 4"), ("?_sort_desc=id", "4 3 2 1"), ("?_sort_desc=kind", "4 2 3 1"),
    ])
    func `the address orders the rows, and rows without a value are the smallest`(
        query: String, ids: String
    ) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        #expect(try await rig.values("id", at: "/tables/animals.json\(query)").joined(separator: " ") == ids)
    }

    @Test(arguments: [
        "", "?_sort=id", "?_sort_desc=id", "?_sort=n", "?_sort_desc=n", "?_sort=long", "?_sort_desc=long",
    ])
    func `the pages of each order have each record once`(query: String) async throws {
        let long = String(repeating: "x", count: 500)
        let records = (1...350).map { id -> String in
            let value = id % 3 == 0 ? "null" : "\(id % 7)"
            return #"{"id":\#(id),"n":\#(value),"long":"\#(long)\#(id % 5)"}"#
        }
        try await rig.sync(DashboardRig.stream(), "[\(records.joined(separator: ","))]")
        var ids: [Int] = []
        var target: String? = "/tables/animals\(query)"
        while let here = target, ids.count <= 350 {
            let path = here.replacingOccurrences(of: "/tables/animals", with: "/tables/animals.json")
            ids += try await rig.values("id", at: path).compactMap { Int($0) }
            target = try await rig.get(here).link(rel: "next")
        }
        #expect(ids.count == 350)
        #expect(Set(ids) == Set(1...350))
    }

    @Test func `a page begins where the last one ended, though rows came and went`() async throws {
        let stream = DashboardRig.stream()
        let records = (1...150).map { #"{"id":\#($0 * 2),"n":\#($0 % 2)}"# }
        try await rig.sync(stream, "[\(records.joined(separator: ","))]")
        let next = try #require(try await rig.get("/tables/animals?_sort=n").link(rel: "next"))
        // The row that the page ended with goes, and one comes before it.
        try rig.alter("DELETE FROM animals WHERE id = 98; INSERT INTO animals (id, n) VALUES (1, 0)")
        let path = next.replacingOccurrences(of: "/tables/animals", with: "/tables/animals.json")
        let rest = try await rig.values("id", at: path).compactMap { Int($0) }
        let before = try await rig.values("id", at: "/tables/animals.json?_sort=n&id__not=1").compactMap { Int($0) }
        #expect(rest.count == 50)
        #expect(Set(rest).isDisjoint(with: before.prefix(99)))
    }

    @Test func `a page of JSON or CSV has the bytes that the same rows have in the terminal`() async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        let reader = try ReadOnlyDatabase(path: rig.path)
        func bytes(_ request: RowRequest, _ format: RowFormat) throws -> [UInt8] {
            let all = Collected()
            try reader.rows(for: request).write(as: format) { all.bytes += $0 }
            return all.bytes
        }
        #expect(
            try await rig.get("/tables/animals.json").bytes
                == bytes(RowRequest(table: "animals", limit: 100), .json))
        #expect(try await rig.get("/tables/animals.csv").bytes == bytes(RowRequest(table: "animals"), .csv))
        #expect(
            try await rig.get("/tables/animals.csv?kind=Bird&age__gt=10").bytes
                == bytes(RowRequest(table: "animals", condition: "kind = 'Bird' AND age > 10"), .csv))
    }

    @Test(arguments: ["SELECT x FROM gone", "SELECT gone FROM animals"])
    func `a view that is broken says so`(query: String) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        try rig.alter("CREATE VIEW bad AS \(query)")
        for target in ["/tables/bad", "/tables/bad.json", "/tables/bad.csv"] {
            let reply = try await rig.get(target)
            #expect(reply.status == 400, "\(target): \(reply.status)")
            #expect(reply.contains("he view bad: no such ") && reply.contains("DROP VIEW bad"), "\(reply.text)")
        }
        #expect(try await rig.get("/tables").contains(">bad<"))
        #expect(try await rig.get("/tables.json").contains(#""kind":"view","configured":null}"#))
    }

    @Test func `a download ends when the write-ahead log has grown long, and says so by its missing end`() async throws
    {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        // What lies behind the log's last frame means nothing to SQLite.
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: rig.path + "-wal"))
        try log.truncate(atOffset: 511 << 20)
        #expect(try await rig.get("/tables/animals.csv").status == 200)
        try log.truncate(atOffset: 512 << 20)
        await #expect(throws: (any Error).self) { try await rig.get("/tables/animals.csv") }
        try log.close()
    }

    @Test func `a search finds the best matches among the filtered rows`() async throws {
        try await rig.sync(DashboardRig.stream { $0.search = ["name", "kind"] }, Self.animals)
        #expect(try await rig.values("id", at: "/tables/animals.json?_q=bird") == ["1", "3"])
        #expect(try await rig.values("id", at: "/tables/animals.json?_q=bird&age__gt=10") == ["3"])
        #expect(try await rig.values("id", at: "/tables/animals.json?_q=bird&_sort_desc=age") == ["3", "1"])
        #expect(try await rig.values("id", at: "/tables/animals.json?_q=%22%20OR%20wolf") == [])
        #expect(try await rig.get("/tables/animals.csv?_q=wolf").text.split(separator: "\n").count == 2)
        #expect(try await rig.get("/tables/animals?_q=bird").contains("Remove the search for “bird”"))
    }

    @Test func `a table without an index cannot be searched, which the page says`() async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        let page = try await rig.get("/tables/animals?_q=bird")
        #expect(page.status == 400)
        #expect(page.contains("cannot be searched"))
    }

    @Test func `values to choose from have exact counts, and leave their own filter out`() async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        let page = try await rig.get("/tables/animals?kind=Bird&_sort=age")
        let chosen =
            #"<a href="/tables/animals?_sort=age" aria-current="true"><span><bdi dir="auto">Bird</bdi> ×</span> "#
        #expect(page.contains(chosen + #"<span class="num">2</span></a>"#))
        let other = #"<a href="/tables/animals?kind=Mammal&amp;_sort=age"><span><bdi dir="auto">Mammal</bdi></span> "#
        #expect(page.contains(other + #"<span class="num">2</span></a>"#))
        #expect(page.contains("Rows 1 to 2 of 2"))
    }

    @Test func `the form that adds a filter leads to the short address`() async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        let reply = try await rig.get("/tables/animals?kind=Bird&_column=age&_is=gte&_value=20")
        #expect(reply.status == 303)
        #expect(reply.headers["Location"] == "/tables/animals?kind=Bird&age__gte=20")
    }

    @Test func `columns whose names are words of the address can be filtered`() async throws {
        try await rig.sync(
            DashboardRig.stream(),
            #"[{"id":1,"after":"x","age":1,"age__gt":5},{"id":2,"after":"y","age":2,"age__gt":6}]"#)
        #expect(try await rig.values("id", at: "/tables/animals.json?after__exact=y") == ["2"])
        #expect(try await rig.values("id", at: "/tables/animals.json?age__gt=1") == ["2"])
        #expect(try await rig.values("id", at: "/tables/animals.json?age__gt__exact=5") == ["1"])
        let form = try await rig.get("/tables/animals?_column=age__gt&_is=exact&_value=5")
        #expect(form.headers["Location"] == "/tables/animals?age__gt__exact=5")
    }

    @Test func `a view shows its rows without records behind them`() async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        try rig.alter("CREATE VIEW \"old ones\" AS SELECT name, age + 0 AS years FROM animals WHERE age > 10")
        #expect(try await rig.get("/tables").contains(#"<a href="/tables/old%20ones">old ones</a>"#))
        #expect(
            try await rig.values("name", at: "/tables/old%20ones.json?years__gt=20&_sort_desc=years") == [
                "100% Owl"
            ])
        let page = try await rig.get("/tables/old%20ones")
        #expect(page.contains("2 rows"))
        #expect(!page.contains("/tables/old%20ones/"))
        #expect(try await rig.get("/tables/old%20ones.csv").text == "name,years\nWolf,20\n100% Owl,100\n")
    }

    @Test(arguments: [
        ("/tables/animals?nope=1", 400, "did you mean"), ("/tables/animals?_sort=nope", 400, "no column 'nope'"),
        ("/tables/animals?after=x", 400, "names no row"), ("/tables/anmals", 404, "did you mean"),
        ("/tables/animals/99", 404, "no record"), ("/tables/animals/1/2", 404, "1 part"),
        ("/tables/animals?after=1_i", 400, "names no row"),
    ])
    func `a wrong address is answered with what is wrong`(target: String, status: Int, words: String) async throws {
        try await rig.sync(DashboardRig.stream(), #"[{"id":1,"note":"x"}]"#)
        let reply = try await rig.get(target)
        #expect(reply.status == status)
        #expect(reply.text.replacingOccurrences(of: "&#39;", with: "'").contains(words), "\(reply.text)")
    }

    @Test func `two exports run at once, and another one is asked to come later`() async throws {
        let long = String(repeating: "x", count: 1_000)
        let records = (1...3_000).map { #"{"id":\#($0),"name":"\#(long)"}"# }
        try await rig.sync(DashboardRig.stream(), "[\(records.joined(separator: ","))]")
        let request = WebRequest(target: "/tables/animals.csv", headers: ["host": "localhost"])
        var open: [WebResponse] = []
        for _ in 1...2 { open.append(await rig.dashboard.respond(to: request)) }
        #expect(open.map(\.status) == [200, 200])
        let refused = try await rig.get("/tables/animals.csv")
        #expect(refused.status == 503)
        #expect(refused.headers["Retry-After"] != nil)
        // Pages are read meanwhile, and those who go make room.
        #expect(try await rig.get("/tables/animals").status == 200)
        open.removeAll()
        try await eventually { try await rig.get("/tables/animals.csv").status == 200 }
    }

    /// Waits until the condition holds, for a minute at most.
    private func eventually(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<6_000 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("it never came")
    }

    private final class Collected {
        var bytes: [UInt8] = []
    }

    @Test(arguments: [
        "age__gte=abc", "age__lt=0x10", "age__gt=inf", "age__lte=", "tame__gt=yes", "age=abc", "age=nan", "age=",
        "age__exact=abc", "age__not=abc", "tame=yes", "_column=age&_is=exact&_value=old",
    ])
    func `numbers are not compared with a text`(query: String) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        for form in ["", ".json", ".csv"] {
            let reply = try await rig.get("/tables/animals\(form)?\(query)")
            #expect(reply.status == 400, "\(form)")
            #expect(reply.contains("holds numbers: give one, or look for text with"), "\(form)")
        }
    }

    @Test(arguments: ["", "x", "2", "null", "%20true"])
    func `whether there is a value is asked with a word for yes or no`(value: String) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        for form in ["", ".json", ".csv"] {
            let reply = try await rig.get("/tables/animals\(form)?age__isnull=\(value)")
            #expect(reply.status == 400, "\(form)")
            #expect(reply.contains("write 1, true or yes for rows without a value, or 0, false or no"), "\(form)")
        }
    }

    @Test(arguments: [
        "age__gte=-1.5e1", "age__gte=%2B9", "tame__lt=true", "name__gt=5", "age=1e3", "age__not=-2",
        "age__contains=abc", "age__startswith=a",
    ])
    func `numbers are compared with numbers, and texts with texts`(query: String) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        #expect(try await rig.get("/tables/animals?\(query)").status == 200)
    }

    @Test func `a text that stands in a column of numbers can be chosen`() async throws {
        let records = (1...6).map { #"{"id":\#($0),"n":\#($0 % 2)}"# }
        try await rig.sync(DashboardRig.stream(), "[\(records.joined(separator: ","))]")
        try rig.alter("UPDATE animals SET n = 'old' WHERE id <= 3")
        #expect(try await rig.get("/tables/animals").contains(#"<a href="/tables/animals?n__contains=old">"#))
        #expect(try await rig.values("id", at: "/tables/animals.json?n__contains=old") == ["1", "2", "3"])
        #expect(try await rig.get("/tables/animals?n__contains=old").contains(#"aria-current="true"><span>"#))
    }

    @Test(arguments: ["", ".json", ".csv"])
    func `an address with too many filters is refused`(form: String) async throws {
        try await rig.sync(DashboardRig.stream(), Self.animals)
        let filters = (1...51).map { "age__not=\($0)" }.joined(separator: "&")
        let reply = try await rig.get("/tables/animals\(form)?\(filters)")
        #expect(reply.status == 422)
        #expect(reply.contains("he address has more than 50 filters"))
    }

    @Test func `an unknown comparison is refused with those that there are`() async throws {
        try await rig.sync(DashboardRig.stream(), #"[{"id":1,"age":3,"age__min":1}]"#)
        let page = try await rig.get("/tables/animals?age__like=3")
        #expect(page.status == 400)
        #expect(page.contains("&#39;__like&#39; cannot be used as a comparison of age"))
        let known = ["exact", "not", "gt", "gte", "lt", "lte", "contains", "startswith", "isnull"].map { "__\($0)" }
        #expect(page.contains("write one of \(known.joined(separator: ", "))"))
        let close = try await rig.get("/tables/animals?age__mn=3")
        #expect(close.status == 400 || close.status == 404)
        #expect(close.contains("did you mean &#39;age__min&#39;?"))
    }
}
