import GarnerDatabase
import Testing

@testable import StorageProof

/// The model of random histories, and how those that fail become small.
struct HistoryTests {
    @Test func `a seed makes the same history each time, and another seed another`() {
        #expect(HistoryGenerator.history(of: 7) == HistoryGenerator.history(of: 7))
        #expect(HistoryGenerator.history(of: 7) != HistoryGenerator.history(of: 8))
    }

    @Test func `the first three hundred seeds have every kind of world`() {
        let worlds = Self.histories.map(\.world)
        #expect(Set(worlds.map(\.keyKind)) == Set(World.KeyKind.allCases))
        #expect(Set(worlds.map(\.paging)) == Set(World.Paging.allCases))
        #expect(Set(worlds.map(\.writing)) == Set(World.Writing.allCases))
        #expect(Set(worlds.map(\.missing)) == Set(World.Missing.allCases))
        #expect(Set(worlds.map(\.columns)) == Set(World.Contract.ofColumns))
        #expect(Set(worlds.map(\.types)) == Set(World.Contract.allCases))
        #expect(Set(worlds.flatMap(\.fields)) == Set(World.Field.allCases))
        let switches: [(World) -> Bool] = [
            \.isKeyInferred, \.sendsETags, \.keepsHistory, \.isSearched, \.childTables, \.isIncremental, \.hasFiles,
            \.repeats,
        ]
        for isOn in switches { #expect(Set(worlds.map(isOn)) == [true, false]) }
        #expect(Set(worlds.map(\.zoos)) == [0, 1, 2, 3])
    }

    @Test func `the first three hundred seeds have every kind of disturbance`() {
        let disturbances = Self.histories.flatMap(\.steps).compactMap { step in
            if case .read(let disturbance) = step { disturbance } else { nil }
        }
        #expect(Set(disturbances.flatMap(\.faults.values)) == Set(Disturbance.Fault.allCases))
        #expect(disturbances.contains { $0.kill != nil })
        #expect(disturbances.contains { !$0.changes.isEmpty })
        #expect(disturbances.contains { $0.maximumPages != nil })
        #expect(disturbances.contains { $0.stop != nil })
        #expect(disturbances.contains { $0.restarts })
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
        ] as [(World.Missing, Double, [Int], String?)])
    func `rows without a record go where they must, and stay where they may not go`(
        missing: World.Missing, ratio: Double, left: [Int], kind: String?
    ) {
        var world = World()
        (world.missing, world.maxDeleteRatio) = (missing, ratio)
        func table(_ ids: [Int]) -> Snapshot {
            Self.snapshot(ids.map { ["id": .integer(Int64($0)), "drift": .text("x")] })
        }
        var prediction = Prediction(
            world, from: table([1, 2]), pages: [[Self.record(1, .string("x"))]], to: table(left), at: "now")
        #expect(prediction.problem()?.kind == kind)
    }

    @Test func `a row that the source never had is found out`() {
        let look = LooseLook(
            world: World(), before: Snapshot(), after: Self.snapshot([["id": .integer(1), "drift": .text("y")]]),
            collection: SourceRecords([Self.record(1, .string("x"))], at: "now"), isOpen: true)
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

    private static let histories = (1...300).map { HistoryGenerator.history(of: $0) }

    private static func record(_ id: Int, _ drift: Content) -> ModelRecord {
        ModelRecord(key: [.number("\(id)")], members: [.init(name: "drift", value: drift)])
    }

    private static func snapshot(_ rows: [[String: Value]]) -> Snapshot {
        var table = StoredTable()
        table.types = ["id": .integer, "drift": .text]
        table.rows = rows
        var snapshot = Snapshot()
        snapshot.table = table
        return snapshot
    }
}
