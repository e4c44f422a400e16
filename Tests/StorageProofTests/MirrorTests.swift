import GarnerDatabase
import GarnerModel
import Testing

@testable import StorageProof

/// The model of sources that are mirrored in parts.
struct MirrorTests {
    private static let histories = (1...300).map { MirrorGenerator.history(of: $0) }

    @Test func `a seed makes the same mirror each time, and another seed another`() {
        #expect(MirrorGenerator.history(of: 7) == MirrorGenerator.history(of: 7))
        #expect(MirrorGenerator.history(of: 7) != MirrorGenerator.history(of: 8))
    }

    @Test func `three hundred seeds have every kind of mirror`() {
        let worlds = Self.histories.map(\.world)
        #expect(!worlds.contains { !$0.isValid })
        #expect(Set(worlds.map(\.paging)) == Set(MirrorWorld.Paging.allCases))
        #expect(Set(worlds.map(\.fields)) == Set(MirrorWorld.Fields.allCases))
        #expect(Set(worlds.map(\.missing)) == Set(World.Missing.allCases))
        #expect(Set(worlds.map(\.parentMissing)) == Set(World.Missing.allCases))
        #expect(Set(worlds.map(\.gates.count)) == [0, 1, 2, 3])
        let switches: [(MirrorWorld) -> Bool] = [
            \.hasParent, \.queriesGates, \.isGateInKey, \.isZooInKey, \.includesName, \.followsChanges, \.choosesOpen,
            \.ignoresGone, \.isIncremental, \.stopsAtKnown, \.readsAllAtTimes, \.filters, \.hasTombstones,
            \.keepsHistory, \.isSearched, \.hasFiles, \.sendsETags, { !$0.added.isEmpty }, { $0.parentPeriod > 0 },
            { $0.isIncremental && $0.missing != .ignore },
        ]
        for isOn in switches { #expect(Set(worlds.map(isOn)) == [true, false]) }
    }

    @Test func `three hundred seeds have every kind of disturbance of a mirror`() {
        let disturbances = Self.histories.flatMap(\.steps).compactMap { step in
            if case .read(let disturbance) = step { disturbance } else { nil }
        }
        #expect(Set(disturbances.flatMap(\.faults.values)) == Set(MirrorDisturbance.Fault.allCases))
        #expect(disturbances.contains { $0.kill != nil })
        #expect(disturbances.contains { !$0.changes.isEmpty })
        #expect(disturbances.contains { $0.maximumPages != nil })
        #expect(disturbances.contains { $0.stop != nil })
        #expect(disturbances.contains { $0.restarts })
    }

    /// The digest is that of RFC 4231, test case 2.
    @Test func `the model's hash is HMAC-SHA-256`() {
        #expect(
            ModelHash.hmac(of: "what do ya want for nothing?", key: "Jefe")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `only parts whose parent has changed are due, and those that were left behind`() throws {
        var world = MirrorWorld()
        (world.hasParent, world.followsChanges) = (true, true)
        var model = MirrorModel()
        let first = Self.parents([1: "a", 2: "b", 3: "c"], run: 1)
        model.followParent(from: MirrorSnapshot(), to: first)
        var due = try model.begin(Self.run(2), world, zoos: first.presentZoos, restarts: false, at: Self.start).get()
        #expect(due.isFull)
        #expect(due.laid.must == Self.slices([1, 2, 3]))
        model.end(due, as: Self.run(2, "succeeded"), world, log: Self.log([1, 2, 3]), failsApart: false, isCut: false)

        let second = Self.parents([1: "a", 2: "x", 3: "y"], run: 3)
        model.followParent(from: first, to: second)
        due = try model.begin(Self.run(4), world, zoos: second.presentZoos, restarts: false, at: Self.start).get()
        #expect(due.laid.must == Self.slices([2, 3]))
        model.end(due, as: Self.run(4, "failed"), world, log: Self.log([2]), failsApart: true, isCut: false)

        model.followParent(from: second, to: second)
        due = try model.begin(Self.run(5), world, zoos: second.presentZoos, restarts: false, at: Self.start).get()
        #expect(due.laid.must == Self.slices([3]))
        #expect(due.laid.may == Self.slices([3]))
    }

    @Test func `a read that was killed goes on`() throws {
        let world = MirrorWorld()
        var model = MirrorModel()
        let begun = try model.begin(Self.run(1), world, zoos: [:], restarts: false, at: Self.start).get()
        let page = MirrorServer.Served(slice: MirrorSlice(), records: [])
        model.end(begun, as: Self.run(1, "running"), world, log: [page], failsApart: false, isCut: false)
        let again = model.begin(Self.run(2), world, zoos: [:], restarts: false, at: Self.start)
        guard case .failure(let problem) = again else {
            Issue.record("a read that was forgotten is not found out")
            return
        }
        #expect(problem.kind == "forgotten")
        _ = try model.begin(
            Self.run(2), world, zoos: [:], restarts: false, hasLostPlace: true, at: Self.start
        ).get()
    }

    @Test func `a read that was killed before its first page may begin anew`() throws {
        let world = MirrorWorld()
        var model = MirrorModel()
        let begun = try model.begin(Self.run(1), world, zoos: [:], restarts: false, at: Self.start).get()
        let page = MirrorServer.Served(slice: MirrorSlice(), records: [])
        model.end(
            begun, as: Self.run(1, "running", pages: 0), world, log: [page], failsApart: false, isCut: false)
        _ = try model.begin(Self.run(2), world, zoos: [:], restarts: false, at: Self.start).get()
    }

    @Test(arguments: [
        (name: "tapir", keeper: "Ada", problem: nil), ("tapir", "Ben", "added"), ("okapi", "Ben", nil),
        ("okapi", "Ada", "added"),
    ])
    func `added columns are set with rows that change, and with no others`(
        name: String, keeper: String, problem: String?
    ) throws {
        var world = MirrorWorld()
        world.added = ["keeper": "Ben"]
        let old = MirrorRecord(id: 1)
        let new = MirrorRecord(id: 1, name: name)
        var source = MirrorSource([old], [], at: "")
        source.apply(.rename(at: 0, name), at: "")
        let look = try Self.look(
            world, source: source, before: [old.row(in: world).merging(["keeper": .text("Ada")]) { $1 }],
            after: [new.row(in: world).merging(["keeper": .text(keeper)]) { $1 }],
            log: [.init(slice: MirrorSlice(), records: [new], isLast: true)])
        #expect(look.looseProblem()?.kind == problem)
    }

    @Test func `the values of a query are those of the stored rows, each once, and of an open read those that it has`()
        throws
    {
        let rows: [[String: Value]] = [(3, "north", 1), (1, "south", 1), (2, "west", 0), (4, "south", 1), (5, "", 1)]
            .map {
                ["id": .integer($0.0), "name": .text($0.1), "is_open": .integer($0.2)]
            }
        var (snapshot, world, model) = (MirrorSnapshot(), MirrorWorld(), MirrorModel())
        snapshot.gates = StoredTable()
        snapshot.gates?.rows = rows + [["id": .integer(6), "is_open": .integer(1)]]
        #expect(model.gates(of: Self.run(1), in: snapshot) == ["south", "north"])

        (world.queriesGates, world.gates) = (true, ["south", "north"])
        let begun = try model.begin(Self.run(1), world, zoos: [:], restarts: false, at: Self.start).get()
        let log = [MirrorServer.Served(slice: MirrorSlice(gate: "south"), records: [], isLast: true)]
        model.end(begun, as: Self.run(1, "running"), world, log: log, failsApart: false, isCut: false)
        var further = Self.run(2)
        further.read = 1
        snapshot.gates?.rows = []
        #expect(model.gates(of: further, in: snapshot) == ["south", "north"])
        #expect(model.gates(of: Self.run(2), in: snapshot) == [])
    }

    @Test func `a value that returns is read from the beginning`() {
        var (world, model) = (MirrorWorld(), MirrorModel())
        func page(_ gate: String, since: String?) -> MirrorServer.Served {
            .init(slice: MirrorSlice(gate: gate), since: since, records: [], isLast: true)
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
        var world = MirrorWorld()
        (world.isIncremental, world.stopsAtKnown) = (true, true)
        var (model, descent) = (MirrorModel(), MirrorDescent())
        let reading = try model.begin(Self.run(2), world, zoos: [:], restarts: false, at: Self.start).get()
        func page(_ number: Int, _ cursor: String) -> MirrorServer.Served {
            .init(slice: MirrorSlice(), records: [MirrorRecord(id: number, changedAt: cursor)], number: number)
        }
        func kind(_ log: [MirrorServer.Served]) -> String? {
            descent.problem(log, reading, identity: "", isWhole: true, mayResume: false, isStored: { _ in true })?.kind
        }
        let list = [page(1, "c"), page(2, "b"), page(3, "a")]
        #expect(kind(list) == nil)
        descent.note(
            [page(1, "c")], identity: "", slices: [MirrorSlice()], beganAt: "d", restarts: false, hasStored: true,
            movesCursors: true, isStored: { _ in true })
        #expect(kind(Array(list.prefix(2))) == nil)
        #expect(kind(list) == "known")
        #expect(kind(Array(list.suffix(1))) == "resumed")
        func meetsKnown(_ log: [MirrorServer.Served]) -> Bool? {
            descent.meetsKnown(log, identity: "", isStored: { _ in true })
        }
        #expect(meetsKnown(list) == true)
        #expect(meetsKnown([page(1, "d")]) == false)
    }

    @Test(arguments: [(slipped: [1], problem: nil as String?), ([], "source"), ([2], "source")])
    func `only a record that has slipped between two pages may be missing`(slipped: [Int], problem: String?) throws {
        var world = MirrorWorld()
        (world.isIncremental, world.stopsAtKnown) = (true, true)
        let source = MirrorSource((1...3).map { MirrorRecord(id: $0) }, [], at: "a")
        var model = MirrorModel()
        let pages = [
            MirrorServer.Served(
                slice: MirrorSlice(), records: [], isLast: true,
                slipped: Set(source.records.filter { slipped.contains($0.id) }))
        ]
        model.descent.note(
            pages, identity: "", slices: [MirrorSlice()], beganAt: "a", restarts: false, hasStored: true,
            movesCursors: true, isStored: { _ in true })
        let stored = source.records.filter { $0.id != 1 }
        let rows = stored.map { $0.row(in: world) }
        let look = try Self.look(
            world, source: source, before: rows, after: rows,
            log: [.init(slice: MirrorSlice(), records: stored, isLast: true)], model: model)
        #expect(look.problem(with: look.prediction(), RunCounts())?.kind == problem)
    }

    /// A look at a stream without a parent.
    private static func look(
        _ world: MirrorWorld, source: MirrorSource, before: [[String: Value]], after: [[String: Value]],
        log: [MirrorServer.Served], model: MirrorModel = MirrorModel()
    ) throws -> MirrorLook {
        func snapshot(_ rows: [[String: Value]], run id: Int64) -> MirrorSnapshot {
            var snapshot = MirrorSnapshot()
            snapshot.table = StoredTable()
            snapshot.table?.rows = rows
            snapshot.run = run(id, "succeeded")
            return snapshot
        }
        var model = model
        let reading = try model.begin(run(2), world, zoos: [:], restarts: false, at: start).get()
        return MirrorLook(
            world: world, fields: [world.fields], before: snapshot(before, run: 1), after: snapshot(after, run: 2),
            log: log, source: source, reading: reading, model: model)
    }

    private static let start = Timestamp(millisecondsSince1970: 0)

    private static func run(_ id: Int64, _ status: String = "running", pages: Int64 = 1) -> MirrorSnapshot.Run {
        MirrorSnapshot.Run(id: id, read: id, status: status, isComplete: status == "succeeded", pages: pages)
    }

    private static func slices(_ zoos: [Int]) -> Set<MirrorSlice> { Set(zoos.map { MirrorSlice(zoo: $0) }) }

    private static func log(_ zoos: [Int]) -> [MirrorServer.Served] {
        zoos.map { MirrorServer.Served(slice: MirrorSlice(zoo: $0), records: [], isLast: true) }
    }

    private static func parents(_ names: [Int: String], run: Int64) -> MirrorSnapshot {
        var snapshot = MirrorSnapshot()
        var table = StoredTable()
        table.rows = names.map { ["id": .integer(Int64($0.key)), "name": .text($0.value), "state": .text("open")] }
        snapshot.zoos = table
        snapshot.parentRun = Self.run(run, "succeeded")
        return snapshot
    }
}
