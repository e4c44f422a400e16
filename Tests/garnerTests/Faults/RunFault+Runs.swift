import TestSupport

extension RunFault {
    /// The server is at odds with itself between two lists of a read, or with what the stream says of it.
    static let runs: [RunFault] = bodies + partitions + children + cursors + entries

    // MARK: Bodies

    private static let bodies: [RunFault] = [
        refusing("refuses json with 415", "json: { query: all }"),
        refusing("refuses a form with 415", "form: { query: all }"),
        refusing("refuses a body with 415", "body: all"),
    ]

    private static func refusing(_ name: String, _ body: String) -> RunFault {
        RunFault(
            name: name, outcome: "status",
            source: "streams: { animals: { path: animals, primary_key: id, \(body) } }"
        ).with { $0.reply = { _, _ in .response(status: 415, body: "") } }
    }

    // MARK: Partitions

    /// Two cities, each with two pages of ten stations.
    private static let partitions: [RunFault] = [
        partition("has other records with the same key in two partitions", "configuration") { request in
            stations(request, from: 1, name: "other station")
        }
        // The table with a key that is none is removed.
        .with { $0.rows = { _ in 0 } },
        partition("has the same records in two partitions", "page") { stations($0, from: 1, name: "station") }
            .with { $0.readRows = 30 },
        partition("has a field with the name of the partition's column", "configuration") { request in
            .json(#"{"data":[{"id":1,"_city":"Rome"}],"next":null}"#)
        },
        partition("refuses one of two partitions with 403", "unauthorized") { _ in .status(403) },
    ]

    private static func partition(
        _ name: String, _ outcome: String, _ reply: @escaping @Sendable (LoopbackRequest) -> LoopbackReply
    ) -> RunFault {
        RunFault(
            name: name, outcome: outcome, stream: "stations",
            source: """
                max_concurrency: 1
                streams:
                  stations:
                    partitions: { city: [berlin, bern] }
                    path: "{partition.city}/stations"
                    primary_key: id
                """
        ).with {
            $0.isFaulty = { request, page in request.target.contains("bern/") && request.page == page }
            $0.reply = { request, _ in reply(request) }
            $0.goodReply = { stations($0, from: $0.target.contains("bern/") ? 100 : 1, name: "station") }
            $0.rows = { 20 + ($0 - 1) * 10 }
            $0.allRows = 40
        }
    }

    private static func stations(_ request: LoopbackRequest, from first: Int, name: String) -> LoopbackReply {
        let start = first + (request.page - 1) * 10
        let records = (start..<start + 10).map { #"{"id":\#($0),"name":"\#(name) \#($0)"}"# }
        let next = request.page == 1 ? #""?page=2""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
    }

    // MARK: Children

    /// Three animals, each with two pages of two feedings.
    private static let children: [RunFault] = [
        child("answers 404 for the children of one parent", "status") { _, _ in .status(404) },
        child("answers 500 for the children of one parent", "status", isRetried: true) { _, _ in .status(500) },
        child("answers 500 once for the children of one parent", "page", isRetried: true) {
            $1 == 0 ? .status(500) : nil
        },
        child("answers HTML for the children of one parent", "media_type") { _, _ in
            .response(headers: [("Content-Type", "text/html")], body: "<title>Log in</title>")
        },
        child("answers broken JSON for the children of one parent", "json") { _, _ in .json(#"{"data":[{"id":"#) },
        child("closes the connection for the children of one parent", "connection_closed", isRetried: true) { _, _ in
            .raw("", then: .close)
        }.with {
            // The server itself is at fault, so that no other parent is tried.
            $0.rows = { 4 + ($0 - 1) * 2 }
        },
    ]

    private static func child(
        _ name: String, _ outcome: String, isRetried: Bool = false,
        _ reply: @escaping @Sendable (LoopbackRequest, _ asked: Int) -> LoopbackReply?
    ) -> RunFault {
        RunFault(
            name: name, outcome: outcome, isRetried: isRetried, stream: "feedings",
            parent: "animals",
            source: """
                max_concurrency: 1
                streams:
                  animals: { path: animals, primary_key: id }
                  feedings:
                    parent: { stream: animals, only: changed }
                    path: "animals/{parent.id}/feedings"
                    include_from_parent: [id]
                    primary_key: [_animals_id, id]
                """
        ).with {
            $0.isFaulty = { request, page in request.target.hasPrefix("/animals/2/") && request.page == page }
            $0.reply = reply
            $0.goodReply = { request in
                request.target == "/animals"
                    ? .json(#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}]"#)
                    : .page(request.page, of: 2)
            }
            $0.rows = { 8 + ($0 - 1) * 2 }
            $0.allRows = 12
        }
    }

    // MARK: Cursors

    private static let cursors: [RunFault] = [
        cursor("writes the first cursors in another format", "incremental", #""31.01.2026""#, on: 1),
        cursor("writes later cursors in another format", "page", #""31.01.2026""#, on: 2),
        cursor("writes the first records without a cursor", "incremental", nil, on: 1),
        cursor("writes later records without a cursor", "page", nil, on: 2),
        cursor("writes null for a cursor on a later page", "page", "null", on: 2),
        cursor("writes a cursor in a million years", "page", "31556889864403199", on: 2),
        cursor("writes a cursor beyond all time", "page", "1e300", on: 2),
    ]

    private static func cursor(_ name: String, _ outcome: String, _ value: String?, on page: Int) -> RunFault {
        RunFault(
            name: name, outcome: outcome, pages: [page], stream: "animals",
            source: """
                streams:
                  animals:
                    path: animals
                    primary_key: id
                    params: { since: "{incremental.start_value}" }
                    incremental: { cursor_field: updated, cursor_datetime_format: epoch, datetime_format: date }
                """
        ).with {
            $0.reply = { request, _ in animals(request, value.map { #","updated":\#($0)"# } ?? "") }
            $0.goodReply = { animals($0, #","updated":1769846700"#) }
        }
    }

    private static func animals(_ request: LoopbackRequest, _ member: String) -> LoopbackReply {
        let records = [1, 2].map { #"{"id":\#((request.page - 1) * 2 + $0)\#(member)}"# }
        let next = request.page < 3 ? #""?page=\#(request.page + 1)""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
    }

    // MARK: Entries

    private static let entries: [RunFault] = [
        RunFault(
            name: "sends the same entry twice", outcome: "page", stream: "prices",
            source: """
                streams:
                  prices:
                    path: prices
                    record_selector: $.data
                    record_shape: { type: entries, key_field: symbol }
                    primary_key: symbol
                """
        ).with {
            $0.reply = { request, _ in prices(request, #","E":7"#) }
            $0.goodReply = { prices($0, "") }
        },
        RunFault(
            name: "names the values of rows on its first page only", outcome: "record_shape", pages: [2, 3],
            stream: "prices",
            source: """
                streams:
                  prices:
                    path: prices
                    record_selector: $.data
                    record_shape: { type: rows, names: first }
                    primary_key: symbol
                """
        ).with {
            $0.reply = { request, _ in rows(request, []) }
            $0.goodReply = { rows($0, [#"["symbol","price"]"#]) }
        },
    ]

    private static func rows(_ request: LoopbackRequest, _ names: [String]) -> LoopbackReply {
        let rows = [1, 2].map { #"["P\#((request.page - 1) * 2 + $0)","1.5"]"# }
        let next = request.page < 3 ? #""?page=\#(request.page + 1)""# : "null"
        return .json(#"{"data":[\#((names + rows).joined(separator: ","))],"next":\#(next)}"#)
    }

    private static func prices(_ request: LoopbackRequest, _ member: String) -> LoopbackReply {
        let start = (request.page - 1) * 2
        let next = request.page < 3 ? #""?page=\#(request.page + 1)""# : "null"
        let other = member.replacing("E", with: "P\(start + 1)")
        return .json(#"{"data":{"P\#(start + 1)":1.5,"P\#(start + 2)":2\#(other)},"next":\#(next)}"#)
    }
}
