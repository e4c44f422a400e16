import GarnerCatalog
import GarnerModel
import Testing

struct ValueTests {
    @Test(arguments: [
        ("schedule: { every: 30 }", "'schedule.every' has no unit: '30'", "30s, 30m or 30h"),
        ("schedule: { every: 999ms }", "'schedule.every' is too short: '999ms'", "at least 1s"),
        ("schedule: { every: 1m, jitter: 2m }", "'schedule.jitter' is longer than 'schedule.every'", "at most 1m"),
        ("schedule: { jitter: 2m }", "'schedule.every' is missing", "every: 15m"),
        ("schedule: 15m", "'schedule' must be a mapping, not text", "every: 15m"),
        ("schedule: { every: -5m }", "'schedule.every' is negative: '-5m'", "30s"),
        ("schedule: { every: P1M }", "'schedule.every' cannot count in years or months: 'P1M'", "P30D"),
        ("schedule: { every: 99999999999d }", "'schedule.every' is out of range: '99999999999d'", "290 years"),
        ("schedule: { every: often }", "'schedule.every' must be a duration, not 'often'", "15m"),
        ("schedule: { every: daily }", "'schedule.every' must be a duration, not 'daily'", "write 1d"),
        ("schedule: { every: 2 Weeks }", "'schedule.every' must be a duration, not '2 Weeks'", "write 14d"),
        ("schedule: { every: 5 min }", "'schedule.every' must be a duration, not '5 min'", "write 5m"),
        ("limits: { total: 1 month }", "'limits.total' must be a duration, not '1 month'", "write 30d"),
        ("limits: { total: an hour }", "'limits.total' must be a duration, not 'an hour'", "write 1h"),
        ("schedule: { every: [] }", "'schedule.every' must be text, not a list", "15m"),
        ("limits: { body: 64M }", "'limits.body' has an unknown unit, 'M'", "64MiB"),
        ("limits: { body: 0 }", "'limits.body' is too small: '0'", "64MiB"),
        ("limits: { head: -1 }", "'limits.head' is negative: '-1'", "64MiB"),
        ("limits: { idle: 0s }", "'limits.idle' is too short: '0s'", "at least 1ms"),
        ("retry: { max_attempts: 0 }", "'retry.max_attempts' is out of range: '0'", "from 1"),
        ("retry: { max_attempts: -3 }", "'retry.max_attempts' is out of range: '-3'", "from 1"),
        (
            "retry: { max_attempts: 99999999999999999999 }",
            "'retry.max_attempts' is out of range: '99999999999999999999'", "1"
        ),
        ("retry: { max_attempts: 1.5 }", "'retry.max_attempts' must be a whole number, not '1.5'", "without quotes"),
        ("retry: { max_attempts: \"5\" }", "'retry.max_attempts' must be a whole number, not '5'", "without quotes"),
        (
            "retry: { respect_retry_after: yes }", "'retry.respect_retry_after' must be true or false, not 'yes'",
            "true or false"
        ),
        ("flatten_depth: 17", "'flatten_depth' is out of range: '17'", "from 0 to 16"),
        ("max_delete_ratio: 1.01", "'max_delete_ratio' is out of range: '1.01'", "from 0.0 to 1.0"),
        ("max_delete_ratio: -0.1", "'max_delete_ratio' is out of range: '-0.1'", "from 0.0 to 1.0"),
        ("max_delete_ratio: .nan", "'max_delete_ratio' must be a number, not '.nan'", "from 0.0"),
        ("max_delete_ratio: nan", "'max_delete_ratio' must be a number, not 'nan'", "from 0.0"),
        ("max_delete_ratio: inf", "'max_delete_ratio' must be a number, not 'inf'", "from 0.0"),
        ("max_delete_ratio:", "'max_delete_ratio' must be a number, not empty", "from 0.0"),
        ("delete_missing: sotf", "'delete_missing' cannot be 'sotf'", "did you mean 'soft'?"),
        ("write_disposition: zzz", "'write_disposition' cannot be 'zzz'", "write merge, append or replace"),
        ("write_disposition: upsert", "'write_disposition' cannot be 'upsert'", "did you mean 'merge'?"),
        (
            "record_selector: data",
            "'record_selector' is not a valid JSONPath: data: a selector begins with '$', as in $.data[*] (byte 0)",
            "$.data"
        ),
        ("primary_key: []", "'primary_key' names no field", "id"),
        ("primary_key: [id, id]", "'primary_key' names a field twice", "keep one"),
        ("primary_key: [id, [x]]", "'primary_key[1]' must be text, not a list", "text"),
        ("path: //example.com/x", "'path' names a host of its own", "base_url"),
        ("path: https://example.com/x", "'path' names a host of its own", "base_url"),
        ("path: /a b", "'path' holds a space or another character that no URL has", "%20"),
        ("path: \\a\\b", "'path' holds '\\' in place of '/'", "write path: \"/a/b\""),
        ("path: a\\/b?c=d", "'path' holds '\\' in place of '/'", "write / in place of each \\"),
        (
            "path: /a // all",
            "'path' holds a space or another character that no URL has; the '//' in 'path' begins no comment, and is a part of the text",
            "a comment begins with '#': write # in place of //"
        ),
        (
            "paginator: { type: offset, limit: 100 /* each */ }",
            "'paginator.limit' must be a whole number, not '100 /* each */'; the '/*' in 'paginator.limit' begins no comment, "
                + "and is a part of the text", "write # in place of /*"
        ),
        ("path: GET /a", "'path' begins with a method", "write path: \"/a\""),
        ("path: POST /a/b", "'path' begins with a method", "write path: \"/a/b\", and method: POST in the stream"),
        ("path: DELETE a", "'path' begins with a method", "write path: \"a\"; Garner sends GET, POST and PUT alone"),
        ("path: >\n  /a\nprimary_key: id", "'path' ends with a line break", "in the line of its key, without > or |"),
        ("path: \"/a \"", "'path' begins or ends with a space", "remove it"),
        ("path: /a#b", "'path' holds a fragment ('#…')", "remove it"),
        ("path: \"/a#\u{301}\"", "'path' holds a fragment ('#…')", "remove it"),
        ("table: \"\"", "'table' is empty", "name"),
        ("paginator: auto", "'paginator' must be a mapping, not text", "type: auto"),
        ("paginator:", "'paginator' must be a mapping, not empty", "type: auto"),
        ("paginator: { type: pages }", "'paginator.type' cannot be 'pages'", "page_number"),
        ("paginator: { type: json_link }", "'paginator.next_url_path' is missing", "$.next"),
        (
            "paginator: { type: json_link, next_url_path: next }",
            "'paginator.next_url_path' is not a valid JSONPath: next: a selector begins with '$', as in $.data[*] (byte 0)",
            "$.next"
        ),
        ("paginator: { type: cursor }", "'paginator.cursor_path' is missing", "next_cursor"),
        ("paginator: { type: offset, limit: 0 }", "'paginator.limit' is out of range: '0'", "from 1"),
        (
            "paginator: { type: offset, total_path: x }",
            "'paginator.total_path' is not a valid JSONPath: x: a selector begins with '$', as in $.data[*] (byte 0)",
            "$.x"
        ),
        ("paginator: { type: page_number, base_page: -1 }", "'paginator.base_page' is out of range: '-1'", "from 0"),
        (
            "paginator: { type: page_number, page_size_param: n }", "'paginator.page_size_param' has no size to send",
            "page_size"
        ),
        ("paginator: { type: auto, max_pages: 0 }", "'paginator.max_pages' is out of range: '0'", "at least 1"),
        ("allow_private_network: 1", "'allow_private_network' must be true or false, not '1'", "true or false"),
        ("headers: [a]", "'headers' must be a mapping, not a list", "key: value"),
    ])
    func `a wrong value says what is right`(lines: String, message: String, hint: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
        #expect(issues.first?.place.line == 7)
        #expect((issues.first?.place.column ?? 0) >= 9)
    }

