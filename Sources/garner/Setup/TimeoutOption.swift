import ArgumentParser
import Catalog

/// How long a statement may run.
struct TimeoutOption: ParsableArguments {
    @Option(help: ArgumentHelp("How long it may take, such as 5m; 0s for no limit.", valueName: "duration"))
    var timeout: String?

    func validate() throws { _ = try duration(otherwise: nil) }

    /// nil: as long as it takes.
    func duration(otherwise: Duration?) throws -> Duration? {
        guard let timeout else { return otherwise }
        do {
            let duration = try DurationText.parse(timeout)
            return duration == .zero ? nil : duration
        } catch {
            throw ValidationError("'\(timeout)' is not a duration such as 30s or 5m")
        }
    }
}
