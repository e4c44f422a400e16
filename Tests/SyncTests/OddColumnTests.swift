import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// What is told of columns with values of another kind, and until when.
@Suite(.timeLimit(.minutes(5)))
struct OddColumnTests {
    private static let people = (1...6).map { #"{"id":\#($0),"age":\#(60 + $0)}"# }

    private static func list(_ records: [String]) -> LoopbackReply { .json("[\(records.joined(separator: ","))]") }

    private static func told(_ rig: SyncRig) throws -> [OddColumn] {
        let reader = try ReadOnlyDatabase(path: rig.path)
        let history = try reader.history(of: rig.stream().name)
        // What is read of all streams together is the same.
        #expect(try reader.history(of: rig.stream().name, reader.streamNotes()) == history)
        return history?.oddColumns ?? []
    }

    /// Syncs each list in turn, and returns the warning of each run and what is told after it.
    private static func sync(
        _ lists: [[String]], as type: FieldType? = nil,
        _ change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in }
    ) async throws -> [(warning: String?, columns: [OddColumn])] {
        let now = Watched<[String]>([])
        let told = Watched<[(warning: String?, columns: [OddColumn])]>([])
        try await SyncRig.run({ _ in list(now.value) }) { rig in
            for records in lists {
                now.value = records
                let outcome = try await rig.sync(
                    rig.stream {
                        $0.paginator = Paginator(.singlePage)
                        ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                        if let type, let age = FieldPath("age") { $0.fields.types = [.init(field: age, type: type)] }
                        change(&$0)
                    })
                #expect(outcome.failure == nil)
                let columns = try Self.told(rig)
                told.change { $0.append((outcome.record?.warning, columns)) }
            }
        }
        return told.value
    }

    @Test func `a value that is set aside is told with its number until it is gone`() async throws {
        let odd = Self.people + [#"{"id":7,"age":"n/a"}"#]
        let told = try await Self.sync([Self.people, odd, odd, Self.people])
        let text =
            #"animals.age: 1 of 7 values is no number: "n/a"; SQL sees NULL, and _garner_rest has it"#
        #expect(told.map(\.columns.count) == [0, 1, 1, 0])
        #expect(told[1].columns.first?.kind == .valuesSetAside)
        #expect(told[1].columns.first?.text == text)
        #expect(told[1].warning?.hasPrefix("\(text); to settle it, write fields: { types: { age: integer } }") == true)
        #expect(told[2].warning == nil)
    }

    @Test func `a column that became text is told as long as it is text`() async throws {
        let odd = Self.people + [#"{"id":7,"age":"A12"}"#, #"{"id":8,"age":"7"}"#]
        let told = try await Self.sync([Self.people, odd, Self.people])
        #expect(told.map(\.columns.count) == [0, 1, 1])
        #expect(
            told[2].columns.first?.text
                == "animals.age: all of 6 values are numbers; the column is TEXT, so that SQL compares by letters")
        #expect(
            told[1].columns.first?.text
                == #"animals.age: 1 of 8 values is no number: "A12"; the column is TEXT, so that SQL compares by letters"#
        )
        #expect(told[1].warning?.contains("the column is TEXT") == true)
    }

