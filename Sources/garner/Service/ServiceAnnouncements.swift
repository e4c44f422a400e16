import Scheduler
import ServiceLifecycle

/// Tells the system's service manager when the service is ready, that it is alive, and when it stops.
struct ServiceAnnouncements: Service {
    let notifier: ServiceNotifier
    let scheduler: SchedulerService
    let clock: any Clock<Duration>

    func run() async {
        await cancelWhenGracefulShutdown {
            // Decided on all that was due: from here on it serves.
            await scheduler.pulse()
            notifier.ready()
            guard let interval = notifier.watchdogInterval else {
                try? await gracefulShutdown()
                return
            }
            while (try? await clock.sleep(for: interval)) != nil {
                // A scheduler that does not come to read its mail is not alive.
                await scheduler.pulse()
                notifier.alive()
            }
        }
        notifier.stopping()
    }
}
