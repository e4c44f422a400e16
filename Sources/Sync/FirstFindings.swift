import GarnerCatalog
package import GarnerFetcher
import GarnerJSON
import GarnerPersistence
import Synchronization

/// The findings of a run's first page beyond the configuration.
final class FirstFindings: Sendable {
    private let found = Mutex<(layout: PageLayout?, hasRecords: Bool)>((nil, false))

    /// Returns true for the first page of the run that has records.
    func note(_ page: Page) -> Bool {
        // A filter may have left all of them out.
        let hasRecords = page.recordCount > 0 || !page.unseenFields.isEmpty
        return found.withLock { found in
            found.layout = found.layout ?? page.layout
            defer { found.hasRecords = found.hasRecords || hasRecords }
            return hasRecords && !found.hasRecords
        }
    }

    /// Returns the findings as one line, such as `records at $.data, key id, pages by Link`; nil if there are none.
    ///
    /// - Parameter key: The columns of an inferred key; nil if the configuration names the key.
    func text(key: [String]?) -> String? {
        guard let layout = found.withLock(\.layout) else { return nil }
        let records = layout.isDocument ? "the whole body is one record" : layout.recordsPath.map { "records at \($0)" }
        // Garner's own columns are not fields of the records.
        let key = key.map { $0.filter { !$0.hasPrefix("_garner_") } }
            .map { $0.isEmpty ? "no key" : "key \($0.joined(separator: ", "))" }
        let pages = layout.nextPage.map { "pages by \($0)" }
        let parts = [records, key, pages].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension Page {
    /// Throws `PersistenceError` if a first page lacks a field that the configuration names, and has one with nearly that name.
    ///
    /// - Parameters:
    ///   - known: The fields for which earlier reads have looked. However rare one is, it is no mistake.
    ///   - isNew: True if the stream was never read to its end.
    package func requireNames(known: [String: Bool], isNew: Bool) throws {
        // Garner 0.2 looked for names and did not note them.
        guard position.number == 0, isNew || !known.isEmpty else { return }
        for unseen in unseenFields where known[unseen.field.text] == nil {
            guard let meant = unseen.meant else { continue }
            throw PersistenceError(
                .configuration,
                "no record of the first page has '\(unseen.field.text)', which '\(unseen.field.key)' names",
                hint: "did you mean '\(meant)'? If not, add optional_fields: [\(unseen.field.written)]")
        }
    }
}
