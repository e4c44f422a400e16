import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Animals, and what each was fed.
@Suite(.timeLimit(.minutes(5)))
struct ParentTests {
    /// `/animals` lists so many; `/animals/N/feedings` has two pages of one feeding each.
    private static func zoo(
        _ animals: Int, refusing status: @escaping @Sendable (LoopbackRequest) -> Int? = { _ in nil }
    ) -> LoopbackServer.Handler {
        { request in
            if let status = status(request) { return .status(status) }
            let parts = request.target.split(separator: "?")[0].split(separator: "/")
            guard parts.count == 3, let animal = Int(parts[1]) else {
                let records = (1...max(1, animals)).prefix(animals).map { #"{"id":\#($0),"name":"animal \#($0)"}"# }
                return .json("[\(records.joined(separator: ","))]")
            }
            let page = request.page
            return .json(
                #"{"data":[{"id":\#(page),"food":"\#(animal).\#(page)"}],"next":\#(page == 1 ? "\"?page=2\"" : "null")}"#
            )
        }
    }

    private static func feedings(
        _ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream("feedings") {
            $0.request.path = "animals/{parent.id}/feedings"
            $0.parent = Parent(stream: StreamName(source: "zoo", stream: "animals"), include: ["id", "name"])
            $0.primaryKey = nil
            change(&$0)
        }
    }

    /// Runs `body` when the list of the parent is stored.
    private static func run(
        _ answer: @escaping LoopbackServer.Handler, _ body: @escaping @Sendable (SyncRig) async throws -> Void
    ) async throws {
        try await SyncRig.run(answer) { rig in
            _ = try await rig.sync()
            try await body(rig)
        }
    }

    @Test func `every record of the parent is asked for, and its fields are stored with its children`() async throws {
        try await Self.run(Self.zoo(3)) { rig in
            let outcome = try await rig.sync(Self.feedings(rig))
            #expect(outcome.status == .succeeded)
            #expect([outcome.counts.pages, outcome.counts.requests, outcome.counts.inserted] == [6, 6, 6])
            #expect(
                try rig.texts(
                    "SELECT _animals_id || ' ' || _animals_name || ' ' || id || ' ' || food FROM feedings ORDER BY 1")
                    == (1...3).flatMap { animal in (1...2).map { "\(animal) animal \(animal) \($0) \(animal).\($0)" } })
            #expect(
                try rig.texts("SELECT name FROM pragma_table_info('feedings') WHERE pk > 0 ORDER BY pk")
                    == ["_animals_id", "id"])
            #expect(try rig.integers("SELECT count(*) FROM _garner_slices") == [0])
            // Nothing says that the parent's list has no further page.
            #expect(
                try rig.texts("SELECT completeness FROM _garner_runs ORDER BY run_id") == ["unknown", "unknown"])
            let again = try await rig.sync(Self.feedings(rig))
            #expect([again.counts.inserted, again.counts.updated, again.counts.unchanged] == [0, 0, 6])
        }
    }

    @Test func `a column of the parent's values follows them`() async throws {
        let team = Watched(#""red""#)
        try await SyncRig.run({ request in
            request.target == "/animals"
                ? .json(#"[{"id":1,"n":9007199254740993,"team":\#(team.value)}]"#) : .json(#"[{"id":7}]"#)
        }) { rig in
            let stream = Self.feedings(rig) {
                $0.parent?.include = []
                $0.primaryKey = ["animal", "id"]
                func field(_ name: String) -> FieldTemplate.Part { .value(.parent(name)) }
                $0.fields.additions = [
                    AddedColumn(name: "animal", content: .composed([FieldTemplate(parts: [field("id")])])),
                    AddedColumn(
                        name: "team",
                        content: .composed([
                            FieldTemplate(parts: [field("team"), .literal("-"), field("n")]),
                            FieldTemplate(parts: [.literal("n"), field("n")]),
                        ])),
                ]
            }
            var rows: [[String]] = []
            for value in [#""red""#, #""red""#, #""blue""#, "null"] {
                team.value = value
                _ = try await rig.sync()
                let counts = try await rig.sync(stream).counts
                let row = try rig.texts("SELECT animal || ' ' || team FROM feedings")
                rows.append(row + ["\(counts.inserted) \(counts.updated) \(counts.unchanged)"])
            }
            #expect(
                rows == [
                    ["1 red-9007199254740993", "1 0 0"], ["1 red-9007199254740993", "0 0 1"],
                    ["1 blue-9007199254740993", "0 1 0"], ["1 n9007199254740993", "0 1 0"],
                ])
            let key = try rig.texts("SELECT name FROM pragma_table_info('feedings') WHERE pk > 0 ORDER BY pk")
            #expect(key == ["animal", "id"])
        }
    }

    @Test func `fields whose names differ by Unicode form only are told apart`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await Self.run({ request in
            request.target == "/animals"
                ? .json("[{\"id\":1,\"\(composed)\":\"a\",\"\(decomposed)\":\"b\"}]") : .json(#"[{"id":7}]"#)
        }) { rig in
            let stream = Self.feedings(rig) {
                $0.request.path = "{parent.\(decomposed)}/{parent.\(composed)}"
                $0.parent?.include = [composed, decomposed]
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.status == .succeeded)
            #expect(rig.server.requests.last?.target == "/b/a")
            #expect(
                try rig.texts(
                    "SELECT \"_animals_\(composed)\" || \"_animals_\(decomposed)\" FROM feedings") == ["ab"])
        }
    }

    @Test func `children whose answers are unchanged follow the parent's fields`() async throws {
        let name = Watched("Ada")
        try await SyncRig.run({ request in
            if request.target == "/animals" { return .json(#"[{"id":1,"name":"\#(name.value)"}]"#) }
            if request["If-None-Match"] != nil { return .response(status: 304, headers: [("ETag", #""a""#)]) }
            return .json(#"{"id":7}"#, headers: [("ETag", #""a""#)])
        }) { rig in
            let stream = Self.feedings(rig) { $0.recordSelector = "$" }
            func sync() async throws -> RunCounts {
                _ = try await rig.sync()
                return try await rig.sync(stream).counts
            }
            _ = try await sync()
            let unchanged = try await sync()
            #expect([unchanged.notModified, unchanged.unchanged, unchanged.bytes] == [1, 1, 0])
            name.value = "Bob"
            let changed = try await sync()
            #expect([changed.notModified, changed.updated] == [0, 1])
            #expect(try rig.texts("SELECT _animals_name FROM feedings") == ["Bob"])
        }
    }

    @Test func `children of different parents with equal keys fail the first read, however often it is tried`()
        async throws
    {
        try await Self.run(Self.zoo(2)) { rig in
            for include in [[], ["name"]] {
                let stream = Self.feedings(rig) { $0.parent?.include = include }
                for _ in 0..<2 {
                    let outcome = try await rig.sync(stream)
                    let message = try #require(outcome.failure?.message)
                    #expect(message.contains("of different parents has the id of another one with other content"))
                    let fields = (["id"] + include).joined(separator: ", ")
                    #expect(
                        outcome.failure?.hint
                            == .text(
                                "set include_from_parent: [\(fields)] if they are different records, "
                                    + "or leave out with fields: { drop: … } what differs"))
                    #expect(outcome.counts.inserted + outcome.counts.updated == 0)
                    #expect(try rig.integers("SELECT count(*) FROM sqlite_schema WHERE name = 'feedings'") == [0])
                }
            }
            _ = try await rig.sync(Self.feedings(rig) { $0.parent?.include = ["id"] })
            #expect(try rig.integers("SELECT count(*) FROM feedings") == [4])
        }
    }

    @Test func `children that share a configured key make every read unsure, and nothing is deleted`() async throws {
        try await Self.run(Self.zoo(2)) { rig in
            let stream = Self.feedings(rig) {
                $0.primaryKey = ["id"]
                $0.deleteMissing = .hard
            }
            for _ in 0..<3 {
                let record = try #require(try await rig.sync(stream).record)
                #expect(record.verdict?.completeness == .unknown)
                #expect(
                    record.warning?.contains("set primary_key: [_animals_id, id] if they are different records") == true
                )
            }
        }
    }

    @Test func `a run that is cut off asks no finished parent again`() async throws {
        let fails = Watched(true)
        let stop = StopRequest()
        try await Self.run(
            Self.zoo(4) { request in
                if request.target.contains("/2/") { stop.request() }
                return fails.value && request.target.contains("/3/") ? 503 : nil
            }
        ) { rig in
            let before = rig.server.requests.count
            let cut = try await rig.sync(Self.feedings(rig) { $0.maxConcurrency = 1 }, stop: stop)
            #expect(cut.status == .cancelled)
            fails.value = false
            let rest = try await rig.sync(Self.feedings(rig) { $0.maxConcurrency = 1 })
            #expect(rest.status == .succeeded)
            let asked = rig.server.requests.dropFirst(before).map(\.target)
            #expect(asked.count == 8 && Set(asked).count == 8)
            #expect(try rig.integers("SELECT count(*) FROM feedings") == [8])
        }
    }

    @Test func `a parent that fails keeps no other from being read`() async throws {
        let refused = Watched<Int?>(404)
        try await Self.run(Self.zoo(5) { $0.target.contains("/1/") ? refused.value : nil }) { rig in
            let outcome = try await rig.sync(Self.feedings(rig))
            #expect(outcome.status == .failed)
            #expect(outcome.failure?.url == "\(rig.server.url)/animals/1/feedings")
            #expect(try rig.integers("SELECT count(*) FROM feedings") == [8])
            // What will not come is not waited for: the next run asks for all.
            #expect(try rig.integers("SELECT count(*) FROM _garner_slices") == [0])
            refused.value = 503
            _ = try await rig.sync(Self.feedings(rig))
            #expect(try rig.texts("SELECT bindings FROM _garner_slices") == [#"{"parent.id":"1"}"#])
            refused.value = nil
            let healed = try await rig.sync(Self.feedings(rig))
            #expect(healed.status == .succeeded)
            #expect(healed.counts.pages == 2)
            #expect(try rig.integers("SELECT count(*) FROM feedings") == [10])
        }
    }

    @Test func `several failures are told together`() async throws {
        try await Self.run(Self.zoo(4) { $0.target.contains("feedings") ? 410 : nil }) { rig in
            let outcome = try await rig.sync(Self.feedings(rig))
            #expect(outcome.failure?.message.hasSuffix("; 3 more of its parents or partitions failed") == true)
            #expect(try rig.integers("SELECT count(*) FROM _garner_requests WHERE error_kind = 'status'") == [4])
        }
    }

    @Test func `a source that refuses everything is not asked for every parent`() async throws {
        try await Self.run(Self.zoo(60) { $0.target.contains("feedings") ? 500 : nil }) { rig in
            let stream = Self.feedings(rig) { $0.maxConcurrency = 2 }
            let first = try await rig.sync(stream)
            #expect(first.status == .failed)
            #expect((20...22).contains(first.counts.requests))
            #expect(try rig.integers("SELECT count(*) FROM _garner_slices") == [60])
            _ = try await rig.sync(stream)
            // The second run begins with those that the first one has not tried.
            let asked = rig.server.requests.map(\.target).filter { $0.contains("feedings") }
            #expect(Set(asked).count == asked.count)
        }
    }

    @Test func `a rejected credential ends the run at once`() async throws {
        try await Self.run(Self.zoo(9) { $0.target.contains("feedings") ? 401 : nil }) { rig in
            let outcome = try await rig.sync(Self.feedings(rig) { $0.maxConcurrency = 1 })
            #expect(outcome.failure?.kind == "unauthorized")
            #expect(outcome.counts.requests == 1)
        }
    }

    @Test func `children of a parent that is gone are deleted with it`() async throws {
        let animals = Watched(3)
        try await SyncRig.run({ await Self.zoo(animals.value)($0) }) { rig in
            func sync() async throws -> RunOutcome {
                _ = try await rig.sync(
                    rig.stream {
                        $0.deleteMissing = .soft; $0.paginator = Paginator(.singlePage)
                    })
                return try await rig.sync(
                    Self.feedings(rig) {
                        $0.deleteMissing = .hard; $0.maxDeleteRatio = 0.5
                    })
            }
            _ = try await sync()
            animals.value = 2
            #expect(try await sync().counts.deleted == 2)
            #expect(try rig.integers("SELECT DISTINCT _animals_id FROM feedings ORDER BY 1") == [1, 2])
        }
    }

    @Test func `a parent without records has no children, and one that was never read is an error`() async throws {
        try await SyncRig.run(Self.zoo(0)) { rig in
            let early = try await rig.sync(Self.feedings(rig))
            #expect(early.failure?.kind == "missing")
            #expect(early.failure?.hint == "sync zoo.animals first")
            #expect(try rig.texts("SELECT status FROM _garner_runs") == ["failed"])
            _ = try await rig.sync()
            let outcome = try await rig.sync(Self.feedings(rig))
            #expect(outcome.status == .succeeded)
            #expect(outcome.counts.requests == 0)
        }
    }

    @Test func `a field that the parent does not have is named, with those that it has`() async throws {
        try await Self.run(Self.zoo(1)) { rig in
            let outcome = try await rig.sync(Self.feedings(rig) { $0.request.path = "animals/{parent.key}" })
            #expect(outcome.failure?.message == "the parent zoo.animals has no field 'key'")
            #expect(outcome.failure?.hint == "its fields are: id, name")
        }
    }

    @Test(arguments: [
        #""a/b?c#d é""#: "/animals/a%2Fb%3Fc%23d%20%C3%A9/x",
        "12345678901234567890123": "/animals/12345678901234567890123/x", "0.5": "/animals/0.5/x",
    ])
    func `a value stands in the path as one segment`(id: String, target: String) async throws {
        try await Self.run({ request in
            .json(request.target == "/animals" ? #"[{"id":\#(id)}]"# : #"[{"n":1}]"#)
        }) { rig in
            let outcome = try await rig.sync(
                Self.feedings(rig) {
                    $0.request.path = "animals/{parent.id}/x"
                    $0.parent?.include = ["id"]
                    $0.primaryKey = ["n"]
                })
            #expect(outcome.status == .succeeded)
            #expect(rig.server.requests.last?.target == target)
        }
    }

    @Test(arguments: [".", "..", ""]) func `a value that would change the path is refused`(id: String) async throws {
        try await Self.run({ request in
            .json(request.target == "/animals" ? #"[{"id":"\#(id)","name":"x"}]"# : "[]")
        }) { rig in
            let outcome = try await rig.sync(Self.feedings(rig))
            #expect(outcome.failure?.kind == "unusable_value")
            #expect(rig.server.requests.count == 1)
        }
    }

    @Test func `a parent may have a parent`() async throws {
        try await Self.run({ request in
            switch request.target.split(separator: "/").count {
            case 1: .json(#"[{"id":1},{"id":2}]"#)
            case 3: .json(#"[{"id":"a","keeper":{"id":7}}]"#)
            default: .json(#"[{"id":5}]"#)
            }
        }) { rig in
            _ = try await rig.sync(Self.feedings(rig) { $0.parent?.include = ["id"] })
            let keepers = rig.stream("keepers") {
                $0.request.path = "animals/{parent._animals_id}/feedings/{parent.id}/{parent.keeper.id}"
                $0.parent = Parent(stream: StreamName(source: "zoo", stream: "feedings"), include: ["_animals_id"])
                $0.primaryKey = nil
            }
            #expect(try await rig.sync(keepers).counts.inserted == 2)
            #expect(
                Set(rig.server.requests.map(\.target).suffix(2))
                    == ["/animals/1/feedings/a/7", "/animals/2/feedings/a/7"])
        }
    }

    @Test func `partitions make all combinations`() async throws {
        try await SyncRig.run({ .json(#"[{"id":"\#($0.target)"}]"#) }) { rig in
            let stream = rig.stream {
                $0.request.path = "{partition.repo}/x"
                $0.request.params = [.init(name: "state", value: .literal("{partition.state}"))]
                $0.partitions = [
                    Partition(name: "repo", values: ["a", "b/c"]), Partition(name: "state", values: ["on", "off"]),
                ]
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.counts.inserted == 4)
            #expect(
                Set(rig.server.requests.map(\.target))
                    == ["/a/x?state=on", "/a/x?state=off", "/b%2Fc/x?state=on", "/b%2Fc/x?state=off"])
        }
    }

    @Test func `so many pages and no more are those of all parents`() async throws {
        try await Self.run(Self.zoo(4)) { rig in
            let outcome = try await rig.sync(Self.feedings(rig), RunOptions(scope: RunScope(maximumPages: 3)))
            #expect(outcome.status == .succeeded)
            #expect(outcome.counts.pages == 3)
            #expect(try rig.integers("SELECT count(*) FROM _garner_slices") == [0])
        }
    }

    @Test func `not more requests are under way than the source may have`() async throws {
        let (now, most) = (Watched(0), Watched(0))
        try await Self.run({ request in
            if request.target.contains("feedings") {
                let count = now.change {
                    $0 += 1; return $0
                }
                most.change { $0 = max($0, count) }
                // Answered at once, a busy machine would ask for one after the other.
                for _ in 1...200 where most.value < 2 { try? await ContinuousClock().sleep(for: .milliseconds(5)) }
                try? await ContinuousClock().sleep(for: .milliseconds(5))
                now.change { $0 -= 1 }
            }
            return await Self.zoo(12)(request)
        }) { rig in
            _ = try await rig.sync(Self.feedings(rig) { $0.maxConcurrency = 3 })
            #expect((2...3).contains(most.value))
        }
    }

    @Test func `a parent for which the server answers with a refusal does not stop the others`() async throws {
        try await Self.run({ request in
            let parts = request.target.split(separator: "/")
            guard parts.count == 3 else {
                return .json("[\((1...12).map { #"{"id":\#($0),"name":"x"}"# }.joined(separator: ","))]")
            }
            return parts[1] == "3" ? .json(#"{"error":{"message":"no access"}}"#) : .json(#"[{"id":\#(parts[1])}]"#)
        }) { rig in
            let outcome = try await rig.sync(Self.feedings(rig))
            #expect(outcome.status == .failed)
            #expect(try rig.integers("SELECT count(*) FROM feedings") == [11])
        }
    }

    @Test func `a read is no more complete than the other streams that the condition reads`() async throws {
        let isWhole = Watched(true)
        let zoo = Self.zoo(3)
        try await Self.run({ request in
            guard request.target == "/hungry" else { return await zoo(request) }
            return isWhole.value ? .json(#"[{"id":1},{"id":2},{"id":3}]"#) : .status(404)
        }) { rig in
            let hungry = rig.stream("hungry") { $0.paginator = Paginator(.singlePage) }
            let feedings = Self.feedings(rig) {
                $0.parent?.condition = "id IN (SELECT id FROM hungry)"
                $0.primaryKey = ["_animals_id", "id"]
                ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
            }
            _ = try await rig.sync(rig.stream { $0.paginator = Paginator(.singlePage) })
            _ = try await rig.sync(hungry)
            let whole = try await rig.sync(feedings).record?.completeness
            isWhole.value = false
            _ = try await rig.sync(hungry)
            try rig.alter("DELETE FROM hungry WHERE id = 3")
            let record = try await rig.sync(feedings).record
            let rows = try rig.integers("SELECT count(*) FROM feedings")
            #expect(whole == .complete && record?.completeness == .unknown && rows == [6])
            #expect(record?.completenessReason == "the last run of zoo.hungry was not successful")
        }
    }
}
