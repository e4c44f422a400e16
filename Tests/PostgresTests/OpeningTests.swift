import Foundation
@testable import GarnerPostgres
import PostgresCluster
import Testing

struct OpeningTests {
    private static let canary = "c4nary/Pass word"
    private static let escaped = "c4nary%2FPass%20word"

    private func opening(_ url: String) async -> PostgresError? {
        await postgresError { _ = try await PostgresConnection.open(PostgresURL(url)) }
    }

    /// Makes a role with the password.
    private func role() async throws -> String {
        let place = try await Workplace()
        let role = "r" + place.name
        try await place.connection.execute("CREATE ROLE \(role) LOGIN PASSWORD '\(Self.canary)'")
        return role
    }

    @Test func `a password opens, and another one is refused by its kind`() async throws {
        let cluster = try await PostgresCluster.shared()
        let role = try await role()
        let connection = try await PostgresConnection.open(
            PostgresURL(cluster.loopbackURL(user: role, password: Self.escaped)))
        #expect(try await connection.execute("SELECT current_user::text").rows == [[.text(role)]])
        let error = await opening(cluster.loopbackURL(user: role, password: "wr0ng%2Fcanary"))
        #expect(error?.kind == .loginRefused)
        #expect(error?.sqlState == "28P01")
        let words = error?.description ?? ""
        #expect(words.contains("password authentication failed for user"), "\(words)")
        #expect(words.contains("postgresql://\(role)@127.0.0.1:\(cluster.port)/postgres"))
        #expect(!words.contains("LOCATION") && !words.contains("canary"))
        let without = await opening("postgresql://\(role)@127.0.0.1:\(cluster.port)/postgres")
        #expect(without?.kind == .loginRefused)
    }

    @Test func `within a transaction, the server notices a dead network, too`() async throws {
        let url = try await PostgresURL(
            PostgresCluster.shared().loopbackURL(user: role(), password: Self.escaped))
        let connection = try await PostgresConnection.open(url)
        let names = ["tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"]
        let query = "SELECT current_setting(name) FROM unnest($1::text[]) AS name"
        let before = try await connection.execute(query, .texts(names)).texts
        let within = try await connection.inTransaction { try await connection.execute(query, .texts(names)).texts }
        #if os(Linux)
            #expect(within == ["10", "5", "3", "30000"])
        #else
            #expect(within.prefix(2) == ["10", "5"])
        #endif
        // A pooler gives the next transaction another session.
        #expect(try await connection.execute(query, .texts(names)).texts == before)
    }

