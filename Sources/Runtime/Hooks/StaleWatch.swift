import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerReports
import ServiceLifecycle

/// A service that tells the hooks of streams that are overdue by more than a period, once until they are in time again. The
/// database has which were told of, so that a service that starts does not tell them again.
///
/// It begins to look when the runs that were due at the start have had time to begin.
struct StaleWatch: Service {
    static let interval = Duration.seconds(15)
    private static let firstLook = Duration.seconds(60)

    let streams: LiveConfiguration
    let reader: DatabaseReader
    let writer: DatabaseWriter
    let hooks: HookRunner
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp

    func run() async {
        await cancelWhenGracefulShutdown {
            guard (try? await clock.sleep(for: Self.firstLook)) != nil else { return }
            var told: Set<String>?
            repeat {
                let watched = streams.configuration.streams.filter { !$0.hooks.onStale.isEmpty && $0.schedule != nil }
                if !watched.isEmpty { await look(at: watched, &told) }
            } while (try? await clock.sleep(for: Self.interval)) != nil
        }
    }

    /// - Parameter told: The streams of which the hooks were told; nil before the first look.
    private func look(at watched: [StreamConfiguration], _ told: inout Set<String>?) async {
        let (instant, known) = (now(), told)
        // A database that cannot be read now can be read later.
        guard
            let (statuses, earlier) = try? await reader.read({ reader in
                (
                    try StreamStatus.all(of: watched, in: reader, isWritten: true, now: instant),
                    try known ?? Set(reader.overdueStreamsTold())
                )
            })
        else { return }
        told = earlier
        for status in statuses {
            let name = status.stream.name.description
            guard status.isOverdue != earlier.contains(name) else { continue }
            if status.isOverdue {
                told?.insert(name)
                hooks.isStale(status.stream, due: status.missedDue ?? status.nextDue)
            } else {
                told?.remove(name)
            }
            // If this fails, a service that starts later tells the hooks again.
            try? await writer.noteOverdue(status.stream, isTold: status.isOverdue)
        }
    }
}