    @Test func `a first page with numbers and texts is told, and one of texts is not`() async throws {
        let mixed = try await Self.sync([[#"{"id":1,"age":7}"#, #"{"id":2,"age":"old"}"#, #"{"id":3,"age":"A1"}"#]])
        #expect(mixed[0].columns.first?.kind == .numbersAsText)
        #expect(mixed[0].columns.first?.odd == 2)
        #expect(mixed[0].columns.first?.examples == [#""old""#, #""A1""#])
        let texts = try await Self.sync([[#"{"id":1,"age":"7"}"#, #"{"id":2,"age":"old"}"#]])
        #expect(texts[0].columns.isEmpty)
        let huge = try await Self.sync([[#"{"id":1,"age":7}"#, #"{"id":2,"age":12345678901234567890}"#]])
        #expect(huge[0].columns.first?.odd == 1)
        // A sensor that is away at first.
        let late = try await Self.sync([[#"{"id":1,"age":"n/a"}"#], [#"{"id":1,"age":9}"#, #"{"id":2,"age":10}"#]])
        #expect(late.map(\.columns.count) == [0, 1])
        #expect(late[1].warning?.contains("fields: { types: { age: integer } }") == true)
    }

    @Test func `a column whose first value came after empty objects is told of once`() async throws {
        let (empty, value) = (#"{"id":1,"age":{}}"#, #"{"id":2,"age":7}"#)
        let told = try await Self.sync([[empty], [empty, value], [empty, value]])
        let text = "animals.age has its first value; of records that came before with an empty object ({}), it is NULL"
        #expect(told.map { $0.warning?.contains(text) ?? false } == [false, true, false], "\(told)")
        let others = try await Self.sync([[#"{"id":1,"age":null}"#], [#"{"id":1,"age":null}"#, value]])
        #expect(others.allSatisfy { $0.warning == nil })
    }

    @Test func `views that read such a column are named`() async throws {
        let odd = Self.people + [#"{"id":7,"age":"n/a"}"#]
        try await SyncRig.run({ _ in Self.list(odd) }) { rig in
            let stream = rig.stream { $0.paginator = Paginator(.singlePage) }
            _ = try await rig.sync(stream)
            try rig.alter(
                "CREATE VIEW old AS SELECT id FROM animals WHERE age > 64; CREATE VIEW ids AS SELECT id FROM animals; CREATE VIEW older AS SELECT * FROM old"
            )
            let column = try Self.told(rig).first
            #expect(column?.views == ["old", "older"])
            #expect(column?.text.hasSuffix("; read by the views old, older") == true)
        }
    }

    @Test func `rows that are marked as missing are not counted`() async throws {
        let told = try await Self.sync([Self.people + [#"{"id":7,"age":[]}"#], Self.people]) {
            $0.deleteMissing = .soft
        }
        #expect(told.map(\.columns.count) == [1, 0])
    }

    @Test func `a type that fields gives settles the column at once`() async throws {
        let odd = Self.people + [#"{"id":7,"age":"n/a"}"#]
        let told = try await Self.sync([Self.people, odd], as: .integer)
        #expect(told[1].warning == nil)
        // It is counted all the same.
        #expect(told[1].columns.first?.odd == 1)
    }

    @Test func `numbers that a configured type does not hold are told, with the type that does`() async throws {
        let lists = [Self.people, Self.people + [#"{"id":7,"age":"n/a"}"#, #"{"id":8,"age":20.5}"#]]
        let told = try await Self.sync(lists, as: .integer)
        #expect(told[1].columns.first?.text.contains(#"2 of 8 values are no integers: "n/a", 20.5; "#) == true)
        #expect(told[1].columns.first?.entries == ["age: real", "age: text"])
        #expect(told[1].warning?.contains("2 of 8 values are no integers") == true)
    }

    @Test func `numbers that REAL would round are told, with the types that keep them`() async throws {
        let lists = [Self.people, Self.people + [#"{"id":7,"age":18446744073709551617}"#]]
        let told = try await Self.sync(lists, as: .real)
        #expect(told[1].warning?.contains("1 of 7 values is no number that REAL holds exactly: 184467") == true)
        #expect(told[1].warning?.hasSuffix(": { age: numeric }, or { age: text }") == true)
    }

    @Test func `a column of integers that becomes text by a longer one is told until that is settled`() async throws {
        let long = Self.people + [#"{"id":7,"age":18446744073709551616}"#]
        let told = try await Self.sync([Self.people, long, long, Self.people])
        #expect(told.map { $0.columns.first?.odd } == [nil, 1, 1, 0])
        #expect(told[1].columns.first?.entries == ["age: numeric", "age: text"])
        #expect(told[1].warning?.contains("1 of 7 values is no integer of 64 bits: 18446744073709551616") == true)
        #expect(told[2].warning == nil)
        for type in [FieldType.numeric, .text] {
            #expect(try await Self.sync([long, long], as: type).allSatisfy { $0.warning == nil })
        }
    }

    @Test func `numbers of a field that is numeric are not told, also where REAL is not near to them`() async throws {
        let far = [#"{"id":7,"age":18446744073709551617}"#, #"{"id":8,"age":1e400}"#, #"{"id":9,"age":"1.10"}"#]
        let told = try await Self.sync([Self.people, Self.people + far], as: .numeric)
        #expect(told.map(\.warning) == [nil, nil])
        #expect(told[1].columns.map(\.odd) == [1])
    }

    @Test func `a later sync tells of values that need another type, and once`() async throws {
        let lists = ["\"n/a\"", "20.5", "20.5", "18446744073709551617"].map { odd in
            Self.people + [#"{"id":7,"age":\#(odd)}"#]
        }
        let told = try await Self.sync(lists, as: .integer)
        let advice = [nil, "{ age: real }, or { age: text }", nil, "{ age: numeric }, or { age: text }"]
        for (told, advice) in zip(told, advice) {
            #expect(told.warning?.split(separator: "'fields': ").last.map(String.init) == advice, "\(told)")
        }
    }

    @Test func `a configured type that no value has is told`() async throws {
        let names = [#"{"id":1,"age":"old"}"#, #"{"id":2,"age":"young"}"#]
        let told = try await Self.sync([names, names], as: .integer)
        #expect(told[0].warning?.contains("2 of 2 values are no numbers") == true)
        #expect(told[0].warning?.hasSuffix("to settle it, write in 'types' of 'fields': { age: text }") == true)
    }

    @Test func `columns of arrays are counted in their table, and named by their place in the record`() async throws {
        let told = try await Self.sync([
            [#"{"id":1,"visits":[{"kg":1.5},{"kg":"none"},{"kg":2}]}"#],
            [#"{"id":1,"visits":[{"kg":1.5}]}"#],
        ]) { $0.childTables = true }
        #expect(told[0].columns.map(\.column) == ["kg"])
        #expect(told[0].columns.first?.path == ["visits", "kg"])
        #expect(told[0].columns.first.map { [$0.odd, $0.values] } == [1, 3])
        #expect(told[0].columns.first?.remedies.first == "fields: { types: { $.visits.kg: real } }")
        #expect(told[1].columns.isEmpty)
    }

    @Test func `what another program deletes is no longer counted after the next change`() async throws {
        let now = Watched(Self.people + [#"{"id":7,"age":"n/a"}"#])
        try await SyncRig.run({ _ in Self.list(now.value) }) { rig in
            let stream = rig.stream { $0.paginator = Paginator(.singlePage) }
            _ = try await rig.sync(stream)
            #expect(try Self.told(rig).first?.odd == 1)
            try rig.alter("DELETE FROM animals WHERE id = 7")
            now.value = [#"{"id":1,"age":99}"#]
            _ = try await rig.sync(stream)
            #expect(try Self.told(rig).isEmpty)
        }
    }

    @Test func `a run that is stopped between pages leaves no wrong number`() async throws {
        try await SyncRig.run({ request in
            request.target.contains("page=2")
                ? .status(500)
                : .json(#"{"data":[{"id":1,"age":3},{"id":2,"age":4},{"id":3,"age":"n/a"}],"next":"/animals?page=2"}"#)
        }) { rig in
            let stream = rig.stream { $0.retry = RetryPolicy(maxAttempts: 1, baseDelay: .zero) }
            let outcome = try await rig.sync(stream)
            #expect(outcome.failure != nil)
            #expect(try Self.told(rig).first.map { [$0.odd, $0.values] } == [1, 3])
            #expect(outcome.record?.warning?.contains("1 of 3 values is no number") == true)
        }
    }

    @Test(arguments: [false, true])
    func `what is counted while rows are added is what a look at the table counts`(_ repeats: Bool) async throws {
        let name = Watched("first")
        let pages = [
            #"{"id":1,"age":1,"size":1.5},{"id":2,"age":"n/a","size":null},{"id":3,"size":"-"},{"id":4,"age":null,"size":2.5},{"id":5,"age":2}"#,
            #"{"id":6,"age":"?","size":3.5,"late":7},{"id":7,"age":3,"size":"-","late":"n/a"},{"id":8,"late":8}"#,
        ]
        try await SyncRig.run({ request in
            let isLast = request.target.contains("page=2")
            let first = repeats && isLast ? #"{"id":2,"age":9},"# : ""
            let records = "\(first)\(pages[isLast ? 1 : 0])".replacing("}", with: #","name":"\#(name.value)"}"#)
            return .json(#"{"data":[\#(records)],"next":\#(isLast ? "null" : #""/animals?page=2""#)}"#)
        }) { rig in
            _ = try await rig.sync(rig.stream())
            let first = try Self.told(rig)
            #expect(first.map(\.column) == ["age", "size", "late"])
            #expect(first.map(\.odd) == (repeats ? [1, 2, 1] : [2, 2, 1]))
            #expect(first.map(\.values) == [5, 5, 3])
            name.value = "second"
            let outcome = try await rig.sync(rig.stream())
            #expect((outcome.record?.counts.updated ?? 0) > 0)
            #expect(try Self.told(rig) == first)
        }
    }

    @Test func `evolve puts back what was set aside with the next page that brings records`() async throws {
        let now = Watched(Self.people + [#"{"id":7,"age":"n/a"}"#])
        try await SyncRig.run({ _ in Self.list(now.value) }) { rig in
            _ = try await rig.sync(rig.stream { $0.paginator = Paginator(.singlePage) })
            now.value += [#"{"id":8,"age":8}"#]
            _ = try await rig.sync(
                rig.stream {
                    $0.paginator = Paginator(.singlePage)
                    $0.schemaContract.dataTypes = .evolve
                })
            #expect(try rig.texts("SELECT age FROM animals WHERE id IN (1, 7, 8) ORDER BY id") == ["61", "n/a", "8"])
            #expect(try Self.told(rig).first?.kind == .numbersAsText)
        }
    }
}
