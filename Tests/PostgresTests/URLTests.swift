@testable import GarnerPostgres
import Testing

struct URLTests {
    static let shown: [(url: String, description: String)] = [
        ("postgresql://", "postgresql://"),
        ("postgres://garner@db.example/warehouse", "postgres://garner@db.example/warehouse"),
        ("postgresql://garner:canary@db.example:5432/warehouse", "postgresql://garner@db.example:5432/warehouse"),
        ("postgresql://garner:can:ary@[::1]:5432,b:1/w", "postgresql://garner@[::1]:5432,b:1/w"),
        ("postgresql://:canary@/w?host=/run&sslmode=require", "postgresql://@/w?host=/run&sslmode=require"),
        ("postgresql:///w?password=canary&user=a@b", "postgresql:///w?user=a@b"),
        ("postgresql:///w?pass%77ord=canary&port=1&sslpassword=canary&passfile=/x", "postgresql:///w?port=1"),
        ("postgresql://u:p%40canary@h/w?options=-c%20x", "postgresql://u@h/w"),
    ]

    @Test(arguments: shown) func `a URL is shown without its password`(url: String, description: String) throws {
        let url = try PostgresURL(url)
        #expect(url.description == description)
        for text in [
            "\(url)", "\(String(reflecting: url))", "\(url.customMirror)", "\([url])", "\(Optional(url) as Any)",
        ] {
            #expect(!text.contains("canary"))
        }
        var dumped = ""
        dump(url, to: &dumped)
        #expect(!dumped.contains("canary"))
    }

    @Test(arguments: [
        "http://garner:canary@db", "postgresql:garner:canary@db", "postgresql://u:can@ary@h/w",
        "postgresql://u:can/ary@h/w",
        "postgresql://u:can?ary@h/w", "postgresql://u:canary", "postgresql://h?password=can&ary",
        "postgresql://u:can ary@h", "postgresql://u:canary\n@h", "postgresql://h?a=b&user=u:canary@h2",
    ])
    func `a URL that libpq would read in another way is refused without a word of it`(url: String) throws {
        let error = #expect(throws: PostgresError.self) { try PostgresURL(url) }
        #expect(error?.kind == .invalidURL)
        #expect(error.map { !$0.description.contains("can") && !$0.description.contains("ary@") } == true)
        #expect(error?.hint?.contains("%40 for @") == true)
    }

    @Test func `secrets are known as they are written and as they are meant`() throws {
        let url = try PostgresURL("postgresql://u:a%40b%C3%A9@h/w?sslpassword=c%26d")
        #expect(Set(url.secrets) == ["a%40b%C3%A9", "a@bé", "c%26d", "c&d"])
        for text in ["a%+1b", "a%-0b", "a%1"] {
            #expect(Set(try PostgresURL("postgresql://u:\(text)@h/w").secrets) == [text])
        }
    }

    @Test(
        arguments: [
            ("postgresql://u@h:1", "h:1"), ("postgres://h/", "h"), ("postgresql://u@/?host=/run", ""),
            ("postgresql://u@[::1]:5/?sslmode=disable", "[::1]:5"), ("postgresql://u@h/w", nil),
            ("postgresql:///w", nil), ("postgresql://h?dbname=w", nil),
        ] as [(String, String?)])
    func `a URL without a database has a place for its name`(url: String, place: String?) throws {
        #expect(try PostgresURL(url).placeWithoutDatabase.map { String($0) } == place)
    }

    @Test func `which texts are URLs`() {
        #expect(PostgresURL.isURL("postgres://h/d"))
        #expect(PostgresURL.isURL("postgresql://"))
        #expect(!PostgresURL.isURL("garner.db"))
    }
}

struct OptionsTests {
    private func options(_ url: String) throws -> ConnectionOptions {
        try ConnectionOptions(of: PostgresURL(url), libpq: LibPQ.functions())
    }

    static let modes: [(url: String, mode: String?)] = [
        ("postgresql://db.example/w", "verify-full"),
        ("postgresql://192.0.2.1/w", "verify-full"),
        ("postgresql://localhost,db.example/w", "verify-full"),
        ("postgresql://localhost.example/w", "verify-full"),
        ("postgresql://127.0.0.1.example/w", "verify-full"),
        ("postgresql:///w?host=db.example", "verify-full"),
        ("postgresql://localhost/w?hostaddr=192.0.2.1", "verify-full"),
        ("postgresql:///w", nil), ("postgresql://localhost/w", nil), ("postgresql://127.0.0.1:1,[::1]/w", nil),
        ("postgresql://%2Frun/w", nil), ("postgresql://db.example/w?hostaddr=127.0.0.1", nil),
        ("postgresql://db.example/w?sslmode=prefer", nil), ("postgresql://db.example/w?sslmode=disable", nil),
    ]

