/// Where a mapping stands, as far as inheritance goes, from the outermost to the nearest.
enum Level: Sendable, CaseIterable {
    case defaults, source, stream

    func origin(line: Int?) -> EffectiveConfiguration.Origin {
        switch self {
        case .defaults: .defaults(line: line)
        case .source: .source(line: line)
        case .stream: .stream(line: line)
        }
    }

    var article: String {
        switch self {
        case .defaults: "'defaults:'"
        case .source: "a source"
        case .stream: "a stream"
        }
    }
}