    @Test func `a stream takes all that is written`() throws {
        let stream = try Fixture.stream(
            """
            path: animals?limit=100
            params: { per_page: 100, live: true }
            record_selector: $.data[*]
            primary_key: [zoo, id]
            write_disposition: append
            delete_missing: soft
            max_delete_ratio: 0.25
            flatten_depth: 2
            schedule: { every: 1h30m, jitter: PT30S }
            retry: { max_attempts: 3, base_delay: 1s, max_delay: 1m, respect_retry_after: false }
            limits: { body: 1MiB, head: 8KiB, connect: 1s, first_byte: 2s, idle: 3s, total: 4s }
            allow_private_network: true
            table: beasts
            sync_mode: full_refresh
            keep_runs: 7
            """)
        #expect(stream.name == StreamName(source: "zoo", stream: "animals"))
        #expect(stream.place.description == "folder/garner.yaml:6:7")
        #expect(stream.request.path == "animals?limit=100")
        #expect(stream.request.params.map(\.name) == ["per_page", "live"])
        #expect(stream.request.params.map(\.value) == [.literal("100"), .literal("true")])
        #expect(stream.recordSelector == "$.data[*]")
        #expect(stream.primaryKey == ["zoo", "id"])
        #expect(stream.writeDisposition == .append)
        #expect(stream.deleteMissing == .soft)
        #expect(stream.maxDeleteRatio == 0.25)
        #expect(stream.flattenDepth == 2)
        #expect(stream.schedule == Schedule(every: .seconds(5400), jitter: .seconds(30)))
        #expect(
            stream.retry
                == RetryPolicy(
                    maxAttempts: 3, baseDelay: .seconds(1), maxDelay: .seconds(60), respectsRetryAfter: false))
        #expect(
            stream.limits
                == Limits(
                    body: 1 << 20, head: 8 << 10, connect: .seconds(1), firstByte: .seconds(2), idle: .seconds(3),
                    total: .seconds(4)))
        #expect(stream.allowsPrivateNetwork == true)
        #expect(stream.table == "beasts")
        #expect(stream.keepRuns == 7)
    }

    @Test func `a stream without a word has the documented defaults`() throws {
        let stream = try Fixture.stream("")
        #expect(stream.request.path == "" && stream.request.params.isEmpty && stream.request.headers.isEmpty)
        #expect(stream.request.authentication == .none)
        #expect(stream.paginator == Paginator())
        #expect(stream.recordSelector == nil && stream.primaryKey == nil && stream.writeDisposition == nil)
        #expect(stream.deleteMissing == .ignore && stream.maxDeleteRatio == nil && stream.flattenDepth == 1)
        #expect(stream.schedule == nil)
        #expect(stream.retry == RetryPolicy() && stream.limits == Limits())
        #expect(stream.allowsPrivateNetwork == nil)
        #expect(stream.table == "animals")
        #expect(stream.keepRuns == 1000)
    }

    @Test(arguments: [
        ("garner.db", "folder/garner.db"), ("../x.db", "folder/../x.db"), ("/var/x.db", "/var/x.db"),
    ])
    func `the database is relative to the file`(written: String, expected: String) throws {
        #expect(try Fixture.parse("version: 1\ndatabase: \(written)").database == expected)
    }

    @Test func `a device as the database is refused by name`() throws {
        for device in ["/dev/null", "/dev/stdout"] {
            let issues = Fixture.issues("version: 1\ndatabase: \(device)")
            #expect(
                issues.map(\.message) == ["'database' is a device, and no file; 'garner sync --dry-run' stores nothing"]
            )
            #expect(issues.map(\.hint) == ["write database: garner.db"])
        }
        #expect(try Fixture.parse("version: 1\ndatabase: /dev/shm/x.db").database == "/dev/shm/x.db")
    }

    @Test(arguments: ["':memory:'", "'file:x?mode=memory'", "~/x.db", "\"a\\0b\"", "''"])
    func `a database that is no file is refused`(written: String) {
        #expect(Fixture.issues("version: 1\ndatabase: \(written)").map(\.place.line) == [2])
    }

    /// The line of the advice is taken.
    @Test(arguments: [
        ("~/data/x.db", "must be the path of a file", "${HOME}/data/x.db"),
        ("$HOME/x.db", "holds $HOME, which only a shell fills in", "${HOME}/x.db"),
        ("/srv/$HOME/x.db", "holds $HOME, which only a shell fills in", "/srv/${HOME}/x.db"),
        ("C:\\data\\x.db", "is a path of Windows", "/mnt/c/data/x.db, where WSL has that drive"),
        ("c:/x.db", "is a path of Windows", "/mnt/c/x.db, where WSL has that drive"),
        ("data\\x.db", "has '\\' between folders", "data/x.db"),
    ])
    func `a database's path for a shell or Windows is refused with the one that is meant`(
        written: String, problem: String, meant: String
    ) throws {
        let issue = try #require(Fixture.issues("version: 1\ndatabase: \(written)\nsources: {}\n").first)
        #expect(issue.message == "'database' \(problem)")
        #expect(issue.hint == "write database: \(meant)")
        let line = meant.split(separator: ",").first ?? ""
        let home = ["HOME": "/home/me"]
        #expect(try Fixture.parse("version: 1\ndatabase: \(line)\nsources: {}\n", environment: home).database != "")
    }
}
