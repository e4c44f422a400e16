import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Records that meet `deleted_when`, or do not meet `record_filter`, by what they lack.
@Suite(.timeLimit(.minutes(5)))
struct UnsaidRecordTests {
    /// A list of twelve records with these members, or of eleven and a tombstone.
    private static func list(_ members: String, tombstone: String? = nil) -> LoopbackReply {
        var records = (1...12).map { #"{"id":\#($0)\#(members)}"# }
        if let tombstone { records[11] = #"{"id":12,\#(tombstone)}"# }
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":null}"#)
    }

    private static func rows(_ rig: SyncRig) throws -> Int64? { try rig.integers("SELECT count(*) FROM animals").first }

    /// The condition, members of live records before and after the API has changed, and of a deleted record.
    private static let marks: [(String, String, String, String)] = [
        ("@.deleted_at != null", #","deleted_at":null"#, "", #""deleted_at":"2026-01-01""#),
        ("@.deleted_at != null", #","deleted_at":null"#, #","deleted_at":"""#, #""deleted_at":"2026-01-01""#),
        ("@.active != true", #","active":true"#, "", #""active":false"#),
        ("@.active != true", #","active":true"#, #","active":"true""#, #""active":false"#),
        ("!@.active", #","active":true"#, "", #""active":false"#),
        ("@.status != 'active'", #","status":"active""#, "", #""status":"deleted""#),
        ("@.status != 'active'", #","status":"active""#, #","status":null"#, #""status":"deleted""#),
        ("@.meta.removed != false", #","meta":{"removed":false}"#, #","meta":null"#, #""meta":{"removed":true}"#),
        ("@.n != 1", #","n":1"#, "", #""n":2"#), ("@.removed", "", #","removed":false"#, #""removed":true"#),
        ("@.deleted_at", "", #","deleted_at":null"#, #""deleted_at":"2026-01-01""#),
        ("@.deleted", "", #","deleted":0"#, #""deleted":1"#),
        ("@.deleted", "", #","deleted":"false""#, #""deleted":"true""#),
        ("@.deleted", "", #","deleted":"off""#, #""deleted":"on""#),
        ("@.end < '2026'", #","end":"2030""#, #","end":"""#, #""end":"2020""#),
        ("@.end < '2026'", #","end":"2030""#, #","end":"0000-00-00""#, #""end":"2020""#),
        ("@.deleted_at > '2000'", "", #","deleted_at":"never""#, #""deleted_at":"2026-01-01""#),
        ("@.deleted_at > '2000'", "", #","deleted_at":"None""#, #""deleted_at":"2026-01-01""#),
    ]

    @Test(arguments: marks.indices, [true, false])
    func `a record that does not say that it was deleted stays, and the advice settles it`(place: Int, deletes: Bool)
        async throws
    {
        let (condition, before, after, tombstone) = Self.marks[place]
        let answer = Watched(Self.list(before))
        try await SyncRig.run({ _ in answer.value }) { rig in
            func sync(_ condition: String) async throws -> (record: RunRecord, rows: Int64?) {
                let mark = try FilterExpression(parsing: condition)
                let outcome = try await rig.sync(
                    rig.stream {
                        $0.deletedWhen = mark
                        if deletes { ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1) }
                    })
                return (try #require(outcome.record), try Self.rows(rig))
            }
            let first = try await sync(condition)
            #expect(first.record.completeness == .complete && first.rows == 12)
            answer.value = Self.list(before, tombstone: tombstone)
            let deleted = try await sync(condition)
            #expect(deleted.record.completeness == .complete)
            #expect(deleted.rows == (condition == "!@.active" ? 12 : 11))
            answer.value = Self.list(before)
            _ = try await sync(condition)
            answer.value = Self.list(after)
            var reason = ""
            for _ in 1...2 {
                let odd = try await sync(condition)
                reason = odd.record.completenessReason ?? ""
                #expect(odd.record.completeness == .unknown && odd.rows == 12, "\(odd)")
            }
            let line = try #require(reason.firstMatch(of: /write deleted_when: "(.*)" if/)?.1, "\(reason)")
            let settled = try await sync(String(line))
            #expect(settled.record.completeness == .complete && settled.rows == 12, "\(settled)")
            answer.value = Self.list(after, tombstone: tombstone)
            let gone = try await sync(String(line))
            #expect(gone.record.completeness == .complete && gone.rows == 11, "\(gone)")
        }
    }

    @Test(arguments: [("count(@.lines[*]) == 0", "null"), ("length(@.lines) < 1", "\"\"")])
    func `what stands in the place of a list is no empty list`(condition: String, value: String) async throws {
        let answer = Watched(Self.list(#","lines":[1]"#))
        let mark = try FilterExpression(parsing: condition)
        try await SyncRig.run({ _ in answer.value }) { rig in
            let stream = rig.stream { ($0.deletedWhen, $0.deleteMissing, $0.maxDeleteRatio) = (mark, .hard, 1) }
            _ = try await rig.sync(stream)
            answer.value = Self.list(#","lines":\#(value)"#)
            let odd = try await rig.sync(stream).record
            let kept = try Self.rows(rig)
            #expect(odd?.completeness == .unknown && kept == 12, "\(odd?.completenessReason ?? "")")
            answer.value = Self.list(#","lines":[1]"#, tombstone: #""lines":[]"#)
            let said = try await rig.sync(stream).record
            let rows = try Self.rows(rig)
            #expect(said?.completeness == .complete && rows == 11, "\(said?.completenessReason ?? "")")
        }
    }

    @Test(arguments: [
        ("!@.active", #","active":true"#), ("@.status != 'active'", #","status":"active""#),
    ])
    func `records that are deleted by what they lack go by the filter that is advised`(
        condition: String, members: String
    ) async throws {
        let answer = Watched(Self.list(members))
        let mark = try FilterExpression(parsing: condition)
        try await SyncRig.run({ _ in answer.value }) { rig in
            let marked = rig.stream { $0.deletedWhen = mark }
            _ = try await rig.sync(marked)
            answer.value = Self.list(members, tombstone: #""gone":1"#)
            let reason = try await rig.sync(marked).record?.completenessReason ?? ""
            let line = try #require(reason.firstMatch(of: /record_filter: "(.*)" with delete_missing/)?.1, "\(reason)")
            let filter = try FilterExpression(parsing: String(line))
            let record = try await rig.sync(rig.stream { ($0.recordFilter, $0.deleteMissing) = (filter, .hard) }).record
            let rows = try Self.rows(rig)
            #expect(record?.completeness == .complete && rows == 11, "\(record?.completenessReason ?? "")")
        }
    }

    /// Three of many lose the member, beside a record that is deleted.
    @Test func `a record that says that it was deleted goes beside others that do not`() async throws {
        let answer = Watched(Self.list(#","deleted_at":null"#))
        let mark = try FilterExpression(parsing: "@.deleted_at != null")
        try await SyncRig.run({ _ in answer.value }) { rig in
            let stream = rig.stream { ($0.deletedWhen, $0.deleteMissing) = (mark, .hard) }
            _ = try await rig.sync(stream)
            answer.value = .json(
                #"{"data":[{"id":1},{"id":2},{"id":3},{"id":4,"deleted_at":"2026-01-01"}],"next":null}"#)
            let outcome = try await rig.sync(stream)
            #expect(outcome.record?.completeness == .unknown && outcome.counts.deleted == 1)
            let isThere = try rig.integers("SELECT count(*) FROM animals WHERE id = 4")
            #expect(isThere == [0])
        }
    }

    /// What the records have then, and whether that is understood.
    private static let filtered: [(String, Bool)] = [
        ("", false), (#","kind":"order""#, false), (#","type":{"id":1}"#, false), (#","type":7"#, false),
        (#","type":"other""#, true), (#","type":null"#, true), (#","type":"""#, true),
    ]

    @Test(arguments: filtered.indices, [true, false])
    func `a filter for what no record has any more empties no table`(place: Int, replaces: Bool) async throws {
        let (members, isUnderstood) = Self.filtered[place]
        let answer = Watched(Self.list(#","type":"order""#))
        let filter = try FilterExpression(parsing: "@.type == 'order'")
        try await SyncRig.run({ _ in answer.value }) { rig in
            func stream(lacking fields: [FieldPath] = []) -> StreamConfiguration {
                rig.stream {
                    ($0.recordFilter, $0.optionalFields) = (filter, fields)
                    if replaces {
                        $0.writeDisposition = .replace
                    } else {
                        ($0.deleteMissing, $0.maxDeleteRatio) = (.hard, 1)
                    }
                }
            }
            let first = try await rig.sync(stream()).record?.completeness
            answer.value = Self.list(members)
            var reason = ""
            for _ in 1...2 {
                let record = try await rig.sync(stream()).record
                let rows = try Self.rows(rig)
                reason = record?.completenessReason ?? ""
                #expect(record?.completeness == (isUnderstood ? .complete : .unknown), "\(reason)")
                #expect(rows == (isUnderstood ? 0 : 12))
            }
            #expect(first == .complete)
            guard let line = reason.firstMatch(of: /add optional_fields: \[(.*)\] if/)?.1 else {
                #expect(isUnderstood || reason.contains("as @.type is"))
                return
            }
            let field = try #require(FieldPath(String(line)))
            let settled = try await rig.sync(stream(lacking: [field])).record?.completeness
            let rows = try Self.rows(rig)
            #expect(settled == .complete && rows == 0)
        }
    }

    /// A condition that twelve records meet, and what one of them has then: a value of another kind, or one that says no.
    private static let odd: [(String, String, String, Bool)] = [
        ("@.total > 50", #","total":100"#, #""total":"150""#, true),
        ("@.total > 50 && !@.gone", #","total":100"#, #""total":{"value":150}"#, true),
        ("@.on == true", #","on":true"#, #""on":"true""#, true), ("@.on == true", #","on":true"#, #""on":1"#, true),
        ("@.off == false", #","off":false"#, #""off":0"#, true), ("@.off == 0", #","off":0"#, #""off":"0""#, true),
        ("@.type == 'a'", #","type":"a""#, #""type":{"id":1}"#, true),
        ("@.type == 'a'", #","type":"a""#, #""type":["a"]"#, true),
        ("@.at >= '2026'", #","at":"2026""#, #""at":1767225600"#, true),
        ("@.price > 0", #","price":5"#, #""price":"N/A""#, false),
        ("@.price > 0", #","price":5"#, #""price":false"#, false),
        ("@.type == 'a'", #","type":"a""#, #""type":null"#, false),
        ("@.type == 'a'", #","type":"a""#, #""name":"x""#, false),
        ("@.type == 'a'", #","type":"a""#, #""type":[]"#, false),
        ("@.gone_at == null", #","gone_at":null"#, #""gone_at":"2026-01-01""#, false),
        ("@.gone != true", #","gone":false"#, #""gone":true"#, false),
        ("@.on == true", #","on":true"#, #""on":false"#, false), ("@.on == true", #","on":true"#, #""on":0"#, false),
        ("!@.gone", "", #""gone":1"#, false),
        ("@.n > 1 && @.type == 'a'", #","n":2,"type":"a""#, #""n":1,"type":7"#, false),
    ]

    @Test(arguments: odd.indices)
    func `a filter leaves out no record for the kind of its value, and the advice settles it`(place: Int) async throws {
        let (condition, members, other, isOdd) = Self.odd[place]
        let answer = Watched(Self.list(members))
        try await SyncRig.run({ _ in answer.value }) { rig in
            func sync(_ condition: String) async throws -> (record: RunRecord, rows: Int64?) {
                let filter = try FilterExpression(parsing: condition)
                let outcome = try await rig.sync(
                    rig.stream { ($0.recordFilter, $0.deleteMissing, $0.maxDeleteRatio) = (filter, .hard, 1) })
                return (try #require(outcome.record), try Self.rows(rig))
            }
            let first = try await sync(condition)
            #expect(first.record.completeness == .complete && first.rows == 12)
            answer.value = Self.list(members, tombstone: other)
            let then = try await sync(condition)
            #expect(then.record.completeness == (isOdd ? .unknown : .complete), "\(then)")
            #expect(then.rows == (isOdd ? 12 : 11))
            guard isOdd else { return }
            let reason = then.record.completenessReason ?? ""
            let line = try #require(reason.firstMatch(of: /write record_filter: "(.*)" if/)?.1, "\(reason)")
            let settled = try await sync(String(line))
            #expect(settled.record.completeness == .complete && settled.rows == 11, "\(settled)")
        }
    }

    /// Such a member is there or not, by its nature.
    @Test func `a filter for what records have or not may leave out all of them`() async throws {
        let answer = Watched(Self.list(#","error":"x""#))
        let filter = try FilterExpression(parsing: "@.error")
        try await SyncRig.run({ _ in answer.value }) { rig in
            let stream = rig.stream { ($0.recordFilter, $0.writeDisposition) = (filter, .replace) }
            _ = try await rig.sync(stream)
            answer.value = Self.list("")
            let completeness = try await rig.sync(stream).record?.completeness
            let rows = try Self.rows(rig)
            #expect(completeness == .complete && rows == 0)
        }
    }
}
