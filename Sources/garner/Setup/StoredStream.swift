import Catalog
import Persistence

/// A stream of the database, whether or not it is still configured.
enum StoredStream {
    /// The stream with this full or unambiguous bare name.
    static func named(_ name: String, in archive: Archive) throws -> StreamName {
        let all = try archive.streamNames()
        if let exact = all.first(where: { $0.description == name }) { return exact }
        let candidates = all.filter { $0.stream == name }
        if let only = candidates.first, candidates.count == 1 { return only }
        guard candidates.isEmpty else {
            throw StreamSelectionError.ambiguous(name: name, candidates: candidates.map(\.description))
        }
        let spellings = name.contains(".") ? all.map(\.description) : all.map(\.stream)
        throw StreamSelectionError.unknown(name: name, suggestion: Suggestion.closest(to: name, among: spellings))
    }
}
