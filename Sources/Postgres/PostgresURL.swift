import GarnerLibC

/// The URL of a PostgreSQL database, as libpq takes it. It shows itself without its password.
package struct PostgresURL: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let text: String
    /// The URL without password, and of its options only those that are no secrets.
    package let description: String
    /// The names of the options after the question mark.
    let optionNames: Set<String>
    /// The texts of the URL that may not be shown, as they stand there and as they are meant.
    let secrets: [String]

    private static let schemes = ["postgresql://", "postgres://"]
    private static let shownOptions: Set<String> = [
        "dbname", "host", "hostaddr", "port", "service", "sslmode", "target_session_attrs", "user",
    ]

    /// Returns true if the text begins as such a URL does.
    package static func isURL(_ text: String) -> Bool { schemes.contains { text.hasPrefix($0) } }

    /// Creates a URL.
    ///
    ///     let url = try PostgresURL("postgresql://garner@db.example/warehouse")
    ///
    /// Refused is what libpq would read in another way than it is meant, since a part of the password would then be taken
    /// for a host. The error shows nothing of the text.
    package init(_ text: String) throws(PostgresError) {
        guard let scheme = Self.schemes.first(where: { text.hasPrefix($0) }) else {
            throw Self.refused("does not begin with postgresql://")
        }
        guard text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else {
            throw Self.refused("has a space or a control character")
        }
        // Bytes: a combining mark behind a separator would make another Character of it.
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let address = rest.prefix { $0 != UInt8(ascii: "?") }
        let query = rest.dropFirst(address.count + 1)
        let at = address.firstIndex(of: UInt8(ascii: "@"))
        let credentials = at.map { address[..<$0] }
        let place = at.map { address[address.index(after: $0)...] } ?? address
        // libpq: what stands before the first @ or / are credentials if it is an @.
        guard !place.contains(UInt8(ascii: "@")), credentials?.contains(UInt8(ascii: "/")) != true,
            at != nil || address.contains(UInt8(ascii: "/")) || !query.contains(UInt8(ascii: "@"))
        else {
            throw Self.refused("has an unescaped / ? or @ in its user, password or options")
        }
        guard Self.portsAreNumbers(place) else {
            throw Self.refused("has a port that is no number, or no @ before its host")
        }

        var secrets: [String] = []
        var shown = scheme
        if let credentials {
            let user = credentials.prefix { $0 != UInt8(ascii: ":") }
            shown += "\(Substring(user))@"
            secrets.append(String(Substring(credentials.dropFirst(user.count + 1))))
        }
        var options: [String] = []
        var names: Set<String> = []
        for option in query.split(separator: UInt8(ascii: "&")) {
            guard let equals = option.firstIndex(of: UInt8(ascii: "=")) else {
                throw Self.refused("has an option without a value, or an unescaped & in one")
            }
            let name = Self.decoded(option[..<equals])
            names.insert(name)
            if Self.shownOptions.contains(name) {
                options.append(String(Substring(option)))
            } else if name != "passfile", ["pass", "secret", "scram", "token"].contains(where: { name.contains($0) }) {
                secrets.append(String(Substring(option[option.index(after: equals)...])))
            }
        }
        self.text = text
        description =
            shown + String(Substring(place)) + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
        optionNames = names
        self.secrets = secrets.flatMap { [$0, Self.decoded($0.utf8[...])] }.filter { !$0.isEmpty }
    }

    /// The host and the port of a URL that names no database; nil if it names one, or leaves it to a service or to the environment.
    var placeWithoutDatabase: Substring? {
        // "postgresql:", nothing, the user and the place, the database.
        let parts = description.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let isElsewhere = !optionNames.isDisjoint(with: ["dbname", "service"]) || getenv("PGDATABASE") != nil
        guard !isElsewhere, parts.dropFirst(3).allSatisfy(\.isEmpty), let place = parts.dropFirst(2).first else {
            return nil
        }
        return place.lastIndex(of: "@").map { place[place.index(after: $0)...] } ?? place
    }

    /// Throws if libpq cannot read the URL, such as for an option that it does not know. Nothing is said where libpq is missing, or where
    /// a service of another file has a part in it.
    package func requireReadable() throws(PostgresError) {
        guard !optionNames.contains("service"), getenv("PGSERVICE") == nil, let libpq = try? LibPQ.functions()
        else { return }
        do {
            _ = try ConnectionOptions(of: self, libpq: libpq)
        } catch  where error.kind == .invalidURL {
            throw error
        } catch {
            // Whoever connects says it.
        }
    }

    /// Returns the text itself, for the code that gives it to libpq.
    func reveal() -> String { text }

    package static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func refused(_ reason: String) -> PostgresError {
        PostgresError(
            .invalidURL, "a PostgreSQL URL \(reason)",
            hint: "Write it as postgresql://USER@HOST/DATABASE, with % and two digits for special characters of a"
                + " password: %40 for @, %2F for /, %3A for :, %3F for ?, %26 for &, %25 for %")
    }

    /// A password that no host follows would be taken for a port.
    private static func portsAreNumbers(_ place: Substring.UTF8View) -> Bool {
        place.prefix { $0 != UInt8(ascii: "/") }.split(separator: UInt8(ascii: ",")).allSatisfy { host in
            let end = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
            guard let colon = host[end...].firstIndex(of: UInt8(ascii: ":")) else { return true }
            return host[host.index(after: colon)...].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
    }

    /// Returns the text with bytes in the place of `%40` and the like.
    private static func decoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = Substring(rest.prefix(2))
            // A number may have a sign, an escape may not.
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let escaped = UInt8(digits, radix: 16)
            {
                bytes.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
