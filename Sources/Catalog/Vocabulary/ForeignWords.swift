import GarnerYAML

/// Words that other programs have for the keys and values of the configuration, by their letters in lower case.
enum ForeignWords {
    /// Returns the one of `candidates` that another program calls so; nil if there is none.
    static func meaning(of word: String, among candidates: some Sequence<String>) -> String? {
        let letters = word.lowercased().filter { $0.isLetter || $0.isNumber }
        guard let meanings = table[letters] else { return nil }
        return candidates.first(where: meanings.contains)
    }

    /// Returns the placeholder, without its braces, that another program calls so; nil if there is none.
    static func placeholder(like name: String) -> String? {
        placeholders[name.lowercased().filter { $0.isLetter || $0.isNumber }]
    }

    private static let placeholders = hints([
        ("currentdate currentday date ds executiondate nowdate rundate today todaysdate", "now, date"),
        ("yesterday ydate", "now - 1d, date"), ("tomorrow", "now + 1d, date"),
        ("lastweek weekago", "now - 7d, date"), ("lastmonth monthago", "now - 30d, date"),
        ("currentdatetime currenttime datetime nowutc time utcnow", "now"),
        ("currenttimestamp epoch epochtime timestamp ts unix unixtime unixtimestamp", "now, epoch"),
        (
            "begin bookmark from fromdate incremental incrementalstart lastcursor lastrun lastsync lastupdated lastvalue modifiedsince "
                + "since start startdate startdatetime starttime startvalue updatedafter updatedsince",
            "incremental.start_value"
        ),
        ("end enddate enddatetime endtime endvalue incrementalend to todate until untildate", "incremental.end_value"),
        ("after continuation nextcursor nextpage nextpagetoken nexttoken pagetoken", "page.cursor"),
        ("page pageindex pagenum pagenumber pageno", "page.number"), ("skip startat startindex", "page.offset"),
    ])

    private static let table: [String: Set<String>] = {
        let words: [(String, [String])] = [
            // Keys of dlt, Airbyte, Meltano, Singer and curl.
            ("endpoint route resource", ["path"]), ("url", ["path", "post"]),
            ("resources", ["streams"]), ("services", ["sources"]),
            ("limit perpage pagesize", ["page_size", "limit", "params"]),
            ("apiurl host root url urlbase", ["base_url"]),
            (
                "datapath dataselector extractor fieldpath itemspath jsonpath recordpath recordspath",
                ["record_selector"]
            ),
            (
                "bookmark cursor cursorpath incrementalkey replicationkey statekey updatedfield",
                ["cursor_field", "incremental"]
            ),
            ("query queryparams queryparameters querystring parameters requestparameters", ["params"]),
            ("httpheaders requestheaders", ["headers"]),
            ("authentication authenticator authorization credentials", ["auth"]),
            ("paginate pagination pager", ["paginator"]), ("cron every frequency interval", ["schedule"]),
            ("id key keyproperties keys uniquekey", ["primary_key"]),
            ("columns mapping mappings transform", ["fields"]),
            ("filter where", ["record_filter"]), ("timeout timeouts", ["limits", "total"]),
            ("readtimeout", ["limits", "idle"]), ("connecttimeout", ["limits", "connect"]), ("period", ["per"]),
            ("retries", ["retry", "max_attempts"]), ("count maxretries tries", ["max_attempts"]),
            ("backoff delay", ["base_delay"]),
            ("param parameter", ["page_param", "offset_param", "cursor_param"]),
            ("firstpage initialpage pageoffset pagestart startfrompage startpage zerobased", ["base_page"]),
            ("filename filepath path", ["file"]), ("column image urlfield", ["field"]),
            ("since start startdate startvalue", ["initial_value"]),
            ("data payload requestbody", ["json"]), ("destination output db", ["database"]),
            ("postgres postgresql publication warehouse", ["publish"]),
            ("alert alerts notification notifications notify webhook webhooks", ["hooks", "post"]),
            ("onerror onfail", ["hooks", "on_failure"]), ("callback http slack teams discord", ["post"]),
            ("cmd command exec program script shell", ["run"]), ("healthcheck healthchecks heartbeat", ["ping"]),
            // Keys of 'auth'.
            (
                "accesstoken apikey apitoken authtoken bearer bearertoken jwt key secret token value",
                ["token", "value"]
            ),
            ("header headername keyname paramname parameter", ["name"]), ("location place sendin", ["in"]),
            ("accesstokenurl accesstokenuri authurl endpoint tokenendpoint tokenuri uri url", ["token_url"]),
            ("appid applicationid clientkey consumerkey key", ["client_id"]),
            ("apisecret appsecret clientpassword consumersecret secret", ["client_secret"]),
            ("flow grant", ["grant_type"]), ("scope permissions", ["scopes"]), ("refresh", ["refresh_token"]),
            ("email login user", ["username"]), ("apikey key pass passwd passphrase secret token", ["password"]),
            // Values.
            ("token jwt bearertoken", ["bearer"]), ("basic password", ["http_basic"]),
            ("header query key", ["api_key"]),
            ("oauth clientcredentials", ["oauth2"]), ("nextlink nexturl link url", ["json_link"]),
            ("linkheader", ["header_link"]), ("page pageincrement pages", ["page_number"]),
            ("offsetincrement skip", ["offset"]), ("nexttoken pagetoken token", ["cursor"]), ("none", ["single_page"]),
            ("overwrite truncate full", ["replace"]), ("upsert update dedup", ["merge"]), ("insert", ["append"]),
            ("strict fail raise", ["freeze"]), ("jsonl jsonlines ndjson", ["json_lines"]),
            ("new updated modified", ["changed"]), ("encoding", ["charset"]),
            ("dateformat format timeformat", ["cursor_datetime_format"]),
            // Types of columns in other databases.
            ("string varchar char timestamp timestamptz datetime date time uuid", ["text"]),
            ("int bigint smallint long", ["integer"]), ("float double", ["real"]), ("decimal money", ["numeric"]),
        ]
        var table: [String: Set<String>] = [:]
        for (names, meanings) in words {
            for name in names.split(separator: " ") { table[String(name), default: []].formUnion(meanings) }
        }
        return table
    }()

