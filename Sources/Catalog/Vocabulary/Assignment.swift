/// What one key of the file does to the streams that it holds for.
struct Assignment {
    /// The key with those around it: `["retry", "max_attempts"]`.
    var path: [String]
    let place: ConfigurationPlace
    let level: Level
    let apply: (inout StreamDraft) -> Void

    var origin: EffectiveConfiguration.Origin { level.origin(line: place.line) }
}
