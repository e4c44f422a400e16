#if os(Linux)
    import Dispatch
    import Foundation
    import TestSupport
    import Testing

    @testable import garner

    /// Notifications as a service manager's socket gets them.
    @Suite(.timeLimit(.minutes(5)))
    struct ServiceNotifierTests {
        @Test(arguments: [true, false])
        func `the service manager hears each step`(isAbstract: Bool) throws {
            let folder = try TemporaryFolder()
            let name = isAbstract ? "@garner-test-\(UUID())" : folder.path("s")
            let manager = try NotifySocket(name)
            let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": name])
            #expect(notifier.isActive)
            notifier.ready()
            notifier.alive()
            // Of CLOCK_MONOTONIC, too.
            let before = DispatchTime.now().uptimeNanoseconds / 1000
            notifier.reloading()
            notifier.ready()
            notifier.stopping()
            var messages = manager.messages()
            let reloading = messages.remove(at: 2).split(separator: "\n")
            #expect(messages == ["READY=1", "WATCHDOG=1", "READY=1", "STOPPING=1"])
            #expect(reloading.first == "RELOADING=1")
            let microseconds = try #require(reloading.last?.wholeMatch(of: /MONOTONIC_USEC=(\d+)/)).1
            #expect(try #require(UInt64(microseconds)) >= before)
        }

        @Test(arguments: [
            [:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "@"],
            ["NOTIFY_SOCKET": "vsock:2:1234"], ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)],
        ])
        func `without a socket nobody is told`(environment: [String: String]) {
            let notifier = ServiceNotifier(environment: environment.merging(["WATCHDOG_USEC": "1000000"]) { $1 })
            #expect(!notifier.isActive)
            #expect(notifier.watchdogInterval == nil)
            notifier.ready()
        }

        @Test func `a manager that is gone, or does not listen, stops nobody`() throws {
            let folder = try TemporaryFolder()
            ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path("none")]).ready()
            let manager = try NotifySocket(folder.path("s"))
            let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": folder.path("s")])
            // More than any socket queues.
            for _ in 0..<5000 { notifier.alive() }
            #expect(!manager.messages().isEmpty)
        }

        @Test(arguments: [
            (["WATCHDOG_USEC": "60000000"], Duration.seconds(30)),
            (["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"], nil),
            (["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "\(getpid())"], .seconds(30)), (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "soon"], nil), (["WATCHDOG_USEC": "-5"], nil), ([:], nil),
        ])
        func `a sign of life is due in half of the time`(environment: [String: String], interval: Duration?) {
            let whole = environment.merging(["NOTIFY_SOCKET": "/run/systemd/notify"]) { $1 }
            #expect(ServiceNotifier(environment: whole).watchdogInterval == interval)
        }
    }
#endif
