import Catalog
import Control
import Persistence

/// The `garner serve` that has the database, and can be asked.
struct RunningService: Sendable, CustomStringConvertible {
    let process: Int?
    let client: ControlClient

    /// nil where nobody writes to the database, or who does cannot be asked, such as a `garner sync`.
    init?(of configuration: Configuration, clock: any Clock<Duration>) async {
        // A socket alone may be what a dead service left, or a process that was not told of the database.
        guard case .held(let process) = WriterLock.state(of: configuration.database),
            let client = await ControlClient(reaching: configuration.database, clock: clock)
        else { return nil }
        self.process = process
        self.client = client
    }

    var description: String { "the running service\(process.map { " (process \($0))" } ?? "")" }
}
