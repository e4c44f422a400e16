import GarnerCatalog

extension FileDocument {
    /// Marks the streams that Garner refuses as not written. Returns true if there is one.
    func loseWhatIsRefused() -> Bool {
        let text = FileText.configuration(
            database: "garner.db", header: [], sources: sources.map { FileText.source($0.name, mapping(of: $0)) })
        do throws(ConfigurationError) {
            _ = try Configuration(parsing: text, file: "garner.yaml", environment: [:], needsSecrets: false)
            return false
        } catch {
            guard case .invalid(let issues) = error else { return false }
            let owners = owners(of: text)
            var isLost = false
            for issue in issues {
                guard let line = issue.place.line, owners.indices.contains(line - 1) else { continue }
                for stream in owners[line - 1] where stream.effect < .notWritten {
                    stream.lose(.other, "Garner refuses what was made of it: \(issue.message)", effect: .notWritten)
                    isLost = true
                }
            }
            return isLost
        }
    }

    /// The streams of which each line is a part: one, all of a source for what they share, or none.
    private func owners(of text: String) -> [[StreamTranslation]] {
        let sources = Dictionary(self.sources.map { (FileText.key($0.name), $0) }) { first, _ in first }
        var streams: [String: StreamTranslation] = [:]
        var (isOfStreams, owners): (Bool, [StreamTranslation]) = (false, [])
        var all: [StreamTranslation] = []
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let indent = line.prefix { $0 == " " }.utf8.count
            let words = line.dropFirst(indent)
            guard !words.isEmpty, !words.hasPrefix("#") else { return owners }
            let key = String(words.prefix { $0 != ":" })
            switch indent {
            case 0: (all, owners, isOfStreams) = ([], [], false)
            case 2:
                all = sources[key]?.streams ?? []
                streams = Dictionary(all.map { (FileText.key($0.streamName), $0) }) { first, _ in first }
                (owners, isOfStreams) = (all, false)
            case 4: (owners, isOfStreams) = (all, key == "streams")
            case 6 where isOfStreams: owners = streams[key].map { [$0] } ?? []
            default: break
            }
            return owners
        }
    }
}
