import TestSupport
import Testing

/// Words of other programs and other databases, and what comes of following the advice on them.
@Suite(.timeLimit(.minutes(5)))
struct OtherWordTests {
    static func withAnimals(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let page = #"[{"id":1,"name":"Kea","number":3,"created":"2026-01-31T08:00:00Z","owner":{"id":7}}]"#
        try await LoopbackServer.serve({ _ in .json(page) }) { server in
            let place = try Workplace(api: server.url)
            try await place.store(page)
            try await body(place)
        }
    }

    /// What is typed in a shell, and the line of the advice.
    @Test(arguments: [
        ("garner animals sync", "garner sync animals"), ("garner ls", "garner tables"),
        ("garner list streams", "garner status"), ("garner show runs", "garner runs"),
        ("garner show animals", "garner rows animals"), ("garner describe animals", "garner schema animals"),
        ("garner logs", "garner runs"), ("garner runs 1", "garner runs show 1"),
        ("garner runs animals", "garner status animals"), ("garner version", "garner --version"),
        ("garner reset animals", "garner state reset animals"), ("garner resync", "garner sync --full-refresh"),
        ("garner state clear animals", "garner state reset animals"),
        ("garner state animals", "garner state show animals"), ("garner errors", "garner quarantine list"),
        ("garner config validate", "garner check"), ("garner migrate status", "garner migrate --status"),
        ("garner tables animals", "garner schema animals"),
        ("garner rows animals name id", "garner rows animals --columns name,id"),
        ("garner export animals x.csv", "garner export animals -o x.csv"),
        ("garner rows animals 5", "garner rows animals --limit 5"),
        (
            "garner export animals animals",
            "garner export animals -o animals.csv && garner export animals -o animals.csv"
        ),
        ("garner export animals csv", "garner export animals --format csv"),
        ("garner export animals --sql 'SELECT id FROM animals'", "garner export --sql 'SELECT id FROM animals'"),
        ("garner export --sql 'SELECT 1' animals -o x.csv", "garner export --sql 'SELECT 1' -o x.csv"),
        ("garner sync --stream animals", "garner sync animals"),
        ("garner sync --streams=animals", "garner sync animals"),
        ("garner sync --source zoo", "garner sync 'zoo.*'"), ("garner rows --table animals", "garner rows animals"),
        ("garner select name from animals", "garner query 'select name from animals'"),
        ("garner select * from animals", "garner query 'select * from animals'"),
        ("garner query select * from animals", "garner query 'select * from animals'"),
        ("garner query 'show tables'", "garner tables"), ("garner query .tables", "garner tables"),
        ("garner query animals", "garner rows animals"), ("garner query 'animals limit 1'", "garner rows animals"),
        ("garner query '\\dt'", "garner tables"), ("garner query 'describe animals;'", "garner schema animals"),
        ("garner query '\\d+ animals'", "garner schema animals"), ("garner query .schema", "garner schema"),
        ("garner trigger", "garner trigger '*'"), ("garner pause --all", "garner pause '*'"),
        ("garner prune 30d", "garner prune --runs-older-than 30d"),
        ("garner prune --days 30", "garner prune --runs-older-than 30d"),
        ("garner prune --retention=2h", "garner prune --runs-older-than 2h"),
        (
            "garner query \"ATTACH DATABASE 'garner.db' AS x\"",
            "garner query -d garner.db 'SELECT name FROM sqlite_schema'"
        ),
        ("garner preview", "garner preview zoo.animals"),
        ("garner query VACUUM", "garner prune --vacuum"),
        ("garner query 'PRAGMA journal_mode = delete'", "sqlite3 -readonly garner.db 'PRAGMA journal_mode'"),
        (
            "garner query garner.db 'SELECT id FROM animals'",
            "garner query -d garner.db 'SELECT id FROM animals'"
        ),
        ("garner query garner.db", "garner query -d garner.db 'SELECT name FROM sqlite_schema'"),
        ("garner changes animals 1", "garner changes animals"),
        ("garner get animals --id 1", "garner get animals 1"),
        ("garner get animals/1", "garner get animals 1"), ("garner status --failed", "garner runs --status failed"),
        ("garner quarantine retry all", "garner quarantine retry --all"),
        ("garner query", "garner query 'SELECT name FROM sqlite_schema'"),
        ("garner runs show last", "garner runs --limit 1"),
        ("garner serve --once", "garner sync"), ("garner backup --to x.db", "garner backup x.db"),
        ("garner state reset", "garner state reset zoo.animals"), ("garner runs show", "garner runs --limit 1"),
        ("garner schema --ddl", "garner query \"SELECT sql FROM sqlite_schema WHERE name = 'TABLE'\""),
        ("garner browse animals", "garner rows animals"), ("garner preview animals --pages 2", "garner sync --dry-run"),
        ("garner --status", "garner status"), ("garner rows animals where id=1", "garner rows animals --where id=1"),
        ("garner rows animals where 'id > 0'", "garner rows animals --where 'id > 0'"),
        ("garner completions", "garner completions bash"),
        ("garner query select * from animals where id > 0", "garner query 'select * from animals where id > 0'"),
        ("garner schedule --cron 30 2 * * *", "garner schedule --cron '30 2 * * *'"),
        ("garner schedule --cron 30 2 1 1 1 --next 2", "garner schedule --cron '30 2 1 1 1' --next 2"),
        ("garner resume", "garner resume '*'"), ("garner query -c 'SELECT 1'", "garner query 'SELECT 1'"),
    ])
    func `a word of another program leads to a line that works`(typed: String, line: String) async throws {
        try await Self.withAnimals { place in
            let told = try await place.shell(typed)
            #expect(told.code == 64 && told.errors.split(separator: "\n").last?.contains(line) == true, "\(told)")
            let pasted = try await place.shell(line)
            #expect(pasted.code == 0, "\(pasted)")
        }
    }

