import Catalog
package import Fetcher
import Persistence

extension Page {
    /// Throws `PersistenceError` if no record of a stream's first page has a field that the configuration names, while many have one
    /// with nearly that name.
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
