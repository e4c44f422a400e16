import TestSupport

/// GitHub's issues with their comments, and the tickets of Zendesk.
enum Trackers {
    static let jobs = [
        Job(
            name: "issues of GitHub with their comments",
            commands: [
                ["init", "API/repos/acme/app/issues?state=all&per_page=10", "--auth", "bearer"],
                ["add", "API/repos/acme/app/issues/44/comments", "--auth", "bearer"],
            ],
            environment: ["API_TOKEN": "github_pat_11AAAAAAA0123456789"],
            lines: [
                "        parent: issues\n        path: \"issues/{parent.number}/comments\"\n",
                "paginator: { type: header_link, rel: next }\n",
            ],
            table: "comments", rows: (14, 16), requests: 2 + 13, answer: issues),
        Job(
            name: "tickets of Zendesk",
            commands: [
                ["init", "API/api/v2/incremental/tickets/cursor.json?start_time=1332034771", "--auth", "basic"]
            ],
            environment: ["API_USER": "jdoe@example.com/token", "API_PASSWORD": "6wiIBWbGkBMo1mRDMuVwkw1E"],
            lines: [
                "      tickets:   # becomes the table 'tickets'\n", "primary_key: id\n", "next_url_path: $.after_url",
                #"# incremental: { cursor_field: generated_timestamp, cursor_datetime_format: epoch, initial_value: "1332034771" }"#,
            ],
            edits: [
                (#"start_time: "1332034771""#, #"start_time: "{incremental.start_value}""#),
                ("# incremental:", "incremental:"),
            ],
            table: "tickets", rows: (50, 52), requests: 1, answer: tickets),
    ]

    private static let start = 1_760_000_000

    private static func issues(_ request: LoopbackRequest, isChanged: Bool) -> LoopbackReply {
        guard request["authorization"] == "Bearer github_pat_11AAAAAAA0123456789" else { return .status(401) }
        let numbers = Array((36...(isChanged ? 48 : 47)).reversed())
        let parts = request.path.split(separator: "/")
        if parts.count == 6, let issue = Int(parts[4]), numbers.contains(issue) {
            let comments = (0..<issue % 3 + (isChanged && issue == 44 ? 2 : issue == 44 ? 0 : issue == 45 ? 2 : 0)).map
            {
                #"{"id":\#(1_900_000_000 + issue * 100 + $0),"body":"comment \#($0)","updated_at":"\#(Shops.text(of: start))"}"#
            }
            return .json(comments.array)
        }
        guard parts.count == 4 else { return .status(404) }
        let (page, size) = (request.number(of: "page") ?? 1, request.number(of: "per_page") ?? 30)
        let part = numbers.dropFirst(max(0, page - 1) * size).prefix(size).map {
            #"{"id":\#(2_300_000_000 + $0 * 7919),"number":\#($0),"title":"Issue \#($0)","updated_at":"\#(Shops.text(of: start + $0))"}"#
        }
        let next = "<\(request.path)?state=all&per_page=\(size)&page=\(page + 1)>; rel=\"next\""
        return .json(part.array, headers: page * size < numbers.count ? [("Link", next)] : [])
    }

    private static func tickets(_ request: LoopbackRequest, isChanged: Bool) -> LoopbackReply {
        guard request["authorization"]?.hasPrefix("Basic ") == true else { return .status(401) }
        guard let from = request.number(of: "cursor") ?? request.number(of: "start_time") else { return .status(400) }
        var all = (1...50).map { (id: $0, at: start + $0 * 60) }
        if isChanged {
            all[8].at = start + 4000
            all += [51, 52].map { (id: $0, at: start + 4000 + $0) }
        }
        let found = all.sorted { $0.at < $1.at }.filter { $0.at > from }
        let page = found.prefix(20)
        let tickets = page.map {
            #"{"url":"https://acme.example/tickets/\#($0.id).json","id":\#($0.id),"updated_at":"\#(Shops.text(of: start))","generated_timestamp":\#($0.at),"status":"open"}"#
        }
        let cursor = page.last?.at ?? from
        return .json(
            #"{"tickets":\#(tickets.array),"after_url":"http://\#(request["host"] ?? "")\#(request.path)?cursor=\#(cursor)","after_cursor":"\#(cursor)","end_of_stream":\#(found.count <= 20)}"#
        )
    }
}
