import Catalog
import Model
import Persistence
import Presentation

/// Tells of streams that are to delete missing rows, and read a part only, so that they never do.
enum KeptRows {
    /// Warns of each such stream, as its last read shows. A database that does not exist or cannot be read is no matter of
    /// this check.
    static func warn(of streams: [Catalog.Stream], in configuration: Configuration, _ setup: Setup) {
        guard !setup.isQuiet, let reader = try? ReadOnlyDatabase(path: configuration.database) else { return }
        for stream in streams where stream.deletesRows {
            guard let verdict = try? reader.history(of: stream.name)?.lastVerdict,
                stream.keepsMissingRows(after: verdict)
            else { continue }
            let key = stream.replacesTable ? "write_disposition: replace" : "delete_missing"
            let reason = verdict.reason ?? "a part was left out"
            let part = "its last read left a part out by choice (\(reason)), and \(key) deletes nothing then"
            StandardError.write(
                "Warning: \(stream.place): stream \(stream.name): \(part)\nTry: read all pages, or remove \(key)\n")
        }
    }
}
