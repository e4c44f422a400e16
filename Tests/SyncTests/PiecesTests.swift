import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Long bodies of JSON Lines, which are parsed and stored in pieces, and are one page all the same.
@Suite(.timeLimit(.minutes(5)))
struct PiecesTests {
    enum Setting: CaseIterable {
        case plain, automatic, hash, drop, filter, deletedWhen, deleteMissing, cursor, newestFirst, replace, keyless,
            replaceKeyless
        case inferred, dedupe, history, frozenColumns, wholeFilter, otherSelector

        func apply(to stream: inout StreamConfiguration) throws {
            stream.paginator = Paginator(.singlePage)
            stream.recordSelector = "$[*]"
            switch self {
            case .plain: break
            case .automatic: (stream.recordSelector, stream.paginator) = (nil, Paginator())
            case .hash: stream.fields.hash = .init(fields: ["name"].compactMap { FieldPath($0) }, key: Secret("k"))
            case .drop: stream.fields.drop = ["later"].compactMap { FieldPath($0) }
            case .filter: stream.recordFilter = try FilterExpression(parsing: "@.kind == 'a'")
            case .deletedWhen: stream.deletedWhen = try FilterExpression(parsing: "@.kind == 'a'")
            case .deleteMissing: (stream.deleteMissing, stream.maxDeleteRatio) = (.hard, 1)
            case .cursor: stream.incremental = Incremental(cursorField: "at")
            case .newestFirst: stream.incremental = Incremental(cursorField: "at", stopsAtKnown: true)
            case .replace: (stream.writeDisposition, stream.maxDeleteRatio) = (.replace, 1)
            case .keyless: (stream.primaryKey, stream.writeDisposition) = (nil, .append)
            case .replaceKeyless:
                (stream.primaryKey, stream.writeDisposition, stream.maxDeleteRatio) = (nil, .replace, 1)
            case .inferred: stream.primaryKey = nil
            case .dedupe: (stream.primaryKey, stream.dedupes) = (nil, true)
            case .history: stream.history = true
            case .frozenColumns: stream.schemaContract.columns = .freeze
            case .wholeFilter: stream.recordFilter = try FilterExpression(parsing: "@.kind == $[0].kind")
            case .otherSelector: stream.recordSelector = "$[3:]"
            }
        }
    }

    /// Lines with a value that no first piece has, and with values that widen a column late.
    private static func lines(_ ids: some Sequence<Int>, revision: Int = 1) -> String {
        ids.map { id in
            let later = id < 17 ? "" : #","later":\#(id)"#
            let size = id < 15 ? "\(id)" : "\(id).5"
            return #"{"id":\#(id),"name":"animal \#(id).\#(revision)","kind":"\#(id % 3 == 0 ? "a" : "b")","#
                + #""at":"2026-01-\#(id + 9)","size":\#(size)\#(later)}"#
        }.joined(separator: "\n\n") + "\n"
    }

    private static func reply(_ body: String) -> LoopbackReply {
        .response(headers: [("Content-Type", "application/x-ndjson")], body: body)
    }

    /// What is stored, as far as it does not differ between databases.
    private static func stored(_ rig: SyncRig) throws -> [String] {
        let rows = try rig.texts(
            "SELECT id || '|' || name || '|' || kind || '|' || at || '|' || size FROM animals ORDER BY id, name")
        let columns = try rig.texts("SELECT path || coalesce(type, '') FROM _garner_columns ORDER BY path")
        let pages = try rig.texts("SELECT record_count || ' ' || has_members FROM _garner_pages")
        let books = try rig.texts(
            """
            SELECT value FROM _garner_cursors UNION ALL SELECT record_key || operation FROM _garner_changes
            UNION ALL SELECT 'members ' || count(*) FROM _garner_members
            UNION ALL SELECT 'staged ' || count(*) FROM _garner_staged ORDER BY 1
            """)
        return rows + columns + pages + books
    }

    /// The outcomes of three reads of a list, of which the second brings what the first one brought, with what each has stored.
    private static func reads(_ setting: Setting, pieces: Int?) async throws -> [[String]] {
        let found = Watched([[String]]())
        let body = Watched("")
        try await SyncRig.run({ _ in reply(body.value) }) { rig in
            var stream = rig.stream()
            try setting.apply(to: &stream)
            let first = lines(1...20)
            for text in [first, first, lines(2...22, revision: 2)] {
                body.value = text
                let outcome = try await rig.sync(stream, pieces: pieces)
                let told = "\(outcome.status) \(outcome.counts) \(outcome.record?.completenessReason ?? "")"
                // Whether a list begins with its newest record is told by the first piece, which has more records than here.
                let warning = setting == .newestFirst ? "" : outcome.record?.warning ?? ""
                let words = [told, outcome.failure?.message ?? "", warning]
                let state = try stored(rig)
                found.change { $0.append(words + state) }
            }
        }
        return found.value
    }

