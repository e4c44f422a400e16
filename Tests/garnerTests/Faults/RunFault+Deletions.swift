import TestSupport

extension RunFault {
    // MARK: Deletions

    /// Three pages of two animals, of which none is deleted.
    static let deletions: [RunFault] = [
        deletion("says that a record without a key is deleted", "page") {
            "[\(live($0)),{\"name\":\"x\",\"gone\":true}]"
        },
        deletion("says that a record is deleted that never came", "page") { "[\(live($0)),{\"id\":99,\"gone\":true}]" },
        deletion("writes the flag of a deletion as a text", "page") {
            live($0).replacing("false", with: #""true""#).bracketed
        },
        deletion("writes the flag of a deletion as a number", "page") {
            live($0).replacing("false", with: "1").bracketed
        },
        deletion("sends a deletion and then the record on one page", "page") {
            "[\(live($0).replacing("false", with: "true")),\(live($0))]"
        },
        deletion("sends a record and then its deletion on one page", "page") {
            "[\(live($0)),\(live($0).replacing("false", with: "true"))]"
        }.with { $0.readRows = 4 },
        deletion("says that all records of a page are deleted", "page") {
            live($0).replacing("false", with: "true").bracketed
        }.with { $0.readRows = 4 },
    ]

    private static func deletion(
        _ name: String, _ outcome: String, _ records: @escaping @Sendable (LoopbackRequest) -> String
    ) -> RunFault {
        RunFault(
            name: name, outcome: outcome,
            source: """
                streams:
                  animals:
                    path: animals
                    primary_key: id
                    deleted_when: "@.gone == true"
                """
        ).with {
            $0.reply = { request, _ in page(request, records(request)) }
            $0.goodReply = { page($0, live($0).bracketed) }
        }
    }

    /// The two animals of a page.
    private static func live(_ request: LoopbackRequest) -> String {
        [1, 2].map { #"{"id":\#((request.page - 1) * 2 + $0),"gone":false}"# }.joined(separator: ",")
    }

    private static func page(_ request: LoopbackRequest, _ records: String) -> LoopbackReply {
        let next = request.page < 3 ? #""?page=\#(request.page + 1)""# : "null"
        return .json(#"{"data":\#(records),"next":\#(next)}"#)
    }

    // MARK: Ranges

    /// Ranges of a stream of six days, and cursors that are no whole numbers.
    static let ranges: [RunFault] = [
        range("ignores the range of a backfill", "page") { _ in days }.with { $0.readRows = 6 },
        range("has nothing in the range of a backfill", "page") { _ in .json(#"{"data":[],"next":null}"#) }
            .with { $0.readRows = 0 },
        range("answers 500 in the range of a backfill", "status", isRetried: true) { _ in .status(500) },
        unmovable("writes only cursors that lookback_window cannot move", "incremental", first: "1e400"),
        unmovable("writes a cursor that lookback_window cannot move", "page", first: "1").with { $0.readRows = 2 },
    ]

    private static func range(
        _ name: String, _ outcome: String, isRetried: Bool = false,
        _ reply: @escaping @Sendable (LoopbackRequest) -> LoopbackReply
    ) -> RunFault {
        RunFault(
            name: name, outcome: outcome, isRetried: isRetried, pages: [1],
            source: """
                streams:
                  animals:
                    path: animals
                    primary_key: id
                    params: { from: "{incremental.start_value}", to: "{incremental.end_value}" }
                    incremental: { cursor_field: at, initial_value: "2020-01-01T00:00:00Z", step: 36500d }
                """
        ).with {
            $0.arguments = ["--from", "2020-01-02", "--to", "2020-01-03"]
            $0.reply = { request, _ in reply(request) }
            $0.goodReply = { _ in days }
            $0.rows = { _ in 0 }
        }
    }

    private static let days = LoopbackReply.json(
        #"{"data":[\#((1...6).map { #"{"id":\#($0),"at":"2020-01-0\#($0)T00:00:00Z"}"# }.joined(separator: ","))],"#
            + #""next":null}"#)

    private static func unmovable(_ name: String, _ outcome: String, first: String) -> RunFault {
        RunFault(
            name: name, outcome: outcome, pages: [1],
            source: """
                streams:
                  animals:
                    path: animals
                    primary_key: id
                    params: { from: "{incremental.start_value}" }
                    incremental: { cursor_field: number, initial_value: "1", lookback_window: 10 }
                """
        ).with {
            $0.reply = { _, _ in numbers([first, "1e400"]) }
            $0.goodReply = { _ in numbers((1...6).map { "\($0)" }) }
            $0.rows = { _ in 0 }
        }
    }

    private static func numbers(_ numbers: [String]) -> LoopbackReply {
        let records = numbers.enumerated().map { #"{"id":\#($0.offset + 1),"number":\#($0.element)}"# }
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":null}"#)
    }
}

extension String {
    fileprivate var bracketed: String { "[\(self)]" }
}
