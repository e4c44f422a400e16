import Fetcher
import Synchronization

/// Remembers what the first page of a run has shown beyond the configuration.
final class FirstFindings: Sendable {
    private let found = Mutex<PageLayout?>(nil)

    func note(_ layout: PageLayout?) { found.withLock { $0 = $0 ?? layout } }

    /// One line for people who have said none of it: `records at $.data, key id, pages by Link`; nil where there is nothing
    /// to say.
    ///
    /// - Parameter key: the columns of a key that was inferred; nil where the configuration says it.
    func text(key: [String]?) -> String? {
        guard let layout = found.withLock(\.self) else { return nil }
        let records = layout.isDocument ? "the whole body is one record" : layout.recordsPath.map { "records at \($0)" }
        // Garner's own columns are not fields of the records.
        let key = key.map { $0.filter { !$0.hasPrefix("_garner_") } }
            .map { $0.isEmpty ? "no key" : "key \($0.joined(separator: ", "))" }
        let pages = layout.nextPage.map { "pages by \($0)" }
        let parts = [records, key, pages].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