    @Test(arguments: Setting.allCases)
    func `a body in pieces is the page that it would be in one`(setting: Setting) async throws {
        let whole = try await Self.reads(setting, pieces: nil)
        #expect(whole.count == 3)
        for length in [1, 300] {
            let pieces = try await Self.reads(setting, pieces: length)
            for (one, other) in zip(whole, pieces) { #expect(other == one, "\(length)") }
        }
    }

    @Test func `the keys of a page in pieces are those of the page in one, and its body is known again`() async throws {
        let body = Watched(Self.lines(1...20))
        try await SyncRig.run({ _ in Self.reply(body.value) }) { rig in
            let stream = rig.stream {
                ($0.recordSelector, $0.paginator) = ("$[*]", Paginator(.singlePage))
                $0.deleteMissing = .hard
            }
            func page() throws -> [String] {
                try rig.texts("SELECT keys_digest || record_count FROM _garner_pages")
                    + rig.texts("SELECT record_key FROM _garner_members ORDER BY 1")
            }
            _ = try await rig.sync(stream, pieces: 100)
            let pieces = try page()
            for length in [nil, 50] {
                let again = try await rig.sync(stream, pieces: length)
                #expect([again.counts.unchanged, again.counts.updated] == [20, 0])
            }
            body.value += "\n"
            let whole = try await rig.sync(stream)
            #expect([whole.counts.unchanged, whole.counts.changes] == [20, 0])
            #expect(try page() == pieces)
        }
    }

    /// Lines that end what came before with an error.
    @Test(arguments: [("{\"id\":21,", "line 41: "), ("7\nx", "line 42: "), ("{\"id\":21}{}", "line 41: ")])
    func `an invalid line in the last piece stores nothing`(end: String, place: String) async throws {
        let body = Watched(Self.lines(1...20) + "\n" + end)
        try await SyncRig.run({ _ in Self.reply(body.value) }) { rig in
            let stream = rig.stream { ($0.recordSelector, $0.paginator) = ("$[*]", Paginator(.singlePage)) }
            for revision in [1, 2] {
                let failed = try await rig.sync(stream, pieces: 100)
                #expect(failed.status == .failed)
                #expect(failed.failure?.message.contains(place) == true, "\(failed.failure?.message ?? "")")
                if revision == 1 {
                    #expect(try rig.texts("SELECT name FROM sqlite_schema WHERE name = 'animals'") == [])
                    body.value = Self.lines(1...20)
                    _ = try await rig.sync(stream, pieces: 100)
                    body.value = Self.lines(1...20, revision: 2) + "\n" + end
                } else {
                    #expect(try rig.texts("SELECT name FROM animals WHERE name NOT LIKE '%.1'") == [])
                }
            }
        }
    }

    @Test func `a body that is cut stores nothing`() async throws {
        let body = Self.lines(1...20)
        try await SyncRig.run({ _ in
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            return .raw(head + body.dropLast(1), then: .close)
        }) { rig in
            let failed = try await rig.sync(pieces: 100)
            #expect(failed.failure?.kind == "incomplete_body")
            #expect(try rig.texts("SELECT name FROM sqlite_schema WHERE name = 'animals'") == [])
        }
    }

    @Test func `a record whose key came in an earlier piece is told, and the last one counts`() async throws {
        let lines = Self.lines(1...20) + Self.lines([3], revision: 2)
        try await SyncRig.run({ _ in Self.reply(lines) }) { rig in
            let stream = rig.stream { ($0.recordSelector, $0.paginator) = ("$[*]", Paginator(.singlePage)) }
            let outcome = try await rig.sync(stream, pieces: 100)
            #expect([outcome.counts.inserted, outcome.counts.updated] == [20, 1])
            #expect(outcome.record?.warning?.contains("1 record has the id of another record") == true)
            #expect(try rig.texts("SELECT name FROM animals WHERE id = 3") == ["animal 3.2"])
        }
    }

    @Test func `a failure in a later piece undoes those before it`() async throws {
        let body = Watched(Self.lines(1...20))
        try await SyncRig.run({ _ in Self.reply(body.value) }) { rig in
            var stream = rig.stream { ($0.recordSelector, $0.paginator) = ("$[*]", Paginator(.singlePage)) }
            stream.schemaContract.columns = .freeze
            _ = try await rig.sync(stream, pieces: 100)
            body.value = Self.lines(1...20, revision: 2) + #"{"id":21,"name":"x","more":1}"#
            #expect(try await rig.sync(stream, pieces: 100).status == .failed)
            #expect(try rig.texts("SELECT name FROM animals WHERE name NOT LIKE '%.1'") == [])
        }
    }
}