    @Test func `a file of records is to come from a server`() async throws {
        let place = try Workplace()
        try place.write(#"[{"id":1}]"#, to: "my data.json")
        for command in [["import"], ["init", "--from"]] {
            let told = try await place.start(command + ["my data.json"]).end()
            #expect(
                told.errors.contains("python3 -m http.server 8000 --bind 127.0.0.1, and in another terminal: "),
                "\(told)")
            #expect(told.errors.hasSuffix("garner init http://127.0.0.1:8000/my%20data.json\n"), "\(told)")
        }
        try place.write(#"{"info":{"name":"x"},"item":[]}"#, to: "pets.json")
        for command in [["init", "--from"], ["init", "--openapi"]] {
            let told = try await place.start(command + ["pets.json"]).end()
            #expect(told.code == 65 && told.errors.contains("is a collection of Postman, and "), "\(told)")
            #expect(told.errors.contains("Try: 'garner init URL' writes a file from an API"), "\(told)")
        }
        #expect(try await place.garner("import", "pets.json").errors.hasSuffix("Try: garner init --from pets.json\n"))
    }

    /// The command, the option, ours and its value.
    @Test(arguments: [
        ("rows animals", "--sort", "--order", "id"), ("rows animals", "--head", "--limit", "1"),
        ("rows animals", "--since", "--changed-since", "1h"), ("rows animals", "--csv", "--format csv", ""),
        ("export animals", "--file", "--output", "x.csv"), ("export animals", "--gzip", "--compress gzip", ""),
        ("export", "--query", "--sql", "'SELECT 1'"), ("sync", "--db", "--database", "garner.db"),
        ("sync", "--dry", "--dry-run", ""), ("sync", "--limit", "--max-pages", "1"),
        ("sync", "--silent", "--quiet", ""), ("runs", "--failed", "--status failed", ""),
        ("runs", "--last", "--limit", "1"), ("status", "--json-lines", "--format ndjson", ""),
        ("changes", "--run", "--since", "1"),
        ("tables", "--csv", "--format csv", ""), ("schema", "--md", "--format markdown", ""),
        ("prune", "--older", "--runs-older-than", "7d"),
    ])
    func `an option of another program leads to ours`(command: String, option: String, ours: String, value: String)
        async throws
    {
        try await Self.withAnimals { place in
            let told = try await place.shell("garner \(command) \(option) \(value)")
            #expect(told.code == 64 && told.errors.contains("Try: did you mean '\(ours)'?\n"), "\(told)")
            let pasted = try await place.shell("garner \(command) \(ours) \(value)")
            #expect(pasted.code == 0, "\(pasted)")
        }
    }

    /// What is typed, what is wrong, and the advice, with which the command works.
    @Test(arguments: [
        ("rows animals --limit -1", "of --limit begins with '-'", "--limit 0", "rows animals --limit 0"),
        (
            "rows animals --order -id", "of --order begins with '-'", "--order 'id DESC'",
            "rows animals --order 'id DESC'"
        ),
        ("query sel.sql", "syntax error", "garner query - < sel.sql", "query - < sel.sql"),
        ("query -f sel.sql", "is invalid for '-f", "garner query - < sel.sql", "query - < sel.sql"),
        (
            "rows animals --limit ten", "is invalid for '--limit", "write a number, as in --limit 10",
            "rows animals --limit 10"
        ),
        ("rows animals --limit all", "is invalid for '--limit", "--limit 0", "rows animals --limit 0"),
        ("runs --limit all", "is invalid for '--limit", "write a number, as in --limit 1000", "runs --limit 1000"),
        ("sync --max-pages=all", "is invalid for '--max-pages", "leave --max-pages out", "sync"),
        ("rows animals -f JSON", "is invalid for '-f", "did you mean 'json'?", "rows animals -f json"),
        ("rows animals --format pretty", "is invalid for '--format", "did you mean 'table'?", "rows animals -f table"),
        ("sync --dry-run=true", "does not take any value", "write --dry-run alone", "sync --dry-run"),
        (
            "check 'animals animals'", "no stream is called",
            "write each name as a word of its own, without quotes around all: animals animals",
            "check animals animals"
        ),
        (
            "query 'SELECT 1' --limit 5", "Unknown option '--limit'", "write it into the SQL, at its end: LIMIT 5",
            "query 'SELECT 1 LIMIT 5'"
        ),
        (
            "config set database x.db", "unexpected arguments", "edit the file that 'garner config path' names",
            "config path"
        ),
        (
            "get animals 1 --attachment photo -o x.png", "is stored",
            "this record has none; write attachments: [ { field: photo } ]",
            "get animals 1"
        ),
        ("check *", "no stream is called", "a shell puts the names of files into the place of *", "check"),
        (
            "rows animals --columns id name --limit 1", "nexpected argument 'name'",
            "garner rows animals --columns id,name --limit 1", "rows animals --columns id,name --limit 1"
        ),
        (
            "export animals --columns id, name", "nexpected argument 'name'",
            "garner export animals --columns id,name", "export animals --columns id,name"
        ),
        ("get animals id=1", "no record whose id is id=1", "give the value alone: 1", "get animals 1"),
        ("sync garner.yaml", "no stream is called", "name the file with --config", "sync --config garner.yaml"),
        (
            "check animals,animals", "no stream is called 'animals,animals'",
            "write spaces in place of commas: animals animals", "check animals animals"
        ),
        (
            "query \"SELECT id FROM animals WHERE name = \"", "incomplete input",
            "write the value; if $name stood there",
            "query 'SELECT id FROM animals WHERE name = :name' -p name=Kea"
        ),
        ("check all", "no stream is called 'all'", "did you mean '*'?", "check '*'"),
        ("pause all", "no stream is called 'all'", "did you mean '*'?", "pause '*'"),
    ])
    func `a value that the shell or the command takes for something else is told with one that works`(
        typed: String, cause: String, advice: String, followed: String
    ) async throws {
        try await Self.withAnimals { place in
            try place.write("SELECT id FROM animals", to: "sel.sql")
            let told = try await place.shell("garner \(typed)")
            #expect(told.code == 64 && told.errors.contains(cause), "\(told)")
            #expect(told.errors.contains("Try: \(advice)"), "\(told)")
            let pasted = try await place.shell("garner \(followed)")
            #expect(pasted.code == 0, "\(pasted)")
        }
    }

    @Test(arguments: [
        ("garner pause animals --for 2h", "garner resume STREAM"), ("garner doctor --fix", "doctor changes nothing"),
        ("garner add https://a.example/ --file x.yaml", "did you mean '--config'?"),
        ("garner sync --catalog c.json", "garner.yaml names the streams"),
        ("garner sync --retries 3", "retry: { max_attempts: 5 }"),
        ("garner sync --timeout 5", "limits: { total: 60s }"),
        ("garner serve --daemon", "'garner serve &'"), ("garner status --watch", "watch garner status"),
        ("garner sync https://a.example/", "garner add URL"),
        ("garner sync --every 5m", "schedule: { every: 15m }"), ("garner stop", "'garner pause' stops the schedule"),
        ("garner daemon", "did you mean 'garner serve'?"), ("garner serve start", "Try: garner serve"),
        ("garner serve stop", "'garner pause' stops the schedule"), ("garner stop", "none runs on the database now"),
        ("garner reload", "no service runs on the database now"),
        ("garner query --file q.sql", "garner query - < FILE"),
        ("garner init curl -H 'A: b' https://a.example/", "garner init -- curl URL"),
        ("garner add curl --data a https://a.example/", "garner add -- curl URL"),
        ("garner query 'select top 1 * from animals'", "write LIMIT 1 at the end"),
        ("garner query 'use zoo'", "--database"), ("garner query '.mode csv'", "--format csv"),
        ("garner rows animals --order 'id descending'", "write DESC in place of 'descending'"),
        ("garner rows animals --where 'owner.id = 7'", "did you mean 'owner__id'?"),
        ("garner rows animals --where 'where id > 0'", "leave out the word WHERE"),
        ("garner search kea", "garner search TABLE kea"),
        (
            "garner query 'CREATE VIEW v AS SELECT 1'",
            "while nothing syncs, run: sqlite3 garner.db 'CREATE VIEW v AS SELECT 1'"
        ),
        ("garner rows animals --where 'id > 0 limit 5'", "--limit"),
        ("garner drop animals other", "garner drop animals && garner drop other"),
        ("garner rows animals --desc", "--order 'name DESC'"),
        ("garner check --strict", "leave it out: a mistake makes check"),
        ("garner prune --all", "garner prune --runs-older-than 30d --attachments --vacuum"),
        ("garner sync -f", "garner sync --full-refresh"), ("garner rows animals --pretty", "| jq . indents JSON"),
        ("garner init http://a.example/ --token x", "write --auth bearer"),
        ("garner query 'SELECT ?' -p 1", "write :name in place of ?"),
        ("garner query 'SELECT :id' -p id", "write -p id=VALUE"),
        ("garner state set animals 5", "garner sync animals --from VALUE"),
        ("garner rename animals to beasts", "garner rename animals beasts"),
        ("garner fetch GET http://a.example/x", "garner fetch http://a.example/x"),
        ("garner init http://a.example/ --paginator page", "garner looks for it, and writes it into the file"),
        ("garner rows animals --offset 10", "LIMIT 20 OFFSET 10"),
        ("garner init http://a.example/ b", "garner init http://a.example/,"),
        (
            "garner init http://a.example/a http://a.example/b",
            "garner init http://a.example/a && garner add http://a.example/b"
        ),
        (
            "garner add http://a.example/a http://a.example/b",
            "garner add http://a.example/a && garner add http://a.example/b"
        ),
        ("garner init http://a.example/ --force", "name another file with --config"),
        ("garner fetch http://a.example/ -X POST", "garner preview STREAM"),
        ("garner rows animals --where 'id > 0 order by id'", "--order"),
        ("garner get animals", "garner get animals KEY"), ("garner get", "garner get TABLE KEY"),
        ("garner tables –json", "did you mean '--json'?"), ("garner query 'SELECT 1' —json", "did you mean '--json'?"),
        ("garner sync –full-refresh", "did you mean '--full-refresh'?"),
        ("garner init http://a.example/ --auth bearer s3cret", "garner init http://a.example/ --auth bearer;"),
        ("garner add --auth bearer s3cret http://a.example/", "garner add --auth bearer http://a.example/;"),
    ])
    func `a word without a counterpart gets a sentence`(typed: String, advice: String) async throws {
        try await Self.withAnimals { place in
            let told = try await place.shell(typed)
            #expect(told.code == 64 && told.errors.split(separator: "\n").last?.contains(advice) == true, "\(told)")
        }
    }

    @Test(arguments: [
        ("~/x.csv", "leave the quotes out"), ("s3://bucket/x.csv", "name a file of this machine"),
        ("no/x.csv", "make its folder first: mkdir -p no"),
    ])
    func `a file that is none of this machine is told so`(path: String, advice: String) async throws {
        try await Self.withAnimals { place in
            let told = try await place.garner("export", "animals", "-o", path)
            #expect(told.code == 73 && told.errors.contains("Try: \(advice)"), "\(told)")
        }
    }

    @Test func `a second condition leads to one of both`() async throws {
        try await Self.withAnimals { place in
            let told = try await place.garner("rows", "animals", "--where", "id=1", "--where", "number=3")
            let line = "--where '(id=1) AND (number=3)'"
            #expect(told.code == 64 && told.errors.contains("--where is given 2 times; write \(line)"), "\(told)")
            #expect(try await place.shell("garner rows animals \(line)").code == 0)
        }
    }

    @Test func `a secret in the command is not told`() async throws {
        try await Self.withAnimals { place in
            let told = try await place.shell("garner init http://a.example/ --auth bearer s3cret")
            #expect(told.code == 64 && !told.errors.contains("s3cret"), "\(told)")
        }
    }

    @Test func `a service is stopped and told to read its file by the lines that are told`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1}]"#) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            let serve = try place.start(["serve"])
            try await eventually { serve.errorsSoFar.contains("Run ended") }
            let reload = try await place.shell("garner reload || true")
            let line = try #require(reload.errors.firstMatch(of: /after: (kill -HUP \d+)\n$/)?.1, "\(reload)")
            #expect(try await place.shell("\(line)").code == 0)
            try await eventually { serve.errorsSoFar.contains("Configuration reloaded") }
            let stop = try await place.shell("garner stop || true")
            let kill = try #require(stop.errors.firstMatch(of: /Try: '(kill \d+)' stops it/)?.1, "\(stop)")
            #expect(try await place.shell("\(kill)").code == 0)
            #expect(try await serve.end().code == 0)
        }
    }
}
