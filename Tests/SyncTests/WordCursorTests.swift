import GarnerCatalog
import GarnerModel
import TestSupport
import Testing

@testable import GarnerSync

/// Cursor fields with values that are no times and no numbers.
@Suite(.timeLimit(.minutes(5)))
struct WordCursorTests {
    private static func sync(
        _ lists: [[String]], changing change: @escaping @Sendable (inout StreamConfiguration) -> Void = { _ in }
    ) async throws -> (outcomes: [RunOutcome], cursors: [String], targets: [String]) {
        let now = Watched<[String]>([])
        let found = Watched<(outcomes: [RunOutcome], cursors: [String], targets: [String])>(([], [], []))
        try await SyncRig.run({ _ in
            .json("[\(now.value.enumerated().map { #"{"id":\#($0),"at":\#($1)}"# }.joined(separator: ","))]")
        }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.singlePage)
                $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
                $0.incremental = Incremental(cursorField: "at")
                change(&$0)
            }
            for list in lists {
                now.value = list
                let outcome = try await rig.sync(stream)
                let cursor = try rig.texts("SELECT value FROM _garner_cursors")
                found.change {
                    $0.outcomes.append(outcome)
                    $0.cursors += cursor
                }
            }
            let targets = rig.server.requests.map(\.target)
            found.change { $0.targets = targets }
        }
        return found.value
    }