    @Test func `a password comes from the file of passwords, and is in no text either`() async throws {
        let cluster = try await PostgresCluster.shared()
        let role = try await role()
        let file = FileManager.default.temporaryDirectory.appending(path: "garner-\(role)").path
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data("*:*:*:*:\(Self.canary)\n".utf8), attributes: [.posixPermissions: 0o600]))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let url = "postgresql://\(role)@127.0.0.1:\(cluster.port)/postgres?passfile=\(file)"
        let connection = try await PostgresConnection.open(PostgresURL(url))
        let error = await postgresError { try await connection.execute("SELECT '\(Self.canary)'::bigint") }
        #expect(error?.message.contains("\"***\"") == true)
    }

    @Test func `the password is in no text of a connection`() async throws {
        let cluster = try await PostgresCluster.shared()
        let role = try await role()
        let url = try PostgresURL(cluster.loopbackURL(user: role, password: Self.escaped))
        let connection = try await PostgresConnection.open(url)
        var texts = ["\(url)", "\(connection)", String(reflecting: connection)]
        dump(connection, to: &texts[0])
        for statement in [
            "SELECT '\(Self.canary)'::bigint",
            "DO $$ BEGIN RAISE '\(Self.canary)' USING HINT = '\(Self.canary)'; END $$",
        ] {
            let error = await postgresError { try await connection.execute(statement) }
            texts += [error?.description ?? "", String(reflecting: error)]
            #expect(error?.message.contains("***") == true)
        }
        for text in texts { #expect(!text.contains("c4nary"), "\(text)") }
    }

    @Test func `what stands in the way of a connection has its kind`() async throws {
        let cluster = try await PostgresCluster.shared()
        let nobody = await opening("postgresql://garner.invalid/w?sslmode=disable")
        #expect(nobody?.kind == .unreachable)
        #expect(nobody?.message.contains("could not translate host name") == true)
        #expect(nobody?.hint == "Check that the server is running, and the host and the port of the URL")
        #expect(await opening("postgresql://127.0.0.1:1/w")?.kind == .unreachable)
        #expect(await opening("postgresql:///w?host=\(cluster.folder)/nowhere")?.kind == .unreachable)
        #expect(await opening(cluster.socketURL(database: "nothing"))?.kind == .undefinedDatabase)
        #expect(await opening(cluster.socketURL(database: "nothing"))?.hint?.contains("CREATE DATABASE") == true)
        let unnamed = await opening(cluster.socketURL(database: ""))
        #expect(unnamed?.kind == .undefinedDatabase)
        #expect(unnamed?.hint?.hasPrefix("The URL names no database, so that libpq takes the user's name") == true)
        let refused = await opening(cluster.socketURL(user: "nobody_of_this_name"))
        #expect(refused?.kind == .loginRefused)
        #expect(refused?.hint?.hasPrefix("Check the user of the URL, and the password") == true)
        #expect(await opening("postgresql:///w?sslmode=maybe")?.kind == .invalidURL)
        #expect(await opening("postgresql:///w?service=nothing_of_this_name")?.kind == .invalidURL)
    }

    @Test func `a server without TLS is refused where TLS is asked for`() async throws {
        let cluster = try await PostgresCluster.shared()
        let asked = await opening("postgresql://u@127.0.0.1:\(cluster.port)/postgres?sslmode=require")
        #expect(asked?.kind == .untrusted)
        #expect(asked?.message.contains("server does not support SSL") == true)
        #expect(asked?.hint?.contains("?sslmode=disable into the URL") == true)
        // An address that is not known to be this machine, though it is: Garner asks for TLS by itself, and says what to set.
        let other = await opening("postgresql://u@0.0.0.0:\(cluster.port)/postgres")
        #expect(other?.kind == .untrusted)
        #expect(other?.hint?.contains("?sslmode=verify-full&sslrootcert=FILE") == true)
        let trusting = await opening("postgresql://u@0.0.0.0:\(cluster.port)/postgres?sslmode=disable")
        #expect(trusting?.kind == .loginRefused)
    }

    @Test func `the first of several hosts that answers is taken`() async throws {
        let cluster = try await PostgresCluster.shared()
        let url = "postgresql://garner@/postgres?host=127.0.0.1,\(cluster.folder)&port=1,\(cluster.port)"
        let connection = try await PostgresConnection.open(PostgresURL(url))
        #expect(await connection.isOpen)
    }

    @Test(.timeLimit(.minutes(5))) func `a database in another encoding is refused`() async throws {
        let connection = try await connection()
        let name = "ascii_" + PostgresUUID.random().description.filter { $0 != "-" }
        try await connection.execute("CREATE DATABASE \(name) ENCODING 'SQL_ASCII' TEMPLATE template0")
        let error = try await opening(PostgresCluster.shared().socketURL(database: name))
        #expect(error?.kind == .unsupportedServer)
    }

    @Test func `no room for another connection is told`() async throws {
        let connection = try await connection()
        let role = "full_" + PostgresUUID.random().description.filter { $0 != "-" }
        try await connection.execute("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 0")
        let error = try await opening(PostgresCluster.shared().socketURL(user: role))
        #expect(error?.kind == .tooManyConnections)
        #expect(error?.hint?.contains("CONNECTION LIMIT") == true)
    }

    @Test(.timeLimit(.minutes(5))) func `a server that says nothing is waited for only so long`() async throws {
        let port = try SilentPort()
        let url = "postgresql://127.0.0.1:\(port.number)/w?connect_timeout=2"
        let error = await opening(url)
        #expect(error?.kind == .unreachable)
        #expect(error?.message.contains("timeout expired") == true, "\(String(describing: error))")
        let endless = "postgresql://127.0.0.1:\(port.number)/w?connect_timeout=0"
        let task = Task { try await PostgresConnection.open(PostgresURL(endless)) }
        try await port.waitForConnection()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    static let refusals: [(words: String, kind: PostgresError.Kind?, shown: String)] = [
        (
            "connection to server at \"db\" (192.0.2.1), port 5432 failed: FATAL:  28000: kein Eintrag\nLOCATION:  ClientAuthentication, auth.c:1\n",
            .loginRefused, "connection to server at \"db\" (192.0.2.1), port 5432 failed: FATAL:  kein Eintrag"
        ),
        (
            "connection failed: FATAL:  Passwort-Authentifizierung fehlgeschlagen", nil,
            "connection failed: FATAL:  Passwort-Authentifizierung fehlgeschlagen"
        ),
        (
            "FATAL:  57P03: the database system is starting up", .unreachable,
            "FATAL:  the database system is starting up"
        ),
        (
            "root certificate file \"/root/.postgresql/root.crt\" does not exist\nEither", .untrusted,
            "root certificate file \"/root/.postgresql/root.crt\" does not exist\nEither"
        ),
        (
            "could not open certificate file \"/c.crt\": No such file or directory", .untrusted,
            "could not open certificate file \"/c.crt\": No such file or directory"
        ),
        (
            "certificate present, but not private key file \"/c.key\"", .untrusted,
            "certificate present, but not private key file \"/c.key\""
        ),
        (
            "could not stat private key file \"/c.key\": Permission denied", .untrusted,
            "could not stat private key file \"/c.key\": Permission denied"
        ),
        (
            "private key file \"/c.key\" has group or world access", .untrusted,
            "private key file \"/c.key\" has group or world access"
        ),
    ]

    @Test(arguments: refusals)
    func `the kind comes from the code, in whatever language the server speaks`(
        words: String, kind: PostgresError.Kind?, shown: String
    ) {
        let refusal = Refusal(words)
        #expect(refusal.kind == kind)
        #expect(refusal.words == shown)
    }
}
