import Catalog
import Model
import Persistence
import Reports
import ServiceLifecycle

/// A service that tells the hooks of streams that are overdue by more than a period, once until they are in time again.
///
/// It begins to look when the runs that were due at the start have had time to begin.
struct StaleWatch: Service {
    static let interval = Duration.seconds(15)
    private static let firstLook = Duration.seconds(60)

    let streams: LiveConfiguration
    let reader: DatabaseReader
    let hooks: HookRunner
    let clock: any Clock<Duration>
    let now: @Sendable () -> Timestamp

    func run() async {
        await cancelWhenGracefulShutdown {
            var told: Set<StreamName> = []
            guard (try? await clock.sleep(for: Self.firstLook)) != nil else { return }
            repeat {
                let watched = streams.configuration.streams.filter { !$0.hooks.onStale.isEmpty && $0.schedule != nil }
                if !watched.isEmpty { await look(at: watched, &told) }
            } while (try? await clock.sleep(for: Self.interval)) != nil
        }
    }

    private func look(at watched: [Catalog.Stream], _ told: inout Set<StreamName>) async {
        let instant = now()
        // A database that cannot be read now can be read later.
        guard
            let statuses = try? await reader.read({ reader in
                try StreamStatus.all(of: watched, in: reader, isWritten: true, now: instant)
            })
        else { return }
        for status in statuses {
            let name = status.stream.name
            if !status.isOverdue {
                told.remove(name)
            } else if told.insert(name).inserted {
                hooks.isStale(status.stream, due: status.nextDue)
            }
        }
    }
}
