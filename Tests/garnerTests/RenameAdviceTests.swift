import Foundation
import TestSupport
import Testing

/// The words on streams of the file that seem to be streams of the database under other names, and what follows from them.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct RenameAdviceTests {
    @Test func `the only new stream of a source is told to be the only one that is gone, before it gets a table`()
        async throws
    {
        try await RenameTests.withSynced([("shop", [RenameTests.items])]) { place, url in
            try place.write(
                RenameTests.file(url, [("shop", ["wares: { path: parts, primary_key: id }"])]), to: "garner.yaml")
            let words =
                "Try: run 'garner rename shop.items shop.wares' to go on with its rows; if another file reads shop.items, "
            let check = try await place.garner("check")
            #expect(check.errors.contains("\(words)do nothing\n"), "\(check)")
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains("\(words)do nothing\n"), "\(sync)")
            // By now they are two.
            #expect(!(try await place.garner("sync").errors.contains("rename")))
        }
    }

    @Test func `a stream that asks for the same under other names is the one that is gone`() async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items, RenameTests.orders])]) { place, url in
            let new = ["items2: { path: parts, primary_key: id }", "wares: { path: items, primary_key: id }"]
            try place.write(RenameTests.file(url, [("shop", [RenameTests.orders]), ("crm", new)]), to: "garner.yaml")
            for command in ["check", "sync"] {
                let told = try await place.garner(command, command == "sync" ? "orders" : "--no-secrets")
                #expect(told.errors.contains("Try: run 'garner rename shop.items crm.wares' to"), "\(told)")
            }
            #expect(try await place.shell("garner rename shop.items crm.wares").code == 0)
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT count(*) FROM wares") == [2])
            #expect(try place.integers("SELECT count(*) FROM sqlite_schema WHERE name = 'items'") == [0])
        }
    }

    /// What is done about a stream that seems to be renamed, and the tables that there are then.
    @Test(arguments: [("rename", ["wares"]), ("drop", ["wares"]), ("write", ["items", "wares"])])
    func `nothing is read of a stream that asks for the very same as one that is gone, until it is told which it is`(
        way: String, tables: [String]
    ) async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items, RenameTests.orders])]) { place, url in
            let wares = "wares: { path: items, primary_key: id }"
            try place.write(RenameTests.file(url, [("shop", [wares, RenameTests.orders])]), to: "garner.yaml")
            for command in [["check"], ["plan"], ["sync"], ["trigger", "shop.*", "--wait"]] {
                let told = try await place.start(command).end()
                #expect(told.code == 2, "\(command): \(told)")
                let words = "shop.wares looks like shop.items, which has 2 rows and is not in this file"
                #expect(told.errors.contains(words), "\(command): \(told)")
            }
            #expect(try place.integers("SELECT count(*) FROM sqlite_schema WHERE name = 'wares'") == [0])
            let told = try await place.garner("sync", "wares")
            #expect(told.code == 78)
            if way == "write" {
                let advice =
                    "to keep both, or if another file reads shop.items, write shop.items into this file too until "
                #expect(told.errors.contains("\(advice)shop.wares has a table; "), "\(told)")
                try place.write(
                    RenameTests.file(url, [("shop", [RenameTests.items, wares, RenameTests.orders])]), to: "garner.yaml"
                )
            } else {
                let lines = told.errors.matches(of: /'(garner [^']+)'/).map { String($0.1) }
                let line = try #require(lines.first { $0.hasPrefix("garner \(way)") })
                #expect(try await place.shell(line + (way == "drop" ? " --yes" : "")).code == 0)
            }
            let sync = try await place.garner("sync")
            #expect(sync.code == 0, "\(sync)")
            let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('items', 'wares') ORDER BY 1"
            #expect(try place.texts(names) == tables)
            #expect(try place.integers("SELECT count(*) FROM wares") == [2])
            #expect(try await place.garner("check").code == 0)
        }
    }

    @Test func `two files that share a database and ask for the same keep their rows`() async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items])]) { place, url in
            let wares = "wares: { path: items, primary_key: id }"
            func write(_ streams: [(name: String, streams: [String])]) throws {
                try place.write(
                    RenameTests.file(url, streams).replacing("version: 1", with: "version: 1\ndatabase: garner.db"),
                    to: "other.yaml")
            }
            try write([("crm", [wares])])
            let refused = try await place.garner("sync", "-c", "other.yaml")
            #expect(refused.code == 78, "\(refused)")
            let advice =
                "if another file reads shop.items, write shop.items into this file too until crm.wares has a table"
            #expect(refused.errors.contains(advice), "\(refused)")
            try write([("shop", [RenameTests.items]), ("crm", [wares])])
            #expect(try await place.garner("sync", "-c", "other.yaml", "crm.wares").code == 0)
            try write([("crm", [wares])])
            // Each file goes on with its own stream.
            for file in ["garner.yaml", "other.yaml"] {
                #expect(try await place.garner("sync", "-c", file).code == 0, "\(file)")
                let check = try await place.garner("check", "-c", file)
                #expect(check.code == 0 && check.errors.contains("or another file reads it, do nothing"), "\(check)")
            }
            #expect(try place.integers("SELECT count(*) FROM items UNION ALL SELECT count(*) FROM wares") == [2, 2])
        }
    }

    @Test func `a source like one of another file gets tables beside it`() async throws {
        let both = [RenameTests.items, RenameTests.orders]
        try await RenameTests.withSynced([("shop", both)]) { place, url in
            func write(_ sources: [(name: String, streams: [String])]) throws {
                try place.write(
                    RenameTests.file(url, sources).replacing("version: 1", with: "version: 1\ndatabase: garner.db"),
                    to: "other.yaml")
            }
            try write([("crm", both)])
            let check = try await place.garner("check", "-c", "other.yaml")
            let advice =
                "if another file reads the streams of shop, give those of crm 'table' names of their own, and write "
                + "both into this file until both have tables\n"
            #expect(check.errors.contains(advice), "\(check)")
            let pasted = [("items", both[0]), ("orders", both[1])].map {
                $0.1.replacing(" }", with: ", table: crm_\($0.0) }")
            }
            try write([("shop", both), ("crm", pasted)])
            #expect(try await place.garner("sync", "-c", "other.yaml").code == 0)
            try write([("crm", pasted)])
            for file in ["garner.yaml", "other.yaml"] {
                #expect(try await place.garner("sync", "-c", file).code == 0, "\(file)")
                #expect(try await place.garner("check", "-c", file).code == 0, "\(file)")
            }
            for table in ["items", "orders", "crm_items", "crm_orders"] {
                #expect(try place.integers("SELECT count(*) FROM \(table)") == [2])
            }
        }
    }

    /// A new stream of another file, and what check advises so that both files go on.
    @Test(arguments: [
        ("items: { path: parts, primary_key: id }", "write 'table: crm_items' in crm.items"),
        (
            "items: { path: items, primary_key: id }",
            "write 'table: crm_items' in crm.items, and write shop.items into this file too until crm.items has a table"
        ),
        ("item: { path: parts, primary_key: id, table: items }", "write 'table: crm_item' in crm.item"),
    ])
    func `a stream like one of another file gets a table beside it`(line: String, advice: String) async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items])]) { place, url in
            func write(_ streams: [(name: String, streams: [String])]) throws {
                try place.write(
                    RenameTests.file(url, streams).replacing("version: 1", with: "version: 1\ndatabase: garner.db"),
                    to: "other.yaml")
            }
            try write([("crm", [line])])
            let check = try await place.garner("check", "-c", "other.yaml")
            #expect(check.errors.contains("; if another file reads shop.items, \(advice)\n"), "\(check)")
            let table = try #require(advice.firstMatch(of: /'(table: \w+)'/)?.1)
            let pasted = line.replacing(", table: items", with: "").replacing(" }", with: ", \(table) }")
            try write((advice.contains("into this file") ? [("shop", [RenameTests.items])] : []) + [("crm", [pasted])])
            #expect(try await place.garner("sync", "-c", "other.yaml").code == 0)
            try write([("crm", [pasted])])
            for file in ["garner.yaml", "other.yaml"] {
                #expect(try await place.garner("sync", "-c", file).code == 0, "\(file)")
            }
            #expect(try place.integers("SELECT count(*) FROM items") == [2])
        }
    }

    @Test(arguments: [
        "params: { kind: b }", "json: { kind: b }", "record_filter: \"@.id == 2\"",
        "params: { half: \"{partition.half}\" }, partitions: { half: [a] }",
    ])
    func `a stream that asks the same place for other things is another one`(settings: String) async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items])]) { place, url in
            let wares = "wares: { path: items, primary_key: id, \(settings) }"
            try place.write(RenameTests.file(url, [("shop", [wares])]), to: "garner.yaml")
            let sync = try await place.garner("sync")
            #expect(sync.code == 0 && !sync.errors.contains("looks like"), "\(sync)")
            #expect(try place.integers("SELECT count(*) > 0 FROM wares") == [1])
        }
    }

    @Test func `each line for a stream that is gone can be pasted`() async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items, RenameTests.orders])]) { place, url in
            let new = ["alpha", "beta"].map { "\($0): { path: \($0), primary_key: id }" }
            try place.write(RenameTests.file(url, [("shop", [RenameTests.orders] + new)]), to: "garner.yaml")
            let check = try await place.garner("check")
            #expect(check.code == 0)
            let advice = try #require(check.errors.firstMatch(of: /Try: (if it has another name now, .*)\n/)?.1)
            #expect(advice.contains("; if its rows are to stay, or another file reads it, do nothing; "), "\(advice)")
            let lines = advice.matches(of: /'(garner [^']+)'/).map { String($0.1) }
            #expect(
                lines == [
                    "garner rename shop.items shop.alpha", "garner rename shop.items shop.beta",
                    "garner drop shop.items",
                ])
            for line in lines { #expect(try await place.shell("\(line) --dry-run").code == 0, "\(line)") }
        }
    }

    @Test func `a stream whose place changes is told once where its rows come from`() async throws {
        try await RenameTests.withSynced([("shop", [RenameTests.items, RenameTests.orders])]) { place, url in
            let words = "shop.items was read from /items until now"
            // Other settings change no place.
            let other = RenameTests.items.replacing("}", with: ", params: { kind: a } }")
            try place.write(RenameTests.file(url, [("shop", [other, RenameTests.orders])]), to: "garner.yaml")
            #expect(try await !place.garner("check").errors.contains("until now"))
            let moved = RenameTests.items.replacing("path: items", with: "path: v2/items")
            try place.write(RenameTests.file(url, [("shop", [moved, RenameTests.orders])]), to: "garner.yaml")
            for command in ["check", "plan", "sync"] {
                let told = try await place.garner(command)
                #expect(told.code == 0 && told.errors.contains(words), "\(command): \(told)")
                #expect(!told.errors.contains("shop.orders was read"), "\(command): \(told)")
                guard command == "check" else { continue }
                #expect(told.errors.contains("; its rows are kept, and the next read goes on with them\n"), "\(told)")
                let advice = try #require(told.errors.firstMatch(of: /Try: (do nothing if .*)\n/)?.1)
                #expect(advice.contains("; if they are other ones, give the stream a new name, "), "\(advice)")
                let line = try #require(advice.firstMatch(of: /'(garner drop [^']+)'/)?.1)
                #expect(try await place.shell("\(line) --dry-run").code == 0)
            }
            // The harmless way of the advice is the right one here: the rows are the same ones.
            #expect(try place.integers("SELECT count(*) FROM items") == [2])
            for command in ["check", "plan", "sync"] {
                #expect(try await !place.garner(command).errors.contains("until now"), "\(command)")
            }
        }
    }

    /// The stream at each path has the name that the next one had.
    @Test(arguments: [["orders", "items"], ["parts", "items", "orders"]])
    func `streams that have each other's names are refused before a row goes, and begin anew together`(
        renamed: [String]
    ) async throws {
        let names = Array(["items", "orders", "parts"].prefix(renamed.count))
        try await LoopbackServer.serve({ request in
            .json(#"[{"id":\#((names.firstIndex { request.target.hasPrefix("/\($0)") } ?? 9) + 1)}]"#)
        }) { server in
            func file(_ names: [String], _ paths: [String]) -> String {
                let rest = "primary_key: id, delete_missing: hard, max_delete_ratio: 1, schedule: { every: 1h }"
                return RenameTests.file(
                    server.url, [("shop", zip(names, paths).map { "\($0): { path: \($1), \(rest) }" })])
            }
            let ids = names.map { "SELECT id FROM \($0)" }.joined(separator: " UNION ALL ")
            let place = try Workplace(file(names, names))
            for _ in 1...2 { #expect(try await place.garner("sync").errors.contains("succeeded")) }
            try place.write(file(renamed, names), to: "garner.yaml")
            for command in [["check"], ["sync"], ["serve"], ["trigger", "items"]] {
                let told = try await place.start(command).end()
                #expect(told.code == 78, "\(command)")
                #expect(told.errors.contains("asks for what the table of"), "\(command): \(told)")
            }
            #expect(try place.integers(ids) == names.indices.map { Int64($0 + 1) })
            let told = try await place.garner("check").errors
            let line = try #require(told.firstMatch(of: /'(garner drop [^']*)'/)?.1)
            try place.write(file(names, names), to: "garner.yaml")
            #expect(try await place.garner("check").code == 0)
            try place.write(file(renamed, names), to: "garner.yaml")
            // It asks first where it can.
            #expect(!line.contains("--yes"))
            #expect(try await place.shell(line.replacing(" &&", with: " --yes &&") + " --yes").code == 0)
            #expect(try await place.garner("sync").errors.contains("succeeded"))
            #expect(try place.integers(ids) == names.map { name in Int64((renamed.firstIndex(of: name) ?? 9) + 1) })
        }
    }
}
