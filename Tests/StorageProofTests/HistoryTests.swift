import GarnerDatabase
import GarnerModel
import Testing

@testable import StorageProof

/// The model of random histories, and how those that fail become small.
struct HistoryTests {
    @Test(arguments: [false, true])
    func `a seed makes the same history each time, and another seed another`(isMirror: Bool) {
        func history(_ seed: UInt64) -> History { HistoryGenerator.history(of: seed, isMirror: isMirror) }
        #expect(history(7) == history(7))
        #expect(history(7) != history(8))
    }

    @Test func `the first three hundred seeds have every kind of world`() {
        let worlds = Self.histories(isMirror: false).map(\.world)
        #expect(Set(worlds.map(\.keyKind)) == Set(World.KeyKind.allCases))
        #expect(Set(worlds.map(\.paging)) == Set(World.Paging.allCases))
        #expect(Set(worlds.map(\.writing)) == Set(World.Writing.allCases))
        #expect(Set(worlds.map(\.missing)) == Set(World.Missing.allCases))
        #expect(Set(worlds.map(\.columns)) == Set(World.Contract.ofColumns))
        #expect(Set(worlds.map(\.types)) == Set(World.Contract.allCases))
        #expect(Set(worlds.flatMap(\.fields)) == Set(World.Field.ofDrift))
        #expect(Set(worlds.flatMap(\.declared.values)) == [.boolean, .integer, .real, .text])
        Self.expectBoth(
            of: [
                \.isKeyInferred, \.sendsETags, \.keepsHistory, \.isSearched, \.childTables, \.isIncremental,
                \.hasFiles, \.repeats, \.hasParent,
            ], in: worlds)
    }

    @Test func `the first three hundred seeds have every kind of mirror`() {
        let worlds = Self.histories(isMirror: true).map(\.world)
        #expect(worlds.allSatisfy { $0.isValid })
        #expect(Set(worlds.map(\.paging)) == Set(World.Paging.ofMirrors))
        #expect(Set(worlds.map(\.treatment)) == Set(World.Treatment.allCases))
        #expect(Set(worlds.map(\.missing)) == Set(World.Missing.allCases))
        #expect(Set(worlds.map(\.parentMissing)) == Set(World.Missing.allCases))
        #expect(Set(worlds.map(\.gates.count)) == [0, 1, 2, 3])
        Self.expectBoth(
            of: [
                \.hasParent, \.queriesGates, \.isGateInKey, \.isZooInKey, \.includesName, \.followsChanges,
                \.choosesOpen, \.ignoresGone, \.isIncremental, \.stopsAtKnown, \.readsAllAtTimes, \.filters,
                \.hasTombstones, \.keepsHistory, \.isSearched, \.hasFiles, \.sendsETags, { !$0.added.isEmpty },
                { $0.parentPeriod > 0 }, { $0.isIncremental && $0.missing != .ignore },
            ], in: worlds)
    }

