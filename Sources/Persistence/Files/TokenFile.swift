package import GarnerCatalog
import GarnerJSON
import GarnerLibC
package import GarnerModel

/// The refresh tokens and the refused logins, in `DATABASE.tokens`: a JSON object that only its owner may read.
///
/// They are not in the database, since a dry run is undone there, and queries show its contents.
package struct TokenFile: Sendable {
    private let database: String

    package init(database path: String) { database = path }

    /// Returns the last saved token for the key; nil if there is none.
    package func load(_ key: String) throws -> Secret? { try read().token(of: key) }

    /// Returns all tokens by their keys.
    package func tokens() throws -> [String: Secret] { try read().all }

    /// Returns the refused logins that were noted.
    package func refusedLogins() throws -> [RefusedLogin] { try read().refusedLogins }

    /// Changes the refused logins. Other processes wait meanwhile.
    package func changeRefusedLogins(_ change: (inout [RefusedLogin]) -> Void) throws {
        try update({ change(&$0.refusedLogins) }) { path, reason in
            PersistenceError(
                .inputOutput, "a refused login cannot be noted in \(path): \(reason)",
                hint: "make it possible to write there")
        }
    }

    /// Returns the lock that a process has while it renews the token of the key; nil while another one has it.
    ///
    /// Throws `FileError` where no file can be created, so that nothing can be locked.
    package func lockForRenewal(of key: String) throws -> AnyObject? {
        try PrivateFile.lockIfFree("\(path).\(key.prefix(8)).lock")
    }

    private func read() throws -> TokenList {
        let path = path
        do {
            return try TokenList(reading: path)
        } catch let failure as FileError {
            throw PersistenceError(
                .inputOutput, "the refresh tokens in \(path) cannot be read: \(failure.reason)",
                hint: "check the file's owner and permissions")
        }
    }

    package func save(_ token: Secret, for key: String) throws {
        try update({ $0.set(token, for: key) }) { path, reason in
            PersistenceError(
                .inputOutput, "the new refresh token cannot be saved in \(path), and is not used: \(reason)",
                hint: """
                    make it possible to write there; if the server then refuses the old token, sign in again and \
                    replace auth: refresh_token
                    """)
        }
    }

    /// Makes a new version of the file, whole like the old one after a crash. Other processes wait meanwhile.
    ///
    /// - Parameter error: Returns the error if the file cannot be read or written, from its path and the reason.
    private func update(
        _ change: (inout TokenList) -> Void, error: (_ path: String, _ reason: String) -> PersistenceError
    ) throws {
        let path = path
        do {
            let lock = try PrivateFile.lock(path)
            var list = try TokenList(reading: path)
            change(&list)
            try PrivateFile.replace(path, with: list.text)
            withExtendedLifetime(lock) {}
        } catch let failure as FileError {
            throw error(path, failure.reason)
        }
    }

    /// The path of the file. Two names of one database have the same file, and a link to it stays a link.
    package var path: String {
        let path = (FileCreation.resolved(database) ?? database) + ".tokens"
        return FileCreation.resolved(path) ?? path
    }
}

/// The contents of the file.
private struct TokenList {
    private var entries: [(key: String, token: Secret)] = []
    var refusedLogins: [RefusedLogin] = []

    /// Reads the file. There are no tokens if it does not exist, or if a crash left it empty.
    init(reading path: String) throws {
        guard let bytes = try PrivateFile.read(path), !bytes.isEmpty else { return }
        let parts = (try? Document(parsing: Bytes(bytes)))?.withRoot {
            (Self.entries(of: $0), Self.refusedLogins(in: $0))
        }
        guard let parts, let entries = parts.0, let refusedLogins = parts.1 else {
            throw PersistenceError(
                .unusable, "\(path) does not hold the refresh tokens that Garner writes there",
                hint: "restore it from a backup, or move it away, sign in again and replace auth: refresh_token")
        }
        (self.entries, self.refusedLogins) = (entries, refusedLogins)
    }

    var all: [String: Secret] { Dictionary(entries.map { ($0.key, $0.token) }) { $1 } }

    func token(of key: String) -> Secret? { entries.last { $0.key == key }?.token }

    mutating func set(_ token: Secret, for key: String) {
        entries.removeAll { $0.key == key }
        entries.append((key, token))
    }

    var text: [UInt8] {
        let members = entries.map { "\(JSONText.quoted($0.key)): \(JSONText.quoted($0.token.reveal()))" }
        let tokens = "{\n    \(members.joined(separator: ",\n    "))\n  }"
        let logins = refusedLogins.map { login in
            #"{"salt": \#(JSONText.quoted(login.salt)), "code": \#(JSONText.quoted(login.code)), "#
                + #""at": "\#(login.at)", "count": \#(login.count)}"#
        }
        let refused =
            logins.isEmpty ? "" : ",\n  \"refused_logins\": [\n    \(logins.joined(separator: ",\n    "))\n  ]"
        return Array("{\n  \"refresh_tokens\": \(tokens)\(refused)\n}\n".utf8)
    }

    /// Returns the refused logins; nil if the JSON is something else.
    private static func refusedLogins(in root: Node) -> [RefusedLogin]? {
        guard let list = root["refused_logins"] else { return [] }
        guard list.kind == .array else { return nil }
        var logins: [RefusedLogin] = []
        for node in list.elements {
            guard let salt = node["salt"]?.string, let code = node["code"]?.string,
                let at = node["at"]?.string.flatMap(Timestamp.init(rfc3339:)),
                let count = node["count"].flatMap({ Int($0.text) }), count > 0
            else { return nil }
            logins.append(RefusedLogin(salt: salt, code: code, at: at, count: count))
        }
        return logins
    }

    /// Returns the tokens; nil if the JSON is something else.
    private static func entries(of root: Node) -> [(key: String, token: Secret)]? {
        guard let tokens = root["refresh_tokens"], tokens.isObject else { return nil }
        var entries: [(key: String, token: Secret)] = []
        for (key, value) in tokens.members {
            guard let token = value.string else { return nil }
            entries.append((key.text, Secret(token)))
        }
        return entries
    }
}

extension FileError {
    fileprivate var reason: String { String(cString: strerror(code)) }
}
