import GarnerCatalog

/// The advice that the words of a server lead to which refuses a request.
enum ServerWords {
    /// The words, and what to write then.
    private static let hints: [(words: [String], hint: String)] = [
        (
            ["unix time", "epoch"],
            "write datetime_format: epoch in incremental, or epoch_ms for milliseconds, with cursor_datetime_format: rfc3339 "
                + "beside it if the records have dates in words of ISO 8601; a {now} in params is written \"{now, epoch}\""
        ),
        (
            ["result window", "search_after"],
            "the API goes no further by an offset: set the paginator that it has for long lists, such as cursor, or read in parts, "
                + "with step in incremental"
        ),
        (
            ["query string", "no query"],
            "a query of GraphQL is written json: { query: \"{ … }\" }, with method: POST"
        ),
        (
            ["body is required", "missing body", "body is missing", "missing request body", "empty body"],
            "write json: { name: value } with what the API wants, or form: in place of json: for a form; params stand in the URL"
        ),
        (
            ["ip address", "ip not allowed", "not whitelisted", "allowlist"],
            "ask the people who run the API to let the address of this machine in; nothing in the file changes that"
        ),
        (
            ["over https", "https only", "https is required", "https required", "ssl required", "use https"],
            "write https:// in place of http:// in base_url"
        ),
        (
            ["quota", "rate limit", "too many requests"],
            "what the account may ask for is used up: wait, ask less often, as with schedule: { every: 1d }, or see what its plan has"
        ),
        (
            ["use yyyy-mm-dd", "format yyyy-mm-dd", "be yyyy-mm-dd", "yyyy-mm-dd format"],
            "write datetime_format: date in incremental, with cursor_datetime_format: rfc3339 beside it if the records have times; a "
                + "{now} in params is written \"{now, date}\""
        ),
    ]

    /// Returns what to write; nil if nothing is known.
    static func hint(for words: String, at url: String?) -> String? {
        let plain = words.lowercased()
        return hints.first { $0.words.contains(where: plain.contains) }?.hint ?? hint(onParameterIn: words, at: url)
    }

    /// Returns what to write for a parameter or a header that the words name.
    private static func hint(onParameterIn words: String, at url: String?) -> String? {
        if let header = words.firstMatch(
            of: /\b(?:[Hh]eader:? ['"`]?([A-Za-z]+-[A-Za-z-]+)|([A-Za-z]+-[A-Za-z-]+)['"`]? header)/)
        {
            return "write headers: { \(header.1 ?? header.2 ?? ""): … } in the stream"
        }
        if let most = words.firstMatch(
            of:
                /(?i)\b(limit|per_?page|page_?size|pagesize|count|size|top)\b.{0,40}?(?:less than or equal to|at most|maximum of|maximum is|not exceed|<=|be greater than) ?([0-9]{1,6})/
        ) {
            return "write \(most.2) for \(most.1): in params, or as the size of a page in paginator"
        }
        if words.contains(/(?i)\bpage\b.{0,30}?(?:greater than or equal to|at least|start at|start from|>=) ?1\b/),
            url.flatMap({ WebAddress($0) })?.parameters.contains(where: { $0.value == "0" }) == true
        {
            return "write base_page: 1 in paginator"
        }
        if let choice = words.firstMatch(of: /(?i)['"`]?\b([a-z_][\w.-]*)['"`]? must be one of:? ([\w, '"`-]{1,100})/) {
            return "write one of \(choice.2) for \(choice.1)"
        }
        if let name = words.firstMatch(
            of:
                /(?i)\b(?:unknown|unexpected|unrecognized|unsupported) (?:query )?param(?:eter)?:? ['"`]?([a-z_$][\w.-]*)/
        )?.1 {
            return
                "remove \(name) from params or path; if the paginator sends it, write paginator: { type: single_page }, or the name that "
                + "the API has for it"
        }
        let missing =
            words.firstMatch(
                of:
                    /(?i)\b(?:missing|required)(?: required)?(?: query)? param(?:eter)?s?(?: missing)?:? ['"`]?(?!(?:missing|is|are|was|not)\b)([a-z_][\w.-]*)/
            )?.1
            ?? words.firstMatch(of: /(?i)\b([a-z_][\w.-]*)['"`]? (?:query )?param(?:eter)? is (?:required|missing)/)?.1
        return missing.map { "write params: { \($0): … } in the stream" }
    }
}
