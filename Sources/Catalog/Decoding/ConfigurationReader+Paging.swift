// Where 'paginator' and another key send a value at one place, one of them wins. These issues say which.
extension ConfigurationReader {
    /// The keys of a paginator that name a place, each with the key of the value that is sent there first.
    private static let settings = [
        ("limit_param", "limit"), ("page_size_param", "page_size"), ("page_param", "base_page"),
        ("offset_param", "base_offset"), ("cursor_param", "first_cursor"),
    ]

    /// Warns of each parameter, and each member of the body, whose place the paginator has, too, and says which value is sent.
    func warnOfPlacesSentTwice(_ draft: StreamDraft) {
        let (request, own) = (draft.stream.request, draft.stream.paginator.kind.configured)
        guard !own.parameters.isEmpty else { return }
        let method = request.pagePlace.map { own.placed(at: $0) } ?? own
        let (written, values) = (request.written, method.effectiveValues)
        let first = method.first(from: written)
        for (key, setting) in Self.settings {
            guard let name = values.first(where: { $0.0 == key })?.1.description,
                let (owner, place, level) = draft.owner(of: ParameterPlace(name))
            else { continue }
            let origin = draft.origin(of: setting, in: ["paginator"])
            // A stream may differ from its source on purpose.
            guard origin.level != "stream" || level == "stream" else { continue }
            let subject = "'\(name)' in '\(owner)'"
            guard let sent = written.value(of: ParameterPlace(name)), let winner = first.value(of: ParameterPlace(name))
            else {
                let isSecret = request.params.contains { $0.name == name && $0.value.literal == nil }
                guard isSecret, request.pagePlace == nil else { continue }
                issues.warn(
                    at: place, "\(subject) is a secret, and sent with each page in place of what 'paginator' has there",
                    hint: "remove it from '\(owner)', and write \(setting) in 'paginator', which takes no variable")
                continue
            }
            let value = values.first { $0.0 == setting }?.1.description
            let (shown, meant) = (sent.prefix(60), winner.prefix(60))
            if winner != sent, Int(winner) == nil || Int(winner) != Int(sent) {
                let line = Self.line(setting, like: sent).map { "write \($0) in 'paginator' in its place, or " } ?? ""
                issues.warn(
                    at: place,
                    "\(subject) is not sent as \(shown): 'paginator' sends \(meant) there, "
                        + (origin == .standard ? "the default of its '\(setting)'" : "its '\(setting)'"),
                    hint: "\(line)remove it from '\(owner)' if \(meant) is meant")
            } else if setting.hasPrefix("base_"), origin != .standard, let value, Int(value) != Int(sent) {
                issues.warn(
                    at: place,
                    "\(subject) says that the first page is \(shown), and not \(value), the '\(setting)' of 'paginator'",
                    hint: "remove it from '\(owner)' to begin with \(value), or '\(setting)' to begin with \(shown)")
            }
        }
    }

    /// Returns the line that has a paginator send this value first; nil if it cannot.
    private static func line(_ setting: String, like sent: String) -> String? {
        switch setting {
        case "limit", "page_size":
            Int(sent).flatMap { (1...Int(Int32.max)).contains($0) ? "\(setting): \($0)" : nil }
        case "first_cursor" where !sent.contains("{") && (1...60).contains(sent.utf8.count):
            "\(setting): \(YAMLText.scalar(sent))"
        default: nil
        }
    }
}

extension StreamDraft {
    /// Returns the key that a place of the request belongs to, where it is written, and its level; nil if nothing is.
    fileprivate func owner(of target: ParameterPlace) -> (key: String, place: ConfigurationPlace, level: String)? {
        if case .query(let name) = target, let place = place(of: "params", name) {
            return ("params", place, origin(of: ["params", name]).level)
        }
        let key = if case .body = target { stream.request.bodyFormat.rawValue } else { "path" }
        return place(of: key).map { (key, $0, origin(of: [key]).level) }
    }
}
