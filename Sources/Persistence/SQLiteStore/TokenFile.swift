package import Catalog
import JSON
import LibC
import Model

/// The refresh tokens from servers, in `DATABASE.tokens`: a JSON object by key, which only its owner may read.
///
/// They are not in the database, since a dry run is undone there, and queries show its contents.
package struct TokenFile: Sendable {
    private let database: String

    package init(database path: String) { database = path }

    /// Returns the last saved token for the key; nil if there is none.
    package func load(_ key: String) throws -> Secret? {
        let path = path
        do {
            return try TokenList(reading: path).token(of: key)
        } catch let failure as FileError {
            throw PersistenceError(
                .inputOutput, "the refresh tokens in \(path) cannot be read: \(failure.reason)",
                hint: "check the file's owner and permissions")
        }
    }

    /// Saves a token in a new version of the file. After a crash, the old or the new version is there as a whole.
    package func save(_ token: Secret, for key: String) throws {
        let path = path
        do {
            let lock = try PrivateFile.lock(path)
            var list = try TokenList(reading: path)
            list.set(token, for: key)
            try PrivateFile.replace(path, with: list.text)
            withExtendedLifetime(lock) {}
        } catch let failure as FileError {
            throw PersistenceError(
                .inputOutput, "the new refresh token cannot be saved in \(path), and is not used: \(failure.reason)",
                hint: """
                    make it possible to write there; if the server then refuses the old token, sign in again and \
                    replace auth: refresh_token
                    """)
        }
    }

    /// The path of the file. Two names of one database have the same file, and a link to it stays a link.
    var path: String {
        let path = (FileCreation.resolved(database) ?? database) + ".tokens"
        return FileCreation.resolved(path) ?? path
    }
}

/// The contents of the file.
private struct TokenList {
    private var entries: [(key: String, token: Secret)] = []

    /// Reads the file. There are no tokens if it does not exist, or if a crash left it empty.
    init(reading path: String) throws {
        guard let bytes = try PrivateFile.read(path), !bytes.isEmpty else { return }
        let entries = (try? Document(parsing: Bytes(bytes)))?.withRoot(Self.entries)
        guard let entries else {
            throw PersistenceError(
                .unusable, "\(path) does not hold the refresh tokens that Garner writes there",
                hint: "restore it from a backup, or move it away, sign in again and replace auth: refresh_token")
        }
        self.entries = entries
    }

    func token(of key: String) -> Secret? { entries.last { $0.key == key }?.token }

    mutating func set(_ token: Secret, for key: String) {
        entries.removeAll { $0.key == key }
        entries.append((key, token))
    }

    var text: [UInt8] {
        let members = entries.map { "\(JSONText.quoted($0.key)): \(JSONText.quoted($0.token.reveal()))" }
        return Array("{\n  \"refresh_tokens\": {\n    \(members.joined(separator: ",\n    "))\n  }\n}\n".utf8)
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
