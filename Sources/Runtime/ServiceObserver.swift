import GarnerScheduler
import ServiceLifecycle

/// An observer hears of the state of the service. Telling it never waits and never fails.
package protocol ServiceObserver: Sendable {
    /// The interval of signs of life; nil if none are expected.
    var watchdogInterval: Duration? { get }
    /// The service has started or has finished reloading.
    func ready()
    /// The service reloads its configuration. `ready` follows.
    func reloading()
    /// A sign of life.
    func alive()
    func stopping()
}

/// A service that tells the service manager when the service is ready, alive and stopping.
struct ServiceAnnouncements: Service {
    let observer: any ServiceObserver
    let scheduler: SchedulerService
    let clock: any Clock<Duration>

    func run() async {
        await cancelWhenGracefulShutdown {
            // Everything due has been decided: from here on the service is ready.
            await scheduler.pulse()
            observer.ready()
            guard let interval = observer.watchdogInterval else {
                try? await gracefulShutdown()
                return
            }
            while (try? await clock.sleep(for: interval)) != nil {
                // A scheduler that does not handle its inputs is not alive.
                await scheduler.pulse()
                observer.alive()
            }
        }
        observer.stopping()
    }
}
