import GarnerCatalog
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct QuarantineCommandTests {
    private static let page = #"[{"id":1},{"id":2,"a":{"b" : 1.50}}, {"x":1}]"#

    /// Two records are in quarantine: one whose member has no column, and one without a key.
    private static func withQuarantine(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let isFirst = Watched(true)
        try await LoopbackServer.serve({ _ in
            let isFirst = isFirst.change { value in
                defer { value = false }
                return value
            }
            return .json(isFirst ? #"[{"id":1}]"# : page)
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schema_contract: { columns: quarantine }")
            try await place.garner("sync")
            #expect(try await place.garner("sync").code == 0)
            try await body(place)
        }
    }

    @Test func `quarantine list shows the records, and quarantine show one as received`() async throws {
        try await Self.withQuarantine { place in
            let list = try await place.garner("quarantine", "--json")
            let shape = ["id", "stream", "run_id", "reason", "times", "quarantined_at", "last_seen_at", "url"]
            #expect(members(of: list.output) == shape + shape)
            #expect(try await place.garner("quarantine", "list", "animals", "--json").output == list.output)
            let show = try await place.garner("quarantine", "show", "1", "--json")
            #expect(members(of: show.output).prefix(10) == shape[...] + ["parent_fields", "record"])
            #expect(show.output.contains(#""record":{"id":2,"a":{"b" : 1.50}}"#))
            #expect(show.output.contains("its member 'a.b' has no column"))
            let table = try await place.garner("quarantine", "show", "2")
            #expect(table.output.contains(#"{"x":1}"#) && table.output.contains("the key 'id' is missing"))
            let none = try await place.garner("quarantine", "show", "99")
            #expect(none.code == 64 && none.errors.contains("garner quarantine list"))
            #expect(try await place.garner("quarantine", "list", "animls").code == 64)
        }
    }

    @Test func `a sync that could store nothing says why, and what shows the records`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":null,"code":"a"},{"id":null,"code":"b"}]"#) }) { server in
            let place = try Workplace(api: server.url)
            let sync = try await place.garner("sync")
            let advice =
                "none of the records could be stored: the key 'id' is null; set primary_key to fields that every"
            #expect(sync.errors.contains(advice), "\(sync)")
            #expect(sync.errors.contains("\nTry: garner quarantine list zoo.animals\n"), "\(sync)")
            #expect(try await place.shell("garner quarantine list zoo.animals").output.contains("the key 'id' is null"))
            try place.replace("primary_key: id", with: "primary_key: code")
            #expect(try await place.shell("garner drop zoo.animals --yes && garner sync").code == 0)
            #expect(try place.texts("SELECT code FROM animals ORDER BY 1") == ["a", "b"])
        }
    }

    @Test func `records without a key are told of with the reason, and with a field that they have`() async throws {
        let page = #"[{"id":1,"code":"a"},{"id":2,"code":null},{"id":3}]"#
        try await LoopbackServer.serve({ _ in .json(page) }) { server in
            let place = try Workplace(api: server.url, "primary_key: code")
            let told =
                "2 records were quarantined; the first of them: the key 'code' is null; set primary_key to fields that every "
                + "record has, such as id"
            let sync = try await place.garner("sync")
            #expect(sync.errors.contains(told), "\(sync)")
            let retry = try await place.garner("quarantine", "retry", "--all")
            #expect(
                retry.errors.contains("in quarantine; the first of them: the key 'code' is null; set primary_key"),
                "\(retry)")
            // They are in quarantine already.
            #expect(try await !place.garner("sync").errors.contains("the first of them"))
            try place.replace("primary_key: code", with: "primary_key: id")
            #expect(try await place.shell("garner drop zoo.animals --yes && garner sync").code == 0)
            #expect(try place.integers("SELECT id FROM animals ORDER BY 1") == [1, 2, 3])
        }
    }

    @Test func `quarantine retry loads the records that now fit`() async throws {
        try await Self.withQuarantine { place in
            let still = try await place.garner("quarantine", "retry", "--all")
            #expect(still.code == 0 && still.errors.contains("2 quarantined"))
            #expect(still.errors.contains("2 records could not be stored and stay in quarantine"))
            try place.replace("columns: quarantine", with: "columns: evolve")
            let retry = try await place.garner("quarantine", "retry", "--stream", "animals", "--json")
            #expect(retry.code == 0, "\(retry.errors)")
            #expect(
                retry.output.contains(#""status":"succeeded","pages":0,"requests":0,"not_modified":0,"inserted":1,"#))
            #expect(try place.texts("SELECT a__b FROM animals WHERE id = 2") == ["1.5"])
            #expect(try place.integers("SELECT quarantine_id FROM _garner_quarantine") == [2])
            let runs = try await place.garner("runs", "--json", "--limit", "1")
            #expect(runs.output.contains(#""inserted":1,"#))
            let changed = try await place.garner("rows", "animals", "--changed-since", "1h", "--json")
            #expect(changed.output.contains(#""id":2"#))
        }
    }

    @Test func `quarantine drop removes the named records`() async throws {
        try await Self.withQuarantine { place in
            #expect(try await place.garner("quarantine", "drop", "1", "99").code == 64)
            let drop = try await place.garner("quarantine", "drop", "1", "--json")
            #expect(drop.output == "{\"dropped\":1}\n")
            #expect(try await place.garner("quarantine", "drop", "--stream", "zoo.animals").errors == "1 dropped\n")
            #expect(try await place.garner("quarantine").errors == "Nothing is in quarantine.\n")
            #expect(try await place.garner("quarantine", "retry", "--all").errors == "Nothing is in quarantine.\n")
        }
    }

    @Test(arguments: [["retry"], ["drop"], ["retry", "1", "--all"], ["drop", "1", "--stream", "animals"], ["show"]])
    func `quarantine retry and drop without records are usage errors`(arguments: [String]) async throws {
        let place = try Workplace(api: "http://127.0.0.1:1")
        #expect(try await place.start(["quarantine"] + arguments).end().code == 64)
    }

    @Test func `quarantine retry needs the writer lock, as sync does`() async throws {
        try await Self.withQuarantine { place in
            let writer = try DatabaseWriter(path: place.database) {
                Timestamp(millisecondsSince1970: 1_769_846_700_000)
            }
            for command in ["retry", "drop"] {
                #expect(try await place.garner("quarantine", command, "--all").code == 75)
            }
            #expect(try await place.garner("quarantine").code == 0)
            await writer.close()
        }
    }
}
