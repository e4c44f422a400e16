import GarnerPostgres
import PostgresCluster
import TestSupport

/// One play of the workers, from an empty database to the books.
struct WorkersPlay {
    let place: WorkersPlace
    /// The instants that were served.
    private(set) var slots = 0
    /// The times at which a worker or a command took the right to write.
    private(set) var claims: Int64 = 0
    private(set) var figures = WorkersFigures()
    private var hurting: WorkersHurting
    private let company: WorkersCompany

    init(_ place: WorkersPlace, _ proxy: CuttingProxy, count: Int, seed: UInt64) {
        self.place = place
        hurting = WorkersHurting(place, proxy, count: count, dice: SplitMix64(seed: seed))
        company = WorkersCompany(place, SplitMix64(seed: seed ^ 0xc0))
    }

    /// Hurts the workers for a time.
    mutating func hurt(for time: Duration) async throws {
        try await playing { play in
            let company = play.company
            let others = [
                Task { try await company.read() }, Task { try await company.request() },
                Task { try await company.command() },
            ]
            var failure: (any Error)?
            do { try await play.hurting.hurt(for: time) } catch { failure = error }
            company.isOver.value = true
            for other in others {
                if case .failure(let error) = await other.result { failure = failure ?? error }
            }
            if let failure { throw failure }
            try await play.hurting.rest()
        }
    }

    /// Puts earlier pages of the database in the place of those that are there, while the workers go on, as a backup of PostgreSQL would.
    mutating func restore(times: Int) async throws {
        try await playing { play in
            let place = play.place
            try await play.hurting.rest()
            for number in 0..<times {
                try await place.noteRuns()
                let told = place.server.told
                try await place.script(
                    """
                    BEGIN ISOLATION LEVEL REPEATABLE READ;
                    DROP TABLE IF EXISTS saved_shards, saved_pages;
                    CREATE TABLE saved_shards AS SELECT * FROM _garner.shards;
                    CREATE TABLE saved_pages AS SELECT * FROM _garner.pages;
                    COMMIT
                    """)
                try await play.hurting.rest()
                // Its holder may be the only one that can tell, or another one claims it at once.
                let until = number.isMultiple(of: 2) ? "clock_timestamp() + interval '3 seconds'" : "saved.until"
                try await place.script(
                    """
                    BEGIN;
                    SELECT FROM _garner.shards FOR UPDATE;
                    UPDATE _garner.shards SET token = saved.token, worker = saved.worker, until = \(until),
                        stamp = saved.stamp, checksum = saved.checksum, pages = saved.pages FROM saved_shards AS saved
                        WHERE saved.shard = shards.shard;
                    DELETE FROM _garner.pages;
                    INSERT INTO _garner.pages SELECT * FROM saved_pages;
                    COMMIT
                    """)
                place.server.told = told
                try await play.hurting.rest()
                try await place.noteRuns()
            }
        }
    }

    /// Ends the workers after `body`, and closes the books.
    private mutating func playing(_ body: (inout WorkersPlay) async throws -> Void) async throws {
        do {
            try await body(&self)
            try await hurting.end()
        } catch {
            await hurting.kill()
            throw problem(error)
        }
        figures = hurting.figures
        figures.commands = company.commands
        do {
            slots = try await WorkersBooks(place: place, requests: company.requests).close()
        } catch {
            throw problem(error)
        }
        claims = try await place.admin("SELECT sum(claims)::bigint FROM _garner.shards").value?.integer ?? 0
    }

    /// Says also what was done before.
    private func problem(_ error: any Error) -> WorkersProblem {
        WorkersProblem("\(error), after: \(hurting.told.joined(separator: ", "))")
    }
}
