internal import CGarnerPostgres
import GarnerLibC

/// The options of a connection as libpq understands them: from the URL, a service, the environment and its defaults.
struct ConnectionOptions: Equatable {
    let values: [String: String]
    /// The options that are passwords.
    let secrets: [String]
    /// True if somebody chose how far TLS goes.
    let choosesEncryption: Bool

    init(values: [String: String], secrets: [String] = [], choosesEncryption: Bool) {
        self.values = values
        self.secrets = secrets
        self.choosesEncryption = choosesEncryption
    }

    /// Has libpq read the URL. Nothing is sent to anybody.
    init(of url: PostgresURL, libpq: UnsafePointer<GarnerLibPQ>) throws(PostgresError) {
        // libpq tells all options of a connection only. With a wrong value among them it does not begin to connect.
        let probe = ["dbname": url.reveal(), "target_session_attrs": "garner"].withCStrings { keywords, values in
            libpq.pointee.PQconnectStartParams(keywords, values, 1)
        }
        guard let probe = probe ?? nil else { throw Self.outOfMemory }
        let handle = Handle(pointer: probe, libpq: libpq)
        defer { handle.close() }
        guard let options = libpq.pointee.PQconninfo(probe) else { throw Self.outOfMemory }
        defer { libpq.pointee.PQconninfoFree(options) }
        var values: [String: String] = [:]
        var secrets = url.secrets
        var next = options
        // "The array ends with an entry having a null keyword pointer."
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
                if next.pointee.dispchar.pointee == UInt8(ascii: "*") { secrets.append(String(cString: value)) }
            }
            next += 1
        }
        // Of a URL that it cannot read, libpq keeps nothing.
        guard let mode = values["sslmode"] else {
            let words = ForeignText(secrets: []).shown(handle.words)
            throw PostgresError(
                .invalidURL, url.secrets.isEmpty ? words : "libpq cannot read the PostgreSQL URL",
                hint: Self.hint(onNames: url.optionNames))
        }
        self.values = values
        self.secrets = secrets.filter { !$0.isEmpty }
        choosesEncryption = mode != "prefer" || url.optionNames.contains("sslmode") || getenv("PGSSLMODE") != nil
    }

    /// Returns what to write in place of an option that other drivers have, or that is misspelt; nil if none is known.
    private static func hint(onNames names: Set<String>) -> String? {
        let known = [
            "sslmode", "sslrootcert", "connect_timeout", "application_name", "target_session_attrs", "options",
        ]
        for name in names.subtracting(known).sorted() {
            let folded = name.lowercased().filter(\.isLetter)
            if ["schema", "currentschema", "searchpath"].contains(folded) {
                return
                    "Leave \(name) out of the URL, and name the schema in the file: publish: { url: …, schema: NAME }"
            }
            let meant = known.first { option in
                let letters = option.filter(\.isLetter)
                return letters == folded || folded.count > 4 && letters.hasPrefix(folded)
            }
            if let meant { return "Write \(meant) in place of \(name) in the URL" }
        }
        return nil
    }

    /// The options that Garner adds: those that nobody chose.
    var additions: [String: String] {
        var additions = ["client_encoding": "UTF8", "fallback_application_name": "garner"]
        // A dead network is noticed in 25 seconds, also while somebody waits for an answer.
        let usual = [
            "connect_timeout": "10", "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3",
            "tcp_user_timeout": "30000",
        ]
        for (name, value) in usual where values[name] == nil { additions[name] = value }
        if asksForTrust { additions["sslmode"] = "verify-full" }
        return additions
    }

    /// True if Garner asks for TLS with a checked certificate: another machine answers, and nobody chose otherwise.
    var asksForTrust: Bool { !choosesEncryption && !isLocal }

    /// True if each of the hosts is this machine.
    private var isLocal: Bool {
        let hosts = Self.list(values["host"])
        let addresses = Self.list(values["hostaddr"])
        return (0..<max(hosts.count, addresses.count)).allSatisfy { index in
            // An address goes before a name.
            let address = index < addresses.count ? addresses[index] : ""
            return Self.isLocal(address.isEmpty && index < hosts.count ? hosts[index] : address)
        }
    }

    private static func list(_ text: String?) -> [Substring] {
        text?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }

    /// Nothing, and what begins with / or @, is a socket of this machine.
    private static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "::1"].contains(host)
            || isLoopback(host)
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    static let outOfMemory = PostgresError(.outOfMemory, "libpq has no memory")
}

extension [String: String] {
    /// Calls `body` with names and values as libpq takes them. `dbname` comes first, so that the others count more than the URL in it.
    func withCStrings<Result>(
        _ body: (UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result? {
        let pairs = sorted { left, _ in left.key == "dbname" }
        let keywords = pairs.map { strdup($0.key) }
        let values = pairs.map { strdup($0.value) }
        defer { for copy in keywords + values { free(copy) } }
        let names: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
        let texts: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
        return names.withUnsafeBufferPointer { names in
            texts.withUnsafeBufferPointer { texts in
                guard let names = names.baseAddress, let texts = texts.baseAddress else { return nil }
                return body(names, texts)
            }
        }
    }
}
