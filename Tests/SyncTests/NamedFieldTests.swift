import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// What becomes of names in the configuration that no record has.
@Suite(.timeLimit(.minutes(5)))
struct NamedFieldTests {
    private static func people(_ count: Int, _ members: String = "") -> LoopbackReply {
        .json(
            "[\((1...count).map { #"{"id":\#($0),"name":"kea","contact":{"email":"e"}\#(members)}"# }.joined(separator: ","))]"
        )
    }

    private static func paths(_ names: String...) -> [FieldPath] { names.compactMap { FieldPath($0) } }

    private static func words(_ failure: RunFailure?) -> String {
        if case .text(let words)? = failure?.hint { words } else { "" }
    }

    /// Syncs a list of people once.
    private static func outcome(
        of count: Int, _ change: @escaping @Sendable (inout StreamConfiguration) -> Void
    ) async throws -> RunOutcome {
        let outcome = Watched<RunOutcome?>(nil)
        try await SyncRig.run({ _ in Self.people(count) }) { rig in
            outcome.value = try await rig.sync(rig.stream("people") { change(&$0) })
        }
        return try #require(outcome.value)
    }

    /// Each key that names a field, with a name that nearly is one, and the name that is meant.
    private static let slips:
        [(key: String, name: String, meant: String, change: @Sendable (inout StreamConfiguration) -> Void)] = [
            ("fields.keep", "nmae", "name", { $0.fields.keep = paths("id", "nmae") }),
            ("fields.drop", "contact.emial", "email", { $0.fields.drop = paths("$.contact.emial") }),
            ("fields.drop", "contct.email", "contact", { $0.fields.drop = paths("$.contct.email") }),
            (
                "fields.rename", "nam", "name",
                { $0.fields.renames = paths("nam").map { .init(field: $0, name: "title") } }
            ),
            ("fields.hash", "nname", "name", { $0.fields.hash = .init(fields: paths("nname"), key: Secret("k")) }),
            ("fields.types", "Name", "name", { $0.fields.types = paths("Name").map { .init(field: $0, type: .text) } }),
            ("primary_key", "nane", "name", { $0.primaryKey = ["id", "nane"] }),
            ("search", "naem", "name", { $0.search = ["naem"] }),
            ("attachments", "namee", "name", { $0.attachments = [Attachment(field: "namee")] }),
            ("incremental.cursor_field", "nmae", "name", { $0.incremental = Incremental(cursorField: "nmae") }),
            (
                "record_filter", "nmae", "name",
                { $0.recordFilter = try? FilterExpression(parsing: "@.id > 1 && @.nmae == 'kea'") }
            ),
            ("deleted_when", "nmae", "name", { $0.deletedWhen = try? FilterExpression(parsing: "@.nmae") }),
        ]

    @Test func `a field whose place a column takes need not be there`() async throws {
        let outcome = try await Self.outcome(of: 10) {
            $0.fields.drop = Self.paths("kind")
            $0.fields.additions = [AddedColumn(name: "kind", content: .text("person"))]
        }
        #expect(outcome.failure == nil)
        #expect(outcome.record?.warning?.contains("no record has had") != true)
    }

    @Test(arguments: slips.indices)
    func `a misspelt name fails the first sync, and the advice settles it`(place: Int) async throws {
        let slip = Self.slips[place]
        let failure = try await Self.outcome(of: 10, slip.change).failure
        #expect(failure?.message == "no record of the first page has '\(slip.name)', which '\(slip.key)' names")
        #expect(Self.words(failure).hasPrefix("did you mean '\(slip.meant)'? "))
        let few = try await Self.outcome(of: 9, slip.change).failure
        #expect(few?.message.contains("first page has '\(slip.name)'") != true, "nine records are too few to tell")
        let written = try #require(Self.words(failure).firstMatch(of: /optional_fields: \[(.*)\]/)?.1)
        let field = try #require(FieldPath(String(written)))
        let settled = try await Self.outcome(of: 10) {
            slip.change(&$0)
            $0.optionalFields = [field]
        }
        #expect(settled.failure?.message.contains("did you mean") != true)
        #expect(settled.record?.warning?.contains("no record has had") != true)
    }

    @Test(arguments: ["contact.email", "contact[*].email", "contact__email"])
    func `a name with a dot fails the first sync if a nested member has that path`(name: String) async throws {
        func outcome(_ path: String, optional: String...) async throws -> RunOutcome {
            try await Self.outcome(of: 3) {
                $0.fields.drop = Self.paths(path)
                $0.optionalFields = optional.compactMap { FieldPath($0) }
            }
        }
        let failure = try await outcome(name).failure
        #expect(failure?.message == "no record of the first page has '\(name)', which 'fields.drop' names")
        let meant = try #require(Self.words(failure).firstMatch(of: /did you mean '([^']*)'/)?.1)
        #expect(meant == "$.contact.email")
        let corrected = try await outcome(String(meant))
        #expect(corrected.failure == nil && corrected.record?.warning?.contains("no record has had") != true)
        #expect(try await outcome(name, optional: name).failure == nil)
    }

    @Test func `a name with a dot is no slip of the name that it begins with`() async throws {
        let outcome = try await Self.outcome(of: 12) { $0.fields.drop = Self.paths("name.x") }
        #expect(outcome.failure == nil)
        #expect(outcome.record?.warning?.contains("no record has had 'name.x'") == true)
    }

    @Test func `a name that is like none is told once, and until a record has it`() async throws {
        let late = Watched(false)
        try await SyncRig.run({ _ in Self.people(10, late.value ? #","vip":true"# : "") }) { rig in
            let stream = rig.stream("people") { $0.fields.drop = Self.paths("vip", "name") }
            func known() throws -> [String: Bool]? {
                try ReadOnlyDatabase(path: rig.path).history(of: stream.name)?.namedFields
            }
            let first = try await rig.sync(stream).record?.warning
            #expect(first == "no record has had 'vip' (fields.drop); correct the name, or add optional_fields: [vip]")
            #expect(try known() == ["vip": false, "name": true, "id": true])
            #expect(try await rig.sync(stream).record?.warning == nil)
            #expect(try known() == ["vip": false, "name": true, "id": true])
            late.value = true
            #expect(try await rig.sync(stream).record?.warning == nil)
            #expect(try known() == ["vip": true, "name": true, "id": true])
        }
    }

    @Test func `a rare name that was read for is no slip later, and one that is new is`() async throws {
        let count = Watched(3)
        try await SyncRig.run({ _ in Self.people(count.value) }) { rig in
            let rare = rig.stream("people") { $0.fields.drop = Self.paths("nmae") }
            let first = try await rig.sync(rare).failure
            count.value = 20
            let second = try await rig.sync(rare).failure
            #expect(first == nil && second == nil)
            let other = rig.stream("people") { $0.fields.drop = Self.paths("nmae", "emial", "namee") }
            #expect(try await rig.sync(other).failure?.message.contains("'namee'") == true)
            #expect(try rig.integers("SELECT count(*) FROM people") == [20])
        }
    }

    @Test func `a member that only deleted records have may be missing later`() async throws {
        let isThere = Watched(true)
        try await SyncRig.run({ _ in
            Self.people(12, isThere.value ? #","is_deleted":true,"deleted":1"# : #","deleted":1"#)
        }) { rig in
            let stream = rig.stream("people") {
                $0.deletedWhen = try? FilterExpression(parsing: "@.is_deleted == false")
            }
            let first = try await rig.sync(stream).failure
            isThere.value = false
            let second = try await rig.sync(stream)
            #expect(first == nil && second.failure == nil)
            #expect(second.record?.warning == nil)
        }
    }

    @Test func `names that Garner adds or gives are none of the source`() async throws {
        let outcome = try await Self.outcome(of: 10) {
            $0.fields.renames = Self.paths("name").map { .init(field: $0, name: "title") }
            $0.fields.hash = .init(fields: Self.paths("title"), key: Secret("k"))
            $0.fields.additions = [AddedColumn(name: "nmae", content: .integer(1))]
            $0.partitions = [Partition(name: "nam", values: ["a"])]
            $0.request.params.append(.init(name: "p", value: .literal("{partition.nam}")))
            $0.primaryKey = ["id", "_nam"]
            $0.search = ["title", "contact__email"]
        }
        #expect(outcome.failure == nil)
        #expect(outcome.record?.warning == nil)
    }

    /// A change of what comes, or of what is stored of it, and the column that it empties.
    private static let losses:
        [(members: String, column: String?, change: @Sendable (inout StreamConfiguration) -> Void)] = [
            ("", "age", { _ in }),
            (#","Age":1"#, "age", { _ in }),
            (#","age":null"#, nil, { _ in }),
            (#","age":1"#, "name", { $0.fields.renames = paths("name").map { .init(field: $0, name: "title") } }),
            (#","age":1"#, "contact__email", { $0.flattenDepth = 0 }),
            ("", nil, { $0.fields.drop = paths("age") }),
            ("", nil, { $0.fields.keep = paths("id", "name", "contact") }),
            ("", nil, { $0.optionalFields = paths("age") }),
            ("", nil, { $0.mergeStrategy = .insertOnly }),
        ]

    @Test(arguments: losses.indices)
    func `a column that no record fills any more is told until one does`(place: Int) async throws {
        let loss = Self.losses[place]
        let members = Watched(#","age":1"#)
        try await SyncRig.run({ _ in Self.people(12, members.value) }) { rig in
            let first = rig.stream("people") { $0.primaryKey = ["id"] }
            let stream = rig.stream("people") {
                $0.primaryKey = ["id"]
                loss.change(&$0)
            }
            func told() throws -> String? {
                let history = try ReadOnlyDatabase(path: rig.path).history(of: stream.name)
                return stream.words(ofEmptied: history?.emptiedColumns ?? [])
            }
            for _ in 1...2 { #expect(try await rig.sync(first).record?.warning == nil) }
            members.value = loss.members
            let warning = try await rig.sync(stream).record?.warning ?? ""
            guard let column = loss.column else {
                #expect(!warning.contains("any more"), "\(warning)")
                #expect(try told() == nil)
                return
            }
            #expect(
                warning.contains("no record has '\(column)' (12 rows had a value) in people any more; "), "\(warning)")
            let written = try #require(warning.firstMatch(of: /optional_fields: \[(.*)\]/)?.1)
            // It is told once by a sync, and by `status` and `check` until it is settled.
            #expect(try await rig.sync(stream).record?.warning?.contains("any more") != true)
            // A column with a number behind its name is told beside it.
            #expect(try told().map { warning.contains($0) } == true, "\(warning)")
            let columns = try ReadOnlyDatabase(path: rig.path).history(of: stream.name)?.emptiedColumns
            // The field as the warning writes it, or the column that it names.
            for name in [String(written), column] {
                var settled = stream
                settled.optionalFields = [try #require(FieldPath(name))]
                #expect(settled.words(ofEmptied: columns ?? []) == nil, "\(name)")
            }
            members.value = #","age":2"#
            #expect(try await rig.sync(first).record?.warning?.contains("no record has '\(column)'") != true)
            #expect(try told()?.contains("no record has '\(column)'") != true)
        }
    }

    @Test func `an array with a table of its own that no record has any more is told as a column is`() async throws {
        let members = Watched(#","tags":[{"v":1},{"v":2}]"#)
        try await SyncRig.run({ _ in Self.people(12, members.value) }) { rig in
            let stream = rig.stream("people") { ($0.primaryKey, $0.childTables) = (["id"], true) }
            func told(_ stream: StreamConfiguration) throws -> String? {
                let history = try ReadOnlyDatabase(path: rig.path).history(of: stream.name)
                return stream.words(ofEmptied: history?.emptiedColumns ?? [])
            }
            for _ in 1...2 { #expect(try await rig.sync(stream).record?.warning == nil) }
            members.value = ""
            let warning = try await rig.sync(stream).record?.warning ?? ""
            #expect(try rig.integers("SELECT count(*) FROM people__tags") == [0])
            #expect(warning.contains("no record has 'tags' (12 rows had a value) in people any more; "), "\(warning)")
            let written = try #require(warning.firstMatch(of: /optional_fields: \[(.*)\]/)?.1)
            #expect(try await rig.sync(stream).record?.warning?.contains("any more") != true)
            #expect(try told(stream) == warning)
            var settled = stream
            settled.optionalFields = Self.paths(String(written))
            #expect(try told(settled) == nil)
            members.value = #","tags":[]"#
            #expect(try await rig.sync(stream).record?.warning == nil)
            #expect(try told(stream) == nil)
        }
    }

    @Test func `a member that few records had, or that a part of the list lacks, is no loss`() async throws {
        let (count, ages) = (Watched(12), Watched(3))
        try await SyncRig.run({ _ in
            .json(
                "[\((1...count.value).map { "{\"id\":\($0)\($0 <= ages.value ? ",\"age\":1" : "")}" }.joined(separator: ","))]"
            )
        }) { rig in
            let stream = rig.stream("people") { $0.primaryKey = ["id"] }
            for (records, filled) in [(12, 3), (12, 0), (12, 12), (12, 1), (12, 12), (4, 0)] {
                (count.value, ages.value) = (records, filled)
                let warning = try await rig.sync(stream).record?.warning ?? ""
                #expect(!warning.contains("any more"), "\(records) \(filled): \(warning)")
            }
        }
    }

    private static let conditions: [(filter: String?, deletion: String?, warning: String?)] = [
        (
            "@.name == 'Kea'", nil,
            "record_filter has left out all 4 records of the list; in the first one @.name is 'kea'"
        ),
        (
            "@.id > 0 && @.name > 5", nil,
            "record_filter has left out all 4 records of the list; in the first one @.name is 'kea', a text, which no number is compared with; "
                + "leave record_filter out, and write WHERE CAST(\"name\" AS REAL) > 5 in queries"
        ),
        (
            "@.name == 5", nil,
            "record_filter has left out all 4 records of the list; in the first one @.name is 'kea', a text, which no number is compared with; "
                + "write @.name == '5' for a text"
        ),
        (
            "@.id == '1'", nil,
            "record_filter has left out all 4 records of the list; in the first one @.id is 1, a number, and no text; write @.id == 1 for a number"
        ),
        ("!(@.id > 0)", nil, "record_filter has left out all 4 records of the list"),
        (nil, "@.name == 'kea'", "deleted_when holds for all 4 records of the list"),
        (
            "@.id > 9", "@.id == 1",
            "deleted_when holds for the 1 record of the list, and record_filter has left out the others"
        ),
        ("@.id > 1", nil, nil),
    ]

    @Test(arguments: conditions)
    func `a condition that leaves out the whole list is told`(filter: String?, deletion: String?, warning: String?)
        async throws
    {
        let outcome = try await Self.outcome(of: 4) {
            $0.recordFilter = filter.flatMap { try? FilterExpression(parsing: $0) }
            $0.deletedWhen = deletion.flatMap { try? FilterExpression(parsing: $0) }
        }
        #expect(outcome.failure == nil)
        #expect(outcome.record?.warning == warning)
    }
}
