extension Configuration {
    /// The streams with these full or unambiguous bare names, each once and in the order of the file; all for no names.
    ///
    /// - Throws: `StreamSelectionError`, for the first name that stands for no stream or for several.
    package func streams(matching names: [String]) throws(StreamSelectionError) -> [Stream] {
        guard !names.isEmpty else { return streams }
        var chosen: Set<StreamName> = []
        for name in names { chosen.insert(try streamName(matching: name)) }
        return streams.filter { chosen.contains($0.name) }
    }

    private func streamName(matching name: String) throws(StreamSelectionError) -> StreamName {
        let all = streams.map(\.name)
        if let exact = all.first(where: { $0.description == name }) { return exact }
        let candidates = all.filter { $0.stream == name }
        if candidates.count > 1 { throw .ambiguous(name: name, candidates: candidates.map(\.description)) }
        if let only = candidates.first { return only }
        let spellings = name.contains(".") ? all.map(\.description) : all.map(\.stream)
        throw .unknown(name: name, suggestion: Suggestion.closest(to: name, among: spellings))
    }
}