    @Test(arguments: [
        (["10", "20"], ["30", #""n/a""#], ["40"], "40"),
        (
            [#""2026-01-01T00:00:00Z""#], [#""n/a""#, #""2026-01-02T00:00:00Z""#], [#""unknown""#],
            "2026-01-02T00:00:00Z"
        ),
        ([#""n/a""#, "7", #""""#], [#""A12""#], ["9", #""zz""#], "9"),
        (["9.5"], ["10.5", "9.75"], ["10.25"], "10.5"),
    ])
    func `a word among times or numbers never moves the cursor`(
        first: [String], second: [String], third: [String], cursor: String
    ) async throws {
        let found = try await Self.sync([first, second, third])
        #expect(found.outcomes.allSatisfy { $0.failure == nil })
        #expect(found.cursors.last == cursor)
        #expect(found.cursors.allSatisfy { !["n/a", "unknown", "zz", "A12", ""].contains($0) })
    }

    @Test func `a cursor field of words fails the first sync`() async throws {
        let failure = try await Self.sync([[#""open""#, #""paid""#]]).outcomes.first?.failure
        #expect(failure?.message == "the cursor field 'at' has values such as 'open', which do not grow")
    }

    @Test(arguments: [
        ([#""20.Jan.2026""#, #""03.Feb.2026""#, #""11.Jan.2026""#], true),
        ([#""item 9""#, #""item 10""#, #""item 2""#], true),
        ([#""01HB""#, #""01HC""#, #""01HD""#], false), ([#""c9""#, #""b7""#, #""a1""#], false),
        (["3", "1", "2"], false),
    ])
    func `texts in no order are told of once`(values: [String], isTold: Bool) async throws {
        let outcomes = try await Self.sync([values, values]).outcomes
        #expect(outcomes.first?.record?.warning?.contains("come in no order") ?? false == isTold)
        #expect(outcomes.last?.record?.warning?.contains("come in no order") != true)
    }

    /// The advice is followed, and the cursor moves into the next month.
    @Test(arguments: [
        ("30.12.2025 31.12.2025", "01.01.2026", #""%d.%m.%Y""#),
        ("30/12/2025 31/12/2025", "01/01/2026", #""%d/%m/%Y""#),
        ("12/30/2025 12/31/2025", "01/01/2026", #""%m/%d/%Y""#),
        ("01-01-2025 02-01-2025", "01-02-2025", #""%d-%m-%Y", or "%m-%d-%Y" if the month comes first"#),
    ])
    func `dates with the year behind the day are told of in any order`(values: String, next: String, advice: String)
        async throws
    {
        let first = values.split(separator: " ").map { "\"\($0)\"" }
        let wrong = try await Self.sync([first, ["\"\(next)\""]])
        #expect(wrong.outcomes.first?.record?.warning?.contains("; write cursor_datetime_format: \(advice)") == true)
        #expect(wrong.cursors.last != next)
        let format = try #require(DatetimeFormat(advice.split(separator: "\"").first.map(String.init) ?? ""))
        let right = try await Self.sync([first, ["\"\(next)\""]]) { $0.incremental?.cursorFormats = [format] }
        #expect(right.outcomes.first?.record?.warning == nil)
        #expect(right.cursors.last == next)
    }

    @Test(arguments: [["[1]", "[2]"], ["true", "false"], [#"{"a":1}"#, "null"]])
    func `a cursor field of lists, objects or booleans fails the first sync`(values: [String]) async throws {
        let failure = try await Self.sync([values]) { $0.flattenDepth = 0 }.outcomes.first?.failure
        #expect(failure?.message.contains("the cursor field 'at' has values such as") == true)
    }

    @Test func `cursors of which most are in another format than the configured one are told of`() async throws {
        let values = [#""2026-01-03""#, #""03.01.2026""#, #""04.01.2026""#]
        let warning = try await Self.sync([values]) { $0.incremental?.cursorFormats = [.date] }.outcomes.first?.record?
            .warning
        #expect(
            warning?.contains("2 of 3 values of the cursor field 'at' are not written as date, such as '03.01.2026'")
                == true)
    }

    /// Most of these days can be read as months, which would move the cursor behind what comes later.
    @Test(arguments: [("%d/%m/%Y", "04/13/2026 11/02/2026"), ("%m/%d/%Y", "13/04/2026 02/11/2026 01/01/2026")])
    func `days that are taken for months fail the first sync with the right format`(
        configured: String, values: String
    ) async throws {
        func failure(_ format: String) async throws -> RunFailure? {
            try await Self.sync([values.split(separator: " ").map { "\"\($0)\"" }]) {
                $0.incremental?.cursorFormats = [DatetimeFormat(format)].compactMap(\.self)
            }.outcomes.first?.failure
        }
        let told = try await failure(configured)
        #expect(
            told?.message.contains("is not written as \(configured), and other days would be taken for months") == true)
        let meant = configured == "%d/%m/%Y" ? "%m/%d/%Y" : "%d/%m/%Y"
        #expect(told?.hint == .text("write cursor_datetime_format: \"\(meant)\""))
        #expect(try await failure(meant) == nil)
    }

    /// The advice is followed, and nothing is told any more.
    @Test(arguments: [
        (#""2026-01-03T00:00:00Z""#, "epoch", "rfc3339"), (#""2026-01-03T00:00:00Z""#, "epoch_ms", "rfc3339"),
        (#""2026-01-03""#, "epoch", "date"), ("1767398400", "epoch_ms", "epoch"),
        (#""2026-01-03T00:00:00Z""#, "date", "rfc3339"), (#""2026-01-03T00:00:00Z""#, "%d.%m.%Y", "rfc3339"),
        (#""2026-01-03""#, "%d.%m.%Y", "date"), (#""2026-01-03T00:00:00Z""#, "epoch epoch_ms", "rfc3339"),
        (#""2026-01-03""#, "epoch epoch_ms", "date"),
    ])
    func `times that are not written as the configuration says are told of`(
        value: String, configured: String, right: String
    ) async throws {
        func warning(_ format: String, sending sent: String? = nil) async throws -> String? {
            let outcome = try await Self.sync([[value, value]]) {
                $0.incremental?.cursorFormats = format.split(separator: " ").compactMap { DatetimeFormat(String($0)) }
                $0.incremental?.requestFormat = sent.flatMap { DatetimeFormat($0) }
            }.outcomes.first
            #expect(outcome?.failure == nil)
            return outcome?.record?.warning
        }
        let told = try await warning(configured)
        // Of several formats the first one may be that of requests.
        let first = configured.prefix { $0 != " " }
        let pasted = first.contains("%") ? "\"\(first)\"" : "\(first)"
        #expect(told?.contains("and not as \(configured.replacing(" ", with: " or "));") == true)
        #expect(told?.contains("write cursor_datetime_format: \(right), and datetime_format: \(pasted)") == true)
        #expect(try await warning(right) == nil)
        #expect(try await warning(right, sending: String(first)) == nil)
    }

    @Test(arguments: [
        (#""2026-01-03T00:00:00Z""#, "%Y-%m-%dT%H:%M:%SZ"), (#""2026-01-03T00:00:00+02:00""#, "%Y-%m-%dT%H:%M:%S%z"),
        (#""2026-01-03""#, "%Y-%m-%d"), (#""2026-01-03""#, "rfc3339"), ("1767398400", "%s"),
    ])
    func `a format that reads the values is not doubted`(value: String, format: String) async throws {
        let outcome = try await Self.sync([[value, value]]) {
            $0.incremental?.cursorFormats = [DatetimeFormat(format)].compactMap(\.self)
        }.outcomes.first
        #expect(outcome?.failure == nil && outcome?.record?.warning == nil, "\(outcome?.record?.warning ?? "")")
    }

    @Test func `milliseconds that are to be seconds fail the first sync with the right format`() async throws {
        let outcomes = try await Self.sync([["1767398400000"]]) { $0.incremental?.cursorFormats = [.epoch] }.outcomes
        #expect(outcomes.first?.failure?.hint?.text == "write cursor_datetime_format: epoch_ms")
    }

    @Test func `a start in the future is told of`() async throws {
        let warning = try await Self.sync([["1"]]) {
            $0.incremental = Incremental(cursorField: nil, initialValue: "2999-01-01T00:00:00Z")
        }.outcomes.first?.record?.warning
        #expect(warning?.contains("initial_value (2999-01-01T00:00:00Z) lies in the future") == true)
    }

    @Test func `a start in the future is the only reason why records are older`() async throws {
        let times = (1...3).map { #""2026-01-0\#($0)T00:00:00Z""# }
        let warning = try await Self.sync([times]) { $0.incremental?.initialValue = "2999-01-01T00:00:00Z" }
            .outcomes.first?.record?.warning
        #expect(warning?.contains("initial_value (2999-01-01T00:00:00Z) lies in the future") == true)
        #expect(warning?.contains("seems to ignore the parameter") == false, "\(warning ?? "")")
    }

    /// The records are all from before the start, which the source was asked for.
    @Test(arguments: [
        (["1", "2", "3", "9"], true), (["9", "9", "10"], false), (["1", "9"], false),
        (
            [
                #""2026-01-01T00:00:00Z""#, #""2026-01-02T00:00:00Z""#, #""2026-01-03T00:00:00Z""#,
                #""2026-02-01T00:00:00Z""#,
            ], true
        ),
        // The source filters by days.
        ([#""2026-02-01T01:00:00Z""#, #""2026-02-01T02:00:00Z""#, #""2026-02-01T23:00:00Z""#], false),
    ])
    func `a source that ignores the start of a read is told of`(values: [String], isTold: Bool) async throws {
        let outcomes = try await Self.sync([values, values + values.suffix(1)]).outcomes
        #expect(outcomes.first?.record?.warning == nil)
        let warning = outcomes.last?.record?.warning
        #expect(warning?.contains("seems to ignore the parameter with {incremental.start_value}") ?? false == isTold)
    }

    @Test func `values of which each is read by one of the formats are not doubted`() async throws {
        let found = try await Self.sync([["1767398400", "1767398500000"], ["1767398600"]]) {
            $0.incremental?.cursorFormats = [.epoch, .epochMilliseconds]
        }
        #expect(found.outcomes.allSatisfy { $0.failure == nil && $0.record?.warning == nil }, "\(found.outcomes)")
        #expect(found.cursors == ["1767398500000", "1767398600"])
        #expect(found.targets.last?.contains("since=1767398500000") == true)
    }

    @Test func `values that none of the formats reads are told with all of them`() async throws {
        let failure = try await Self.sync([[#""03.01.2026""#]]) {
            $0.incremental?.cursorFormats = [.epoch, .date]
        }.outcomes.first?.failure
        #expect(failure?.message == "the cursor '03.01.2026' is not written as epoch or date")
    }

    @Test(arguments: [
        (#""01/02/2026""#, "\"%d/%m/%Y\", or \"%m/%d/%Y\" if the month comes first"),
        (#""01/02/2026","01/25/2026""#, "\"%m/%d/%Y\""), (#""2026/01/02 10:30""#, "\"%Y/%m/%d %H:%M\""),
        (#""5 Jan 2026""#, "\"%d %b %Y\""), (#""20260102""#, "\"%Y%m%d\""), ("1767398400", "epoch"),
        (#""2026-01-02 10:00:00""#, "\"%Y-%m-%d %H:%M:%S\""),
    ])
    func `values in another format lead to theirs`(values: String, format: String) async throws {
        let failure = try await Self.sync([values.split(separator: ",").map(String.init)]) {
            $0.incremental?.cursorFormats = [.microsoftJSON]
        }.outcomes.first?.failure
        #expect(failure?.hint == .text("write cursor_datetime_format: \(format)"), "\(String(describing: failure))")
    }

    /// Records by `id`, in whose `at` and `made` the cursor may be.
    @Test(arguments: [
        (#"[{"id":1,"at":null,"made":"2026-01-01"},{"id":2,"at":"2026-01-03","made":"2026-01-02"}]"#, "2026-01-03"),
        (#"[{"id":1,"made":"2026-01-02"},{"id":2,"at":"","made":"2026-01-04"}]"#, "2026-01-04"),
        (#"[{"id":1,"at":"2026-01-02","made":"2026-01-05"}]"#, "2026-01-02"),
    ])
    func `the first cursor field that a record has a value of counts`(body: String, cursor: String) async throws {
        try await SyncRig.run({ _ in .json(body) }) { rig in
            let stream = rig.stream {
                $0.paginator = Paginator(.singlePage)
                $0.incremental = Incremental(cursorField: "at")
                $0.incremental?.cursorFields = ["at", "$.made"]
            }
            let outcome = try await rig.sync(stream)
            #expect(outcome.failure == nil)
            let cursors = try rig.texts("SELECT value FROM _garner_cursors")
            #expect(cursors == [cursor])
        }
    }

    @Test func `records without any of the cursor fields fail the first sync`() async throws {
        let failure = try await Self.sync([["1"]]) { $0.incremental?.cursorFields = ["changed", "made"] }.outcomes
            .first?.failure
        #expect(failure?.message == "no record of the first page has the cursor field 'changed' or 'made'")
        let nested = try await Self.sync([["1"]]) { $0.incremental?.cursorFields = ["meta.at"] }.outcomes.first?.failure
        let words = if case .text(let text)? = nested?.hint { text } else { "" }
        #expect(words.hasPrefix("write cursor_field: $.meta.at for a member inside another one"), "\(words)")
    }
}