    /// What to write in the place of keys that other programs have in a file, a source or a stream, and that no key here stands for.
    static let advice: [String: String] = {
        let meltano = "this is a key of Meltano; 'garner init URL --config api.yaml' writes a file of Garner"
        let certificates =
            "certificates are always checked; write ca: FILE in the source, with a PEM file of the certificates to trust"
        let words: [(String, String)] = [
            ("on", "write schedule: { cron: \"0 6 * * *\" } in a stream"),
            (
                "env environment",
                "remove it: export NAME=… where garner runs, and write \"${NAME}\" where the value stands"
            ),
            ("default_environment environments plugins", meltano),
            (
                "replication_method",
                "remove it for reads of all records; for those of new ones alone write incremental: { cursor_field: updated_at }"
            ),
            (
                "insecure insecure_skip_verify skip_verify ssl ssl_config ssl_verify tls tls_config tls_verify validate_certs verify verify_ssl verify_tls",
                certificates
            ),
            (
                "requester retriever",
                "write path, params and headers of it in the stream itself, and url_base as base_url in the source; "
                    + "'garner init --from manifest.yaml' does so with a manifest of Airbyte"
            ),
            (
                "debug log_format log_level logging loglevel verbose",
                "remove it: 'garner serve --verbose' logs each request, and --log-format json writes JSON"
            ),
            (
                "dotenv env_file envfile",
                "remove it: a shell reads such a file with 'set -a; . ./.env; set +a' before garner, and a secret alone is written "
                    + "{ file: path }"
            ),
            ("user_agent useragent", "write headers: { User-Agent: \"NAME/1.0\" }"),
            (
                "start_date start_datetime start_time",
                "write incremental: { cursor_field: updated_at, initial_value: \"2024-01-01\" } in the stream, and "
                    + "\"{incremental.start_value}\" where its requests say from when on"
            ),
            (
                "no_proxy noproxy",
                "write proxy: none in the source, or export no_proxy=HOST where garner runs for some of its hosts"
            ),
        ]
        return ForeignWords.hints(words)
    }()

    /// Returns what to write in the place of keys whose lines depend on the others of their mapping, or on their value.
    static func lines(in mapping: YAMLMapping) -> [String: String] {
        var lines = hints([
            ("timeout timeout_seconds request_timeout", "write limits: { total: «30s» }")
        ])
        let paginator = mapping["paginator"]?.node.mapping
        let type = paginator?.first { $0.key.scalar?.string == "type" }?.value.scalar?.string
        for name in ["limit", "page_size", "pageSize", "per_page", "perPage", "pagesize", "perpage"] {
            let size = "write params: { \(name): «100» }"
            lines[name] =
                switch type {
                case "offset": "write limit: «100», limit_param: \(name) in 'paginator'"
                case "page_number": "write page_size: «100», page_size_param: \(name) in 'paginator'"
                case nil where mapping["paginator"] == nil && name == "limit":
                    "\(size), or paginator: { type: offset, limit: «100» } if the API skips records"
                case nil where mapping["paginator"] == nil:
                    "\(size), or paginator: { type: page_number, page_size: «100», page_size_param: \(name) } if its pages "
                        + "are numbered"
                default: size
                }
        }
        // Other programs have the place of the time of a change there.
        if let path = mapping["cursor_path"]?.plainOrQuotedText?.lowercased(),
            path.hasPrefix("$") || ["cursor", "next", "token"].contains(where: path.contains)
        {
            lines["cursor_path"] = "write paginator: { type: cursor, cursor_path: «$.next_cursor» }"
        }
        let graphQL = ["query", "graphql"].first { name in
            mapping[name]?.plainOrQuotedText?.prefixMatch(of: /\s*(?:\{|query\b|mutation\b|subscription\b)/) != nil
        }
        if let graphQL {
            lines[graphQL] = "write json: { query: «\"{ items { id } }\"» }, which is sent with method: POST"
            lines["variables"] = "write it below 'json', beside 'query'"
        }
        return lines
    }

    /// Returns a table with each of the words before a hint.
    static func hints(_ hints: [(String, String)]) -> [String: String] {
        Dictionary(hints.flatMap { words, hint in words.split(separator: " ").map { (String($0), hint) } }) { $1 }
    }
}