    private static func expectBoth(of switches: [(World) -> Bool], in worlds: [World]) {
        for isOn in switches { #expect(Set(worlds.map(isOn)) == [true, false]) }
    }

    @Test(arguments: [false, true])
    func `the first three hundred seeds have every kind of disturbance`(isMirror: Bool) {
        let histories = Self.histories(isMirror: isMirror)
        #expect(Set(histories.map(\.zoos.count)) == [0, 1, 2, 3, 4])
        let disturbances = histories.flatMap(\.steps).compactMap { step in
            if case .read(let disturbance) = step { disturbance } else { nil }
        }
        let faults = Set(disturbances.flatMap(\.faults.values))
        #expect(faults == Set(Disturbance.Fault.allCases.filter { isMirror || $0 != .gone }))
        let kinds: [(Disturbance) -> Bool] = [
            { $0.kill != nil }, { !$0.changes.isEmpty }, { $0.maximumPages != nil }, { $0.stop != nil }, \.restarts,
        ]
        for kind in kinds { #expect(disturbances.contains { kind($0) }) }
    }

    @Test func `values become text where one of their column is none`() {
        var storing = Storing(World(), into: nil, visits: nil)
        storing.store([Self.record(1, .number("7")), Self.record(2, .number("1.5"))])
        #expect(storing.types == ["id": .integer, "drift": .real])
        #expect(!storing.isRespelled)
        storing.store([Self.record(3, .string("x1"))])
        #expect(storing.types == ["id": .integer, "drift": .text])
        #expect(storing.isRespelled)
    }

    @Test(arguments: [
        (Content.bool(true), "true"), (.number("1.50"), "1.50"), (.number("-3"), "-3"), (.string("007"), "007"),
        (.array([.number("1.0"), .string("x")]), #"[1.0,"x"]"#),
    ])
    func `text is what the source wrote`(content: Content, text: String) {
        #expect(content.cell(as: .text) == .text(text))
    }

    @Test(
        arguments: [
            (.integer, .string("A12"), nil, #"{"drift":"A12"}"#), (.integer, .string("12"), .integer(12), nil),
            (.integer, .number("1.5"), nil, #"{"drift":1.5}"#),
            (.integer, .bool(true), .integer(1), #"{"drift":true}"#),
            (.integer, .object([]), nil, #"{"drift":{}}"#), (.real, .number("7"), .real(7), nil),
            (.real, .string("007"), nil, #"{"drift":"007"}"#), (.boolean, .number("7"), nil, #"{"drift":7}"#),
            (.boolean, .number("1"), .integer(1), nil), (.text, .number("1.50"), .text("1.50"), nil),
        ] as [(ModelType, Content, Value?, String?)])
    func `a column of texts gets the type that is configured, and what does not fit is set aside`(
        type: ModelType, content: Content, cell: Value?, rest: String?
    ) {
        var (world, after) = (World(), Snapshot())
        world.declared = ["drift": type]
        var row: [String: Value] = ["id": .integer(1)]
        (row["drift"], row["_garner_rest"]) = (cell, rest.map { .text($0) })
        after.table = StoredTable(types: ["id": .integer, "drift": type], rows: [row])
        for before in [Self.snapshot([["id": .integer(1), "drift": .text("x")]]), after] {
            var prediction = Prediction(world, from: before, pages: [[Self.record(1, content)]], to: after, at: "now")
            #expect(prediction.problem()?.kind == nil)
        }
    }

    @Test(arguments: [("7", nil, 1), ("7.0", "rows", nil)] as [(String, String?, Int?)])
    func `a row that is spelled otherwise than its source is found out`(
        spelling: String, kind: String?, updated: Int?
    ) {
        let stored = Self.snapshot([["id": .integer(1), "drift": .text("7.0")]])
        let after = Self.snapshot([["id": .integer(1), "drift": .text(spelling)]])
        var prediction = Prediction(
            World(), from: stored, pages: [[Self.record(1, .number("7"))]], to: after, at: "now")
        #expect(prediction.problem()?.kind == kind)
        #expect(prediction.counts.updated == updated)
    }

    @Test(
        arguments: [
            (World.Missing.hard, 1.0, [1], nil), (.hard, 1.0, [1, 2], "rows"), (.hard, 0.4, [1, 2], nil),
            (.ignore, 1.0, [1, 2], nil), (.ignore, 1.0, [1], "rows"),
        ] as [(World.Missing, Double, [Int64], String?)])
    func `rows without a record go where they must, and stay where they may not go`(
        missing: World.Missing, ratio: Double, left: [Int64], kind: String?
    ) {
        var world = World()
        (world.missing, world.maxDeleteRatio) = (missing, ratio)
        func table(_ ids: [Int64]) -> Snapshot { Self.snapshot(ids.map { ["id": .integer($0), "drift": .text("x")] }) }
        var prediction = Prediction(
            world, from: table([1, 2]), pages: [[Self.record(1, .string("x"))]], to: table(left), at: "now")
        #expect(prediction.problem()?.kind == kind)
    }

    @Test func `a row that the source never had is found out`() {
        let look = LooseLook(
            world: World(), before: Snapshot(), after: Self.snapshot([["id": .integer(1), "drift": .text("y")]]),
            collection: SourceRecords([Self.record(1, .string("x"))], isMirror: false, at: "now"), isOpen: true)
        #expect(look.problem(mustStay: [])?.kind == "invented")
    }

    @Test func `a history that fails becomes as small as it can be`() async {
        let history = HistoryGenerator.history(of: 3)
        let needed = Change.remove(at: 2)
        var larger = history
        larger.steps.insert(.change(needed), at: 1)
        let (smallest, _) = await Shrinking.shrink(larger, HistoryProblem("rows", "")) { history in
            history.steps.contains(.change(needed)) ? HistoryProblem("rows", "") : nil
        }
        #expect(smallest.steps == [.change(needed)])
        #expect(smallest.records.isEmpty)
        #expect(smallest.world.fields.isEmpty)
    }

    // MARK: - Mirrors

    @Test func `only parts whose parent has changed are due, and those that were left behind`() throws {
        var (world, model) = (Self.mirror, MirrorModel())
        (world.hasParent, world.followsChanges) = (true, true)
        func begin(_ run: Int64, _ snapshot: Snapshot) throws -> MirrorModel.Reading {
            try model.begin(Self.run(run), world, zoos: snapshot.presentZoos, restarts: false, at: Self.start)
        }
        func end(_ reading: MirrorModel.Reading, _ run: Snapshot.Run, _ zoos: [Int]) {
            let log = zoos.map { ModelServer.Served(part: SourcePart(zoo: $0), records: [], isLast: true) }
            let failsApart = run.status == "failed"
            model.end(reading, as: run, world, log: log, failsApart: failsApart, isCut: false)
        }
        func parts(_ zoos: [Int]) -> Set<SourcePart> { Set(zoos.map { SourcePart(zoo: $0) }) }
        let first = Self.parents([1: "a", 2: "b", 3: "c"], run: 1)
        model.followParent(from: Snapshot(), to: first)
        var due = try begin(2, first)
        #expect(due.isFull)
        #expect(due.laid.must == parts([1, 2, 3]))
        end(due, Self.run(2, "succeeded"), [1, 2, 3])

        let second = Self.parents([1: "a", 2: "x", 3: "y"], run: 3)
        model.followParent(from: first, to: second)
        due = try begin(4, second)
        #expect(due.laid.must == parts([2, 3]))
        end(due, Self.run(4, "failed"), [2])

        model.followParent(from: second, to: second)
        due = try begin(5, second)
        #expect(due.laid.must == parts([3]))
        #expect(due.laid.may == parts([3]))
    }

    @Test(arguments: [(isComplete: true, may: []), (false, [1])])
    func `a part may be due again whose list may have changed while it was read`(isComplete: Bool, may: [Int]) throws {
        var (world, model) = (Self.mirror, MirrorModel())
        (world.hasParent, world.followsChanges) = (true, true)
        let zoos = Self.parents([1: "a", 2: "b"], run: 1)
        func begin(_ run: Int64) throws -> MirrorModel.Reading {
            try model.begin(Self.run(run), world, zoos: zoos.presentZoos, restarts: false, at: Self.start)
        }
        model.followParent(from: Snapshot(), to: zoos)
        var run = Self.run(2, "succeeded")
        run.isComplete = isComplete
        let log = [(1, 1, false), (1, 2, true), (2, 1, true)].map {
            ModelServer.Served(part: SourcePart(zoo: $0.0), records: [], isLast: $0.2, number: $0.1)
        }
        model.end(try begin(2), as: run, world, log: log, failsApart: true, isCut: false)
        let due = try begin(3).laid
        #expect(due.must == [])
        #expect(due.may == Set(may.map { SourcePart(zoo: $0) }))
    }

    @Test(arguments: [(pages: 1, lost: false, kind: "forgotten"), (1, true, nil), (0, false, nil)])
    func `a read that was killed goes on, unless no page of it is stored, or its place is lost`(
        pages: Int64, lost: Bool, kind: String?
    ) throws {
        var model = MirrorModel()
        let begun = try model.begin(Self.run(1), Self.mirror, zoos: [:], restarts: false, at: Self.start)
        let page = ModelServer.Served(part: SourcePart(), records: [])
        model.end(begun, as: Self.run(1, pages: pages), Self.mirror, log: [page], failsApart: false, isCut: false)
        var found: String?
        do {
            _ = try model.begin(
                Self.run(2), Self.mirror, zoos: [:], restarts: false, hasLostPlace: lost, at: Self.start)
        } catch { found = error.kind }
        #expect(found == kind)
    }

    @Test(arguments: [
        (name: "tapir", keeper: "Ada", problem: nil), ("tapir", "Ben", "added"), ("okapi", "Ben", nil),
        ("okapi", "Ada", "added"),
    ])
    func `added columns are set with rows that change, and with no others`(
        name: String, keeper: String, problem: String?
    ) throws {
        var (world, model) = (Self.mirror, MirrorModel())
        world.added = ["keeper": "Ben"]
        func snapshot(_ name: String, _ keeper: String) -> Snapshot {
            Self.snapshot([["id": .integer(1), "name": .text(name), "keeper": .text(keeper)]])
        }
        let new = ModelRecord(key: [.number("1")], members: [.init(name: "name", value: .string(name))])
        let look = MirrorLook(
            world: world, before: snapshot("tapir", "Ada"), after: snapshot(name, keeper),
            log: [.init(part: SourcePart(), records: [new], isLast: true)],
            reading: try model.begin(Self.run(2), world, zoos: [:], restarts: false, at: Self.start), model: model)
        #expect(look.looseProblem()?.kind == problem)
    }

    @Test func `the values of a query are those of the stored rows, each once, and of an open read those that it has`()
        throws
    {
        let rows: [[String: Value]] = [(3, "north", 1), (1, "south", 1), (2, "west", 0), (4, "south", 1), (5, "", 1)]
            .map {
                ["id": .integer($0.0), "name": .text($0.1), "is_open": .integer($0.2)]
            }
        var (snapshot, world, model) = (Snapshot(), Self.mirror, MirrorModel())
        snapshot.gates = StoredTable(rows: rows + [["id": .integer(6), "is_open": .integer(1)]])
        #expect(model.gates(of: Self.run(1), in: snapshot) == ["south", "north"])

        (world.queriesGates, world.gates) = (true, ["south", "north"])
        let begun = try model.begin(Self.run(1), world, zoos: [:], restarts: false, at: Self.start)
        let log = [ModelServer.Served(part: SourcePart(gate: "south"), records: [], isLast: true)]
        model.end(begun, as: Self.run(1), world, log: log, failsApart: false, isCut: false)
        var further = Self.run(2)
        further.read = 1
        snapshot.gates?.rows = []
        #expect(model.gates(of: further, in: snapshot) == ["south", "north"])
        #expect(model.gates(of: Self.run(2), in: snapshot) == [])
    }

    @Test func `a value that returns is read from the beginning`() {
        var (world, model) = (Self.mirror, MirrorModel())
        func page(_ gate: String, since: String?) -> ModelServer.Served {
            .init(part: SourcePart(gate: gate), since: since, records: [], isLast: true)
        }
        (world.queriesGates, world.gates) = (true, ["south"])
        #expect(model.followGates(world, [page("south", since: nil)]) == nil)
        world.gates = ["south", "north"]
        let kind = model.followGates(world, [page("south", since: "a"), page("north", since: "a")])?.kind
        #expect(kind == "returned")
        #expect(model.followGates(world, [page("north", since: nil)]) == nil)
        #expect(model.followGates(world, [page("north", since: "b")]) == nil)
    }

    @Test func `a read that goes on behind known records, or within a list, is found out`() throws {
        var (world, model, descent) = (Self.mirror, MirrorModel(), MirrorDescent())
        (world.isIncremental, world.stopsAtKnown) = (true, true)
        let reading = try model.begin(Self.run(2), world, zoos: [:], restarts: false, at: Self.start)
        func page(_ number: Int, _ cursor: String) -> ModelServer.Served {
            let record = ModelRecord(key: [.number("\(number)")], members: [], changedAt: cursor)
            return .init(part: SourcePart(), records: [record], number: number)
        }
        func kind(_ log: [ModelServer.Served]) -> String? { descent.problem(log, reading, world, isWhole: true)?.kind }
        let list = [page(1, "c"), page(2, "b"), page(3, "a")]
        #expect(kind(list) == nil)
        descent.note(
            [page(1, "c")], world, parts: [SourcePart()], beganAt: "d", restarts: false, hasStored: true,
            movesCursors: true)
        #expect(kind(Array(list.prefix(2))) == nil)
        #expect(kind(list) == "known")
        #expect(kind(Array(list.suffix(1))) == "resumed")
        #expect(descent.meetsKnown(list, world) == true)
        #expect(descent.meetsKnown([page(1, "d")], world) == false)
    }

    @Test(arguments: [(slipped: [1], problem: nil as String?), ([], "source"), ([2], "source")])
    func `only a record that has slipped between two pages may be missing`(slipped: [Int], problem: String?) {
        var (world, descent) = (Self.mirror, MirrorDescent())
        (world.isIncremental, world.stopsAtKnown) = (true, true)
        let source = SourceRecords((1...3).map { Self.record($0, .string("x")) }, isMirror: true, at: "a")
        let hidden = Set(source.records.filter { record in slipped.contains { record.id.parts == ["\($0)"] } })
        let page = ModelServer.Served(part: SourcePart(), records: [], isLast: true, slipped: hidden)
        descent.note(
            [page], world, parts: [SourcePart()], beganAt: "a", restarts: false, hasStored: true, movesCursors: true)
        let after = Self.snapshot([2, 3].map { ["id": .integer($0), "drift": .text("x"), "changed_at": .text("a")] })
        let look = SourceLook(
            world: world, after: after, collection: source, log: [page], slipped: descent.slipped)
        #expect(look.problem()?.kind == problem)
    }

    private static func histories(isMirror: Bool) -> [History] {
        (1...300).map { HistoryGenerator.history(of: $0, isMirror: isMirror) }
    }

    private static func record(_ id: Int, _ drift: Content) -> ModelRecord {
        ModelRecord(key: [.number("\(id)")], members: [.init(name: "drift", value: drift)])
    }

    private static func snapshot(_ rows: [[String: Value]]) -> Snapshot {
        var snapshot = Snapshot()
        snapshot.table = StoredTable(types: ["id": .integer, "drift": .text], rows: rows)
        return snapshot
    }

    private static let mirror = {
        var world = World()
        world.isMirror = true
        return world
    }()

    private static let start = Timestamp(millisecondsSince1970: 0)

    private static func run(_ id: Int64, _ status: String = "running", pages: Int64 = 1) -> Snapshot.Run {
        Snapshot.Run(id: id, read: id, status: status, isComplete: status == "succeeded", pages: pages)
    }

    private static func parents(_ names: [Int: String], run: Int64) -> Snapshot {
        var snapshot = Snapshot()
        snapshot.zoos = StoredTable(
            rows: names.map { ["id": .integer(Int64($0.key)), "name": .text($0.value), "state": .text("open")] })
        snapshot.parentRun = Self.run(run, "succeeded")
        return snapshot
    }
}