    @Test(arguments: modes) func `another machine has to prove who it is`(url: String, mode: String?) throws {
        #expect(try options(url).additions["sslmode"] == mode)
    }

    @Test func `a dead network is noticed, and what somebody chose is kept`() throws {
        let usual = try options("postgresql:///w?keepalives_idle=77").additions
        #expect(
            usual == [
                "client_encoding": "UTF8", "connect_timeout": "10", "fallback_application_name": "garner",
                "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "30000",
            ])
        #expect(try options("postgresql:///w?connect_timeout=3").additions["connect_timeout"] == nil)
    }

    @Test func `an option that libpq does not know is named, but not beside a password`() {
        let named = #expect(throws: PostgresError.self) { try options("postgresql://h/w?sslmod=require") }
        #expect(named?.kind == .invalidURL)
        #expect(named?.message.contains("sslmod") == true)
        let hidden = #expect(throws: PostgresError.self) { try options("postgresql://u:canary@h/w?sslmod=require") }
        #expect(hidden?.message == "libpq cannot read the PostgreSQL URL")
        #expect(hidden?.hint == "Write sslmode in place of sslmod in the URL")
    }

    @Test(arguments: [
        ("ssl_mode=require", "Write sslmode in place of ssl_mode in the URL"),
        (
            "schema=shop",
            "Leave schema out of the URL, and name the schema in the file: publish: { url: …, schema: NAME }"
        ),
    ])
    func `an option of another driver leads to libpq's`(option: String, hint: String) {
        let error = #expect(throws: PostgresError.self) { try options("postgresql://u:canary@h/w?\(option)") }
        #expect(error?.hint == hint)
    }
}

struct LibraryTests {
    @Test func `a missing libpq is told with the line that installs it`() {
        let error = #expect(throws: PostgresError.self) { try LibPQ.load(["libgarner-is-not-there.so.5"]).get() }
        #expect(error?.kind == .libraryMissing)
        #if os(macOS)
            #expect(error?.description == "PostgreSQL needs libpq: brew install libpq")
        #else
            #expect(error?.description == "PostgreSQL needs libpq: apt install libpq5")
        #endif
    }

    @Test func `a library without the functions is told`() {
        #if os(macOS)
            let other = "libz.dylib"
        #else
            let other = "libc.so.6"
        #endif
        let error = #expect(throws: PostgresError.self) { try LibPQ.load([other]).get() }
        #expect(error?.message.hasPrefix("PostgreSQL needs a newer libpq, with PQconnectStartParams: ") == true)
    }
}

struct ServerTests {
    static let servers: [(server: PostgresServer, words: String?)] = [
        (PostgresServer(versionNumber: 140_000, version: "PostgreSQL 14.0 on x86_64"), nil),
        (PostgresServer(versionNumber: 180_001, version: "PostgreSQL 18.1 on aarch64"), nil),
        (PostgresServer(versionNumber: 130_020, version: "PostgreSQL 13.20"), "this server is PostgreSQL 13. Garner"),
        (
            PostgresServer(versionNumber: 130_000, version: "CockroachDB CCL v24.1.1 (x86_64-pc-linux-gnu)"),
            "this server is CockroachDB. Garner"
        ),
        (
            PostgresServer(versionNumber: 150_002, version: "PostgreSQL 15.2-YB-2.25.0.0-b0 on x86_64"),
            "this server is YugabyteDB. Garner"
        ),
        (
            PostgresServer(versionNumber: 80_002, version: "PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.77"),
            "this server is Amazon Redshift. Garner"
        ),
        (
            PostgresServer(versionNumber: 150_000, encoding: "SQL_ASCII"),
            "the encoding of this database is SQL_ASCII. Make one"
        ),
        (
            PostgresServer(versionNumber: 150_000, isStandby: true),
            "this server is a standby, which cannot be written to. Name"
        ),
    ]

    @Test(arguments: servers) func `a server that cannot do the work is named`(server: PostgresServer, words: String?) {
        #expect((server.refusal == nil) == (words == nil))
        #expect(server.refusal?.description.hasPrefix(words ?? "") != false)
    }
}
