import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StreamSyncTests {
    @Test func `pages are stored in their order, with exact counts`() async throws {
        try await SyncRig.run({ .page($0.page, of: 3) }) { rig in
            let progress = Watched<[Int]>([])

            let outcome = try await rig.sync { counts in progress.change { $0.append(counts.pages) } }

            #expect(outcome.status == .succeeded)
            #expect(outcome.failure == nil)
            #expect(rig.pagesAsked == [1, 2, 3])
            // Pages that have come together are stored together.
            #expect(progress.value.count == 3 && progress.value.last == 3)
            #expect(progress.value == progress.value.sorted())
            #expect(try rig.integers("SELECT id FROM animals ORDER BY rowid") == [1, 2, 3, 4, 5, 6])
            let counts = outcome.counts
            #expect(
                [counts.pages, counts.requests, counts.inserted, counts.updated, counts.unchanged] == [3, 3, 6, 0, 0])
            #expect(counts.bytes == 250)
            #expect(try rig.integers("SELECT is_complete FROM _garner_runs") == [1])
        }
    }

    @Test func `the next two pages are fetched while this one is stored, and no further one`() async throws {
        let asked = Watched(0)
        let stored = Watched(0)
        let farthest = Watched(0)
        let waitsForRequest = Watched(false)
        let gaveUp = Watched(false)
        try await SyncRig.run(
            { request in
                asked.value = request.page
                farthest.change { $0 = max($0, request.page - stored.value) }
                return .page(request.page, of: 6)
            },
            now: {
                guard waitsForRequest.value, asked.value < 6 else { return SyncRig.epoch }
                // This page is stored only after the next two were asked for; one more would come in the time that follows.
                let clock = ContinuousClock()
                let (next, deadline) = (stored.value + 3, clock.now + .seconds(10))
                while asked.value < next, clock.now < deadline { blockBriefly() }
                if asked.value < next { gaveUp.value = true }
                let patience = clock.now + .milliseconds(20)
                while asked.value == next, clock.now < patience { blockBriefly() }
                return SyncRig.epoch
            }, synchronous: .full
        ) { rig in
            let outcome = try await rig.sync { counts in
                stored.value = counts.pages
                waitsForRequest.value = counts.pages < 4
            }
            #expect(outcome.status == .succeeded)
            #expect(farthest.value == 3)
            #expect(!gaveUp.value, "a page was asked for only after the one two before it was stored")
        }
    }

    @Test func `requests are counted with their retries`() async throws {
        let refusals = Watched(2)
        let clock = ManualClock()
        try await SyncRig.run({ request in
            let isRefused =
                request.page == 2
                && refusals.change { left in
                    defer { left -= 1 }
                    return left > 0
                }
            return isRefused ? .status(503) : .page(request.page, of: 2)
        }) { rig in
            async let outcome = rig.sync(
                rig.stream { $0.retry = RetryPolicy(maxAttempts: 3, baseDelay: .milliseconds(500)) }, clock: clock)
            await clock.sleeper(for: .milliseconds(250))
            clock.advance(by: .milliseconds(250))
            await clock.sleeper(for: .milliseconds(500))
            clock.advance(by: .milliseconds(500))
            let (status, counts) = try await (outcome.status, outcome.counts)
            #expect(status == .succeeded)
            #expect([counts.pages, counts.requests] == [2, 4])
            #expect(rig.pagesAsked == [1, 2, 2, 2])
        }
    }

    @Test func `one stream's failure leaves the others on the same store running`() async throws {
        try await SyncRig.run({ request in
            request.target.hasPrefix("/plants") ? .status(500) : .page(request.page, of: 20)
        }) { rig in
            async let animals = rig.sync(rig.stream("animals"))
            async let plants = rig.sync(rig.stream("plants"))
            async let fungi = rig.sync(rig.stream("fungi"))
            let outcomes = try await [animals, plants, fungi]
            #expect(outcomes.map(\.status) == [.succeeded, .failed, .succeeded])
            #expect(outcomes.map(\.counts.inserted) == [40, 0, 40])
            #expect(outcomes.map(\.failure?.category.rawValue) == [nil, 69, nil])
            #expect(try rig.integers("SELECT count(*) FROM fungi") == [40])
        }
    }

    @Test func `a run that cannot begin says why, and one row stands for all such runs`() async throws {
        try await SyncRig.run({ .page($0.page, of: 1) }) { rig in
            _ = try await rig.sync()
            for times in 1...2 {
                let outcome = try await rig.sync(rig.stream("plants") { $0.table = "animals" })
                #expect(outcome.status == .failed)
                #expect(outcome.record?.id == 2)
                #expect(outcome.record?.timesNotBegun == times)
                #expect(outcome.failure?.category.rawValue == 78)
            }
            #expect(try rig.integers("SELECT count(*) FROM _garner_runs") == [2])
        }
    }
}
