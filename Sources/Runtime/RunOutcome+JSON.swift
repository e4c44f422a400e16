package import GarnerJSON
import GarnerModel
import GarnerPresentation
import GarnerReports
package import GarnerSync

extension RunOutcome {
    /// Returns the members of the object that `sync --json` prints. A dry run has no number, since another run will get it.
    package func jsonMembers(took duration: Duration, isDryRun: Bool = false) -> [(String, JSONText)] {
        let members: [(String, JSONText)] = [
            ("stream", .string(stream.description)), ("run_id", isDryRun ? .null : JSONText(record?.id)),
            ("status", .string(status.rawValue)),
        ]
        return members + counts.json + [
            ("duration_ms", .integer(duration.wholeMilliseconds)), ("error", failure?.json ?? .null),
            ("warning", JSONText(record?.warning)),
            ("completeness", JSONText(record?.completeness?.rawValue)),
            ("completeness_reason", JSONText(record?.completenessReason)),
            ("schema_changes", .array(record?.schemaChanges.map(\.json) ?? [])),
        ] + (isDryRun ? [("dry_run", .bool(true))] : [])
    }
}
