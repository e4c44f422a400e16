import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// The messages about keys that do not identify records, about tables without a key, and about reads that do not show
/// whether they are complete.
@Suite(.timeLimit(.minutes(2)))
struct RecordKeyTests {
    /// A reply with `count` records.
    private static func list(_ count: Int, _ record: (Int) -> String, _ end: String = #""next":null"#) -> LoopbackReply
    {
        .json("{\"data\":[\((0..<count).map(record).joined(separator: ","))],\(end)}")
    }

    @Test func `a first read fails where the inferred key is not one`() async throws {
        // `id` differs on the first page alone.
        try await SyncRig.run({ request in
            let page = request.page
            let next = page < 3 ? "\"?page=\(page + 1)\"" : "null"
            return Self.list(20, { #"{"id":\#($0),"no":\#(page * 100 + $0)}"# }, "\"next\":\(next)")
        }) { rig in
            for _ in 1...2 {
                let outcome = try await rig.sync(rig.stream { $0.primaryKey = nil })
                let failure = try #require(outcome.failure)
                #expect(failure.category.rawValue == 78)
                #expect(
                    failure.message.contains("have the id of another one, which was taken for the key of zoo.animals"))
                #expect(failure.hint == "set primary_key to what tells them apart, such as no")
            }
            // With the key that was proposed it goes on as if nothing had been.
            let outcome = try await rig.sync(rig.stream { $0.primaryKey = ["no"] })
            #expect(outcome.failure == nil)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [60])
        }
    }

    @Test func `a first read fails where most records of a page share the configured key`() async throws {
        try await SyncRig.run({ _ in
            Self.list(40) { #"{"id":\#($0 % 4),"country":{"id":"c\#($0)"}}"# }
        }) { rig in
            let failure = try #require(try await rig.sync().failure)
            #expect(failure.message == "40 records have 4 keys (id); country.id tells them apart")
            #expect(try rig.integers("SELECT count(*) FROM _garner_runs WHERE status = 'failed'") == [1])
        }
    }

    @Test func `a first read fails where most records of all pages share the configured key`() async throws {
        let pages: LoopbackServer.Handler = { request in
            let page = request.page
            let next = page < 3 ? "\"?page=\(page + 1)\"" : "null"
            return Self.list(4, { #"{"id":\#($0 % 2),"no":\#(page * 4 + $0)}"# }, "\"next\":\(next)")
        }
        try await SyncRig.run(pages) { rig in
            let failure = try #require(try await rig.sync().failure)
            #expect(failure.message == "10 of 12 records have the id of another one; no tells them apart")
            #expect(failure.hint == "set primary_key to what tells them apart, such as no")
            let other = try await rig.sync(rig.stream { $0.primaryKey = ["no"] })
            #expect(other.failure == nil)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [12])
        }
        // The newest of several states may be what is wanted of a list of changes.
        try await SyncRig.run(pages) { rig in
            let changes = try await rig.sync(rig.stream { $0.incremental = Incremental(cursorField: "no") })
            let rows = try rig.integers("SELECT count(*) FROM animals")
            #expect(changes.failure == nil && rows == [2])
        }
    }

    @Test func `a few records that share their key are told with an example and stored`() async throws {
        try await SyncRig.run({ _ in Self.list(40) { #"{"id":\#($0 < 3 ? 0 : $0),"n":\#($0)}"# } }) { rig in
            let record = try #require(try await rig.sync().record)
            #expect(
                record.warning?.contains("2 records have the id of another record with other content, such as 0")
                    == true,
                "\(record.warning ?? "-")")
            #expect(
                record.warning?.contains(
                    "; of each the last one was stored; if they are different records, set primary_key to what tells them apart, "
                        + "such as n: primary_key: [id, n]; then drop the table animals") == true,
                "\(record.warning ?? "-")")
            #expect(try rig.integers("SELECT n FROM animals WHERE id = 0") == [2])
        }
    }

    @Test func `a record that comes twice with the same content is nothing to tell`() async throws {
        try await SyncRig.run({ _ in Self.list(40) { #"{"id":\#($0 % 20)}"# } }) { rig in
            let record = try #require(try await rig.sync().record)
            #expect(record.warning == nil && record.completeness == .complete)
        }
    }

    @Test func `a list without a key that comes again fails before it is stored twice`() async throws {
        try await SyncRig.run({ _ in Self.list(12) { #"{"a":1,"b":\#($0 % 2),"c":\#($0)}"# } }) { rig in
            let stream = rig.stream { $0.primaryKey = nil }
            #expect(try await rig.sync(stream).failure == nil)
            for _ in 1...2 {
                let failure = try #require(try await rig.sync(stream).failure)
                #expect(
                    failure.message == "the table animals has no primary key, and 12 records that it holds came again")
                #expect(failure.hint?.text?.contains("dedupe: true") == true)
            }
            #expect(try rig.integers("SELECT count(*) FROM animals") == [12])
            #expect(
                try await rig.sync(rig.stream { ($0.primaryKey, $0.writeDisposition) = (nil, .append) }).failure == nil)
            #expect(try rig.integers("SELECT count(*) FROM animals") == [24])
        }
    }

    @Test func `a list without a key names the fields that identify its records together`() async throws {
        // A page is of one sensor, so that the time alone differs on it.
        try await SyncRig.run({ request in
            let next = request.page < 2 ? "\"?page=2\"" : "null"
            return Self.list(12, { #"{"ts":\#($0),"sensor":"s\#(request.page)","v":0.5}"# }, "\"next\":\(next)")
        }) { rig in
            let stream = rig.stream { $0.primaryKey = nil }
            let told = try #require(try await rig.sync(stream).record?.warning)
            #expect(told.contains("; set primary_key, such as primary_key: [sensor, ts], and "), "\(told)")
        }
        try await SyncRig.run({ _ in Self.list(12) { #"{"ts":\#($0 / 2),"sensor":"s\#($0 % 2)","v":0.5}"# } }) { rig in
            let stream = rig.stream { $0.primaryKey = nil }
            let told = try #require(try await rig.sync(stream).record?.warning)
            #expect(told.contains("; set primary_key, such as primary_key: [sensor, ts], and "), "\(told)")
            let failure = try #require(try await rig.sync(stream).failure)
            #expect(
                failure.hint?.text?.hasPrefix(
                    "set primary_key to what identifies a record, such as primary_key: [sensor, ts], or dedupe")
                    == true)
        }
    }

    @Test func `a short list without a key that comes again is told once`() async throws {
        try await SyncRig.run({ _ in Self.list(3) { #"{"a":1,"c":\#($0)}"# } }) { rig in
            let stream = rig.stream { $0.primaryKey = nil }
            _ = try await rig.sync(stream)
            let told = try #require(try await rig.sync(stream).record?.warning)
            #expect(told.contains("the table animals has no primary key, and 3 records that it holds came again"))
            #expect(try await rig.sync(stream).record?.warning?.contains("came again") != true)
        }
    }

    @Test func `new records of a list without a key are appended`() async throws {
        let first = Watched(0)
        try await SyncRig.run({ _ in Self.list(12) { #"{"a":1,"c":\#(first.value + $0)}"# } }) { rig in
            let stream = rig.stream { $0.primaryKey = nil }
            for count in 1...3 {
                let known = try await rig.sync(stream)
                #expect(known.failure == nil)
                let stored = try rig.integers("SELECT count(*) FROM animals")
                #expect(stored == [Int64(12 * count)])
                first.value += 5
            }
        }
    }

    @Test func `a table that is replaced stays where a total contradicts the read`() async throws {
        let isShort = Watched(false)
        try await SyncRig.run({ _ in
            Self.list(isShort.value ? 2 : 5, { #"{"id":\#($0)}"# }, #""next":null,"total":5"#)
        }) { rig in
            let stream = rig.stream { $0.writeDisposition = .replace }
            let known = try await rig.sync(stream)
            #expect(known.record?.completeness == .complete)
            isShort.value = true
            let record = try #require(try await rig.sync(stream).record)
            #expect(record.completeness == .unknown)
            #expect(record.completenessReason == "5 records announced, ended after 2")
            let stored = try rig.integers("SELECT count(*) FROM animals")
            #expect(stored == [5])
        }
    }

    /// Records of each read, whether a part of the rows may go at once, and the rows after each read.
    @Test(
        arguments: [
            ([5, 3], nil, [5, 3]), ([6, 3], nil, [6, 3]), ([5, 2, 2, 1], nil, [5, 5, 2, 1]),
            ([5, 2, 4, 1], nil, [5, 5, 4, 4]),
            ([20, 9, 3, 1, 1], nil, [20, 20, 3, 3, 1]), ([5, 2], 1, [5, 2]), ([5, 2, 2], 0.5, [5, 5, 5]),
        ] as [([Int], Double?, [Int64])])
    func `a table that is replaced is what a read returned where nothing was said, unless that is suddenly little`(
        counts: [Int], ratio: Double?, rows: [Int64]
    ) async throws {
        for key in [["a"], nil] {
            let count = Watched(0)
            try await SyncRig.run({ _ in Self.list(count.value, { #"{"a":\#($0)}"# }, #""x":1"#) }) { rig in
                let stream = rig.stream {
                    $0.writeDisposition = .replace
                    $0.maxDeleteRatio = ratio
                    $0.primaryKey = key
                }
                for (number, stored) in zip(counts, rows) {
                    count.value = number
                    let record = try #require(try await rig.sync(stream).record)
                    #expect(record.completeness == .unknown)
                    #expect(try rig.integers("SELECT count(*) FROM animals") == [stored])
                    guard ratio == nil else { continue }
                    let isLeft = Int64(number) != stored
                    #expect((record.warning?.contains("the table animals was left as it was") == true) == isLeft)
                    #expect(
                        try rig.integers("SELECT coalesce(kept_rows, 0) FROM _garner_streams")
                            == [isLeft ? stored - Int64(number) : 0])
                }
            }
        }
    }

    /// A reply of each page by its number: records with these languages, and the link to the next one.
    private static func pages(_ pages: [[(id: Int, language: String)]]) -> LoopbackServer.Handler {
        { request in
            let number =
                request.target.firstRange(of: "cursor=c").flatMap { Int(request.target[$0.upperBound...]) } ?? 0
            let records = pages[number].map {
                #"{"id":\#($0.id),"name":"n\#($0.id)\#($0.language)","lang":"\#($0.language)"}"#
            }
            let next = number + 1 < pages.count ? "\"c\(number + 1)\"" : "null"
            return .json("{\"data\":[\(records.joined(separator: ","))],\"next_cursor\":\(next)}")
        }
    }

    private static func translated(_ rig: SyncRig, history: Bool = false) -> StreamConfiguration {
        rig.stream {
            $0.primaryKey = nil
            $0.history = history
            $0.deleteMissing = .hard
        }
    }

    @Test func `an inferred key that comes again with other content makes each read unknown`() async throws {
        let page = { (language: String) in (0..<8).map { (id: $0, language: language) } }
        try await SyncRig.run(Self.pages([page("de"), page("en"), [(id: 9, language: "fr")]])) { rig in
            for _ in 1...3 {
                let record = try #require(try await rig.sync(Self.translated(rig, history: true)).record)
                #expect(record.completeness == .unknown)
                #expect(
                    record.completenessReason
                        == "8 records have the id of another record with other content, such as 0; set primary_key to what tells them "
                        + "apart, such as lang"
                )
                let warning = record.warning ?? ""
                #expect(
                    warning.contains("such as lang: primary_key: [id, lang]; then drop the table animals")
                )
                #expect(warning.contains("missing rows were not deleted"))
                // What is written to and fro is no new version.
                let versions = try rig.integers(
                    "SELECT count(*) FROM _garner_history_animals WHERE _garner_valid_to IS NULL")
                #expect(versions == [9])
            }
            let last = try rig.integers("SELECT max(_garner_run) FROM _garner_history_animals")
            #expect(last == [1])
        }
    }

    @Test func `few keys that come again count if the same one does in two reads running`() async throws {
        let first = (0..<20).map { (id: $0, language: "de") }
        let again = Watched(3)
        try await SyncRig.run({ request in
            await Self.pages([first, [(id: again.value, language: "en")]])(request)
        }) { rig in
            for (key, completeness) in [
                (3, Completeness.complete), (4, .complete), (4, .unknown), (4, .unknown), (5, .complete),
            ] {
                again.value = key
                let record = try #require(try await rig.sync(Self.translated(rig)).record)
                #expect(record.completeness == completeness)
            }
        }
    }

    @Test func `a record that changes while an inferred key is read is no other record`() async throws {
        let language = Watched("de")
        try await SyncRig.run({ request in
            await Self.pages([
                (0..<20).map { (id: $0, language: language.value) },
                (20..<40).map { (id: $0, language: language.value) },
            ])(request)
        }) { rig in
            for text in ["de", "en", "fr"] {
                language.value = text
                let record = try #require(try await rig.sync(Self.translated(rig)).record)
                #expect(record.completeness == .complete && record.warning == nil)
            }
        }
    }

    /// Rows before, rows after, and whether those that are missing go without a ratio.
    @Test(arguments: [
        (20, 11, true), (20, 10, false), (9, 8, true), (9, 7, false), (10, 6, true), (3, 2, true), (2, 1, false),
        (1, 0, false),
    ])
    func `the brake lets fewer than half of the rows go, and of few rows one`(
        before: Int, after: Int, goes: Bool
    ) async throws {
        let count = Watched(before)
        try await SyncRig.run({ _ in Self.list(count.value) { #"{"id":\#($0)}"# } }) { rig in
            let stream = rig.stream { $0.deleteMissing = .hard }
            _ = try await rig.sync(stream)
            count.value = after
            let record = try #require(try await rig.sync(stream).record)
            let stored = try rig.integers("SELECT count(*) FROM animals")
            #expect(stored == [Int64(goes ? after : before)])
            #expect((record.warning == nil) == goes, "\(record.warning ?? "-")")
        }
    }
}
