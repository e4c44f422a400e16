import GarnerCatalog
import GarnerModel
import GarnerMaintenance
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// Tells of stored values that the configuration would not store any more.
enum HeldValues {
    /// Warns of each stream with such values. A database that does not exist or cannot be read is no matter of this check.
    static func warn(of streams: [StreamConfiguration], in configuration: Configuration, _ setup: Setup) {
        guard !setup.isQuiet else { return }
        let hidden = streams.compactMap { stream in
            HiddenFields(of: stream, among: configuration.streams).map { (stream: stream, fields: $0) }
        }
        guard !hidden.isEmpty, let reader = try? ReadOnlyDatabase(path: configuration.database) else { return }
        for (stream, fields) in hidden {
            do {
                guard let held = try fields.held(in: reader) else { continue }
                // A misspelt rule would remove other values than those that are meant.
                if let history = try reader.history(of: stream.name), stream.words(of: history.namedFields) != nil {
                    continue
                }
                let hint = Hint.pruneDropped(stream: stream.name.description)
                Setup.warn(words(of: held), of: stream, try: hint.words)
            } catch let error as PersistenceError where error.kind == .configuration {
                Setup.warn(error.message, of: stream, try: error.hint.words)
            } catch {
                continue
            }
        }
    }

    private static func words(of held: DroppedOutcome) -> String {
        let names = held.fields.map { "\($0.table).\($0.column)" }
        let places =
            (names.isEmpty ? [] : ["values of \(names.joined(separator: ", "))"])
            + (held.links > 0 ? ["links to files"] : [])
            + (held.quarantined > 0 ? ["records in quarantine"] : []) + (held.pages > 0 ? ["pages of a read"] : [])
            + (held.slices > 0 ? ["values in requests for it"] : [])
        return "the database still holds \(places.joined(separator: " and ")), which 'fields' keeps out"
    }
}
