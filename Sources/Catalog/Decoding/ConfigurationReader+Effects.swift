import GarnerJSON
import GarnerModel

// Keys that are valid and do nothing, or something else than they seem to.
extension ConfigurationReader {
    /// Warns of keys of the stream's own mapping that have no effect, and of values that are sent otherwise than they look.
    func warnOfEffects(_ draft: StreamDraft) {
        warnOfKeysWithoutEffect(draft)
        warnOfKeyOfAppended(draft)
        warnOfBodies(draft)
        warnOfReplacedHeader(draft)
    }

    private func warnOfKeysWithoutEffect(_ draft: StreamDraft) {
        let stream = draft.stream
        let deletes = stream.deleteMissing != .ignore || stream.replacesTable || stream.deletedWhen != nil
        let pairs: [(key: String, other: String, isIdle: Bool)] = [
            ("keep_history", "history: true", !stream.history),
            ("max_delete_ratio", "delete_missing: hard", !deletes),
        ]
        for (key, other, isIdle) in pairs where isIdle && draft.mentions(key) {
            guard let place = draft.place(of: key) else { continue }
            issues.warn(
                at: place, "'\(key)' of '\(draft.name)' has no effect",
                hint: "it needs \(other); add that, or remove '\(key)'")
        }
    }

    /// Warns of a key of a table to which each record that comes is added, whatever its key is.
    func warnOfKeyOfAppended(_ draft: StreamDraft) {
        guard draft.stream.writeDisposition == .append, draft.mentions("primary_key"),
            let place = draft.place(of: "primary_key")
        else { return }
        issues.warn(
            at: place, "'primary_key' of '\(draft.name)' has no effect: append stores each record that comes once more",
            hint: "write write_disposition: merge to store each key once, or remove 'primary_key'")
    }

    private func warnOfBodies(_ draft: StreamDraft) {
        let request = draft.stream.request
        let hasType = request.headers.contains { $0.name.lowercased() == "content-type" }
        guard case .text(.literal(let text))? = request.body,
            let first = text.unicodeScalars.first(where: { $0 != " " }),
            "{[".unicodeScalars.contains(first), (try? Document(parsing: Bytes(text.utf8))) != nil
        else { return }
        if request.bodyFormat == .json, let place = draft.place(of: "json") {
            issues.warn(
                at: place, "'json' of '\(draft.name)' is one text, and is sent in quotes",
                hint: "remove the quotes around the object or list")
        } else if request.bodyFormat == .text, !hasType, let place = draft.place(of: "body") {
            issues.warn(
                at: place, "'body' of '\(draft.name)' is sent as text/plain, and looks like JSON",
                hint: "write 'json:' in place of 'body:', or add headers: { Content-Type: application/json }")
        }
    }

    private func warnOfReplacedHeader(_ draft: StreamDraft) {
        let request = draft.stream.request
        let name =
            switch request.authentication {
            case .bearer, .basic, .oauth2: "Authorization"
            case .apiKey(let name, .header, _): name
            default: ""
            }
        guard let header = request.headers.first(where: { $0.name.lowercased() == name.lowercased() }),
            let place = draft.place(of: "headers", header.name)
        else { return }
        issues.warn(
            at: place, "the header '\(header.name)' of '\(draft.name)' is not sent, as 'auth' has another one",
            hint: "remove it, or write auth: { type: none }")
    }

    /// Warns of what only a shell understands among the words of a program.
    func warnOfShellWords(_ words: [String], _ value: YAMLValue) {
        guard let program = words.first?.split(separator: "/").last,
            !["sh", "bash", "zsh", "dash", "ssh"].contains(program),
            let word = words.dropFirst().first(where: { Self.shellWords.contains($0) })
        else { return }
        issues.warn(
            at: value.place, "'\(value.name)' starts no shell, so '\(word)' is a word for the program",
            hint: "write [sh, -c, \"… \(word) …\"]")
    }

    private static let shellWords = [">", ">>", "<", "|", "&&", "||", ";", "&", "2>&1"]
}
