internal import CGarnerPostgres

/// How a connection is opened. Its calls block: until names are found, and hosts have answered.
struct Opening: Sendable {
    let handle: Handle
    let text: ForeignText

    init(_ url: PostgresURL) throws(PostgresError) {
        let libpq = try LibPQ.functions()
        let options = try ConnectionOptions(of: url, libpq: libpq)
        let all = options.additions.merging(["dbname": url.reveal()]) { _, url in url }
        let connection = all.withCStrings { keywords, values in libpq.pointee.PQconnectdbParams(keywords, values, 1) }
        guard let connection = connection ?? nil else { throw ConnectionOptions.outOfMemory }
        handle = Handle(pointer: connection, libpq: libpq)
        // libpq writes notices to standard error by itself.
        _ = libpq.pointee.PQsetNoticeReceiver(connection, { _, _ in }, nil)
        let password = libpq.pointee.PQpass(connection).map { String(cString: $0) } ?? ""
        text = ForeignText(secrets: options.secrets + (password.isEmpty ? [] : [password]))
        if !handle.isOpen, Refusal(handle.words).kind == nil {
            // The words are the server's, in its language. libpq tells their code only if it is asked to before it connects.
            _ = libpq.pointee.PQsetErrorVerbosity(connection, Int32(GARNER_ERRORS_VERBOSE))
            libpq.pointee.PQreset(connection)
        }
        guard handle.isOpen else {
            let error = refusal(by: url, options)
            handle.close()
            throw error
        }
        _ = libpq.pointee.PQsetnonblocking(connection, 1)
    }

    private func refusal(by url: PostgresURL, _ options: ConnectionOptions) -> PostgresError {
        let refusal = Refusal(handle.words)
        var kind = refusal.kind ?? .unreachable
        if handle.libpq.pointee.PQconnectionNeedsPassword(handle.pointer) != 0 { kind = .loginRefused }
        return PostgresError(
            kind, "cannot connect to \(text.shown(url.description)): \(text.shown(refusal.words))",
            hint: Self.hint(on: kind, refusal.words, options, url), sqlState: refusal.sqlState)
    }

    private static func hint(
        on kind: PostgresError.Kind, _ words: String, _ options: ConnectionOptions, _ url: PostgresURL
    ) -> String? {
        switch kind {
        case .untrusted where options.asksForTrust: trustHint
        case .untrusted where words.contains("does not support SSL"):
            "Have TLS turned on at the server (ssl = on), or write ?sslmode=disable into the URL in a network that you trust"
        case .untrusted: "Check the options of the URL that begin with ssl, and the certificates that they name"
        case .tooManyConnections:
            "End other connections, or have more of them allowed: by CONNECTION LIMIT for a role or a database (ALTER ROLE, ALTER DATABASE),"
                + " by max_connections for the server"
        case .loginRefused: "Check the user of the URL, and the password of the URL, PGPASSWORD or ~/.pgpass"
        case .insufficientPrivilege:
            "Have the owner of the database run: GRANT CONNECT ON DATABASE \(quoted(options.values["dbname"])) TO "
                + quoted(options.values["user"])
        case .undefinedDatabase where url.placeWithoutDatabase != nil:
            "The URL names no database, so that libpq takes the user's name: write it behind the host and the port, as in "
                + "\(url.placeWithoutDatabase ?? "")/DATABASE"
        case .undefinedDatabase: "Make it with CREATE DATABASE, or name another one behind the last / of the URL"
        case .unreachable: "Check that the server is running, and the host and the port of the URL"
        default: nil
        }
    }

    private static func quoted(_ name: String?) -> String {
        "\"" + ForeignText.onOneLine(name ?? "").replacing("\"", with: "\"\"") + "\""
    }

    private static let trustHint =
        "Garner asks other machines for TLS and checks their certificate. Give it the certificate of the authority:"
        + " ?sslmode=verify-full&sslrootcert=FILE. In a network that you trust, ?sslmode=require does not check who"
        + " answers, and ?sslmode=disable does without TLS"
}

/// Why libpq has no connection.
struct Refusal {
    /// nil if the words are neither libpq's nor have a code.
    let kind: PostgresError.Kind?
    /// The server's code, which only verbose errors have.
    let sqlState: String?
    /// The words without the code and the place in the server's source.
    let words: String

    init(_ words: String) {
        var sqlState: String?
        var lines: [String] = []
        for line in words.split(whereSeparator: \.isNewline) where !line.hasPrefix("LOCATION:  ") {
            // Such as "connection to server at "db", port 5432 failed: FATAL:  28P01: password authentication failed".
            let (code, rest) = Self.code(in: line)
            sqlState = code ?? sqlState
            lines.append(rest)
        }
        self.words = lines.joined(separator: "\n")
        self.sqlState = sqlState
        kind =
            sqlState.map { PostgresError.Kind(sqlState: $0) }
            ?? Self.ownWords.first { words.contains($0.words) }?.kind
    }

    /// Returns the server's code in a line of a verbose error, and the line without it.
    private static func code(in line: Substring) -> (code: String?, line: String) {
        for range in line.ranges(of: ":  ") {
            let code = line[range.upperBound...].prefix(5)
            guard PostgresError.isState(code), line[code.endIndex...].hasPrefix(": ") else { continue }
            let rest = line[code.endIndex...].dropFirst(2)
            return (String(code), String(line[..<range.upperBound] + rest))
        }
        return (nil, String(line))
    }

    /// Words of libpq itself, which speaks English where nobody calls setlocale(3).
    private static let ownWords: [(words: String, kind: PostgresError.Kind)] = [
        ("server does not support SSL", .untrusted), ("SSL error", .untrusted), ("SSL SYSCALL", .untrusted),
        ("certificate file", .untrusted), ("private key file", .untrusted), ("certificate verify failed", .untrusted),
        ("server certificate for", .untrusted), ("weak sslmode", .untrusted),
        ("no password supplied", .loginRefused),
        ("could not match", .invalidURL), ("invalid integer value", .invalidURL), (" value: \"", .invalidURL),
        ("invalid port number", .invalidURL), ("sslmode value", .invalidURL),
        ("could not translate host name", .unreachable), ("could not parse network address", .invalidURL),
        ("Connection refused", .unreachable), ("No such file or directory", .unreachable),
        ("timeout expired", .unreachable), ("timed out", .unreachable), ("unreachable", .unreachable),
        ("No route to host", .unreachable), ("Permission denied", .unreachable),
        ("closed the connection unexpectedly", .unreachable), ("Connection reset", .unreachable),
        ("session is read-only", .unreachable), ("hot standby mode", .unreachable),
    ]
}
