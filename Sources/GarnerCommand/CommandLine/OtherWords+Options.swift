extension OtherWords {
    /// The options of other programs by the commands that they are given to, and what they are called here.
    static let options: [(commands: String, words: String, meant: Meaning)] = [
        ("rows export", "--sort --sort-by --order-by --orderby", "--order"), ("rows export", "--filter", "--where"),
        ("rows export", "--select --fields --cols", "--columns"),
        ("rows export", "--head --top --max -n -l", "--limit"),
        ("rows", "--since --changed --updated-since", "--changed-since"),
        ("export", "--since --changed-since", .advice("garner rows TABLE --changed-since 24h --limit 0 --format csv")),
        ("export", "--query", "--sql"), ("export", "--file --out --to --dest --destination", "--output"),
        ("export", "--gzip --gz --zip -z", "--compress gzip"),
        ("query", "--file --sql-file", .advice("garner query - < FILE")),
        ("query", "--limit --head --top --max -n", .advice("write it into the SQL, at its end: LIMIT 5")),
        (
            "query", "--where --filter --order --sort --columns",
            .advice("write it into the SQL, or use: garner rows TABLE --where SQL --order SQL")
        ),
        (
            "init add", "--paginator --pagination --primary-key --selector --record-selector --incremental",
            .advice("leave it out: garner looks for it, and writes it into the file, where you can change it")
        ),
        (
            "rows query", "--out --output --file -o",
            .advice("garner export TABLE -o FILE, or garner export --sql SQL -o FILE")
        ),
        ("rows export", "--delimiter --separator --sep", "--format tsv"),
        ("rows export", "--table --tables --stream --streams --source", .word(ending: "")),
        ("serve browse demo", "--port", "--listen 127.0.0.1:PORT"),
        ("serve browse demo", "--host", "--listen HOST:8787"),
        ("serve browse demo", "--address -p", "--listen"),
        ("sync", "--full --refresh --force --reload --ignore-state --no-resume", "--full-refresh"),
        ("sync", "--since --start --start-date --from-date --after", "--from"),
        ("sync", "--until --end --end-date --to-date --before", "--to"),
        ("sync", "--limit --pages", "--max-pages"), ("sync", "--dry --plan --simulate -n", "--dry-run"),
        ("sync", "--all", .advice("leave it out: without a name, all streams are synced")),
        ("sync", "--state --state-path --catalog --properties", naming),
        ("sync", "--clear --reset", .advice("garner state reset STREAM, or garner sync STREAM --full-refresh")),
        (
            "sync", "--workers --parallel --concurrency --threads -j",
            .advice("set max_concurrency for the source in garner.yaml")
        ),
        (
            "sync", "--watch --daemon --every --interval --schedule",
            .advice("write schedule: { every: 15m } into the file, and run 'garner serve'")
        ),
        (
            "sync check plan status trigger pause resume",
            "--stream --streams --select --only --include --table --tables -s",
            .word(ending: "")
        ),
        ("sync check plan status trigger pause resume", "--source --sources", .word(ending: ".*")),
        (
            "sync", "--retries --retry --max-retries",
            .advice("set retry: { max_attempts: 5 } for the stream in garner.yaml")
        ),
        ("sync", "--timeout --time-limit", .advice("set limits: { total: 60s } for the stream in garner.yaml")),
        (
            "serve", "--daemon --background --detach --fork",
            .advice(
                "leave it out: 'garner serve &' runs it in the background, and docs/operating.md has a service for systemd"
            )
        ),
        ("status", "--watch --follow", .advice("watch garner status, or see it in a browser: garner browse --open")),
        (
            "pause", "--for --until --duration",
            .advice("leave it out: a pause lasts until: garner resume STREAM")
        ),
        (
            "doctor", "--fix --repair",
            .advice("leave it out: doctor changes nothing, and says of each problem what helps")
        ),
        ("init add", "--file --out --output -o", "--config"),
        (
            "init", "--force --overwrite",
            .advice(
                "name another file with --config; 'garner add URL' adds a stream to the one that is there, and 'garner init --update' "
                    + "settings")
        ),
        ("runs", "--failed --errors", "--status failed"), ("runs", "--last --head --top --count -n", "--limit"),
        (
            "status", "--failed --errors --failing",
            .advice("garner runs --status failed; 'garner status --check' exits with 3 if a stream fails")
        ),
        ("rows export", "--offset --skip", .advice("garner query 'SELECT * FROM TABLE LIMIT 20 OFFSET 10'")),
        ("get", "--id --key --pk", .word(ending: "")),
        (
            "fetch", "-X --request --method --data",
            .advice(
                "leave it out: fetch only reads with GET; a stream with method: POST is tried with garner preview STREAM"
            )
        ),
        ("prune", "--older --older-than --before --runs", "--runs-older-than"),
        ("prune", "--days --retention --keep", .option("--runs-older-than", ending: "d")),
        ("drop", "--force -y", "--yes"),
        ("*", "--db --database-file --sqlite --dest --destination --target", "--database"),
        ("*", "--config-file --conf --configuration --yaml", "--config"), ("*", "--debug --trace", "--verbose"),
        ("*", "--silent", "--quiet"), ("*", "--output-format", "--format"),
        ("*", "--json-lines --jsonl --ndjson", "--format ndjson"), ("*", "--csv", "--format csv"),
        ("*", "--md --markdown", "--format markdown"),
        (
            "sync", "--only-failed --failed --retry-failed",
            .advice("garner runs --status failed names them: garner sync STREAM")
        ),
        (
            "check", "--fix --repair",
            .advice("leave it out: check changes nothing, and says behind 'Try:' what helps")
        ),
        (
            "check", "--strict --fail-on-error --exit-code",
            .advice("leave it out: a mistake makes check exit with another code than 0 anyway")
        ),
        ("rows export", "--count", .advice("garner query 'SELECT count(*) FROM TABLE'")),
        (
            "rows export", "--desc --reverse --descending --asc",
            .advice("write it into --order, as in: --order 'name DESC'")
        ),
        (
            "rows export", "--distinct --unique --group-by --group --having --join",
            .advice("write SQL for it: garner query 'SELECT name, count(*) FROM TABLE GROUP BY name'")
        ),
        (
            "rows export query", "--no-header --no-headers --skip-header",
            .advice("leave it out, and cut the first line off: garner rows TABLE --format csv | tail -n +2")
        ),
        ("export", "--append", .advice("garner export TABLE --format csv | tail -n +2 >> FILE")),
        (
            "export", "--overwrite --force",
            .advice("leave it out: export puts the file into the place of one that is there")
        ),
        ("query", "--explain --plan", .advice("write it into the SQL: EXPLAIN QUERY PLAN SELECT …")),
        ("get", "--where --filter", .advice("garner rows TABLE --where SQL")),
        ("changes", "--run --run-id --from --after", "--since"), ("changes", "--to --before", "--until"),
        ("runs", "--stream --streams", .advice("garner status STREAM, or garner changes STREAM")),
        (
            "schema", "--sql --ddl --create",
            .advice("garner query \"SELECT sql FROM sqlite_schema WHERE name = 'TABLE'\"")
        ),
        ("tables", "--rows --count --counts", .advice("leave it out: tables shows the number of rows")),
        ("backup", "--to --output -o --out --file", .word(ending: "")),
        ("prune", "--all", .advice("name what may go: garner prune --runs-older-than 30d --attachments --vacuum")),
        (
            "init add", "--token --bearer --api-key",
            .advice("write --auth bearer, or --auth api_key, and export the secret")
        ),
        ("init add", "-u --user", .advice("write --auth basic, and export the name and the password")),
        (
            "add", "--source",
            .advice("leave it out: a stream joins the source whose base_url it has; move it in the file")
        ),
        ("serve", "--once", .advice("garner sync")),
        (
            "preview", "--pages --max-pages",
            .advice("leave it out: preview reads one page; garner sync --dry-run reads all")
        ),
        ("migrate", "--to --target-version", .advice("leave it out: migrate goes to the newest schema")),
        ("*", "--pretty --indent", .advice("leave it out: garner rows TABLE --json | jq . indents JSON")),
    ]
}
