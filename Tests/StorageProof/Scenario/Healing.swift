import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerSQLite

/// The runs after one that went wrong: each read of the scenario that has not ended is gone on with, then all is settled.
struct Healing {
    let scenario: Scenario
    let path: String

    func complete(in writer: DatabaseWriter) async throws {
        for read in scenario.reads where try endedReads(of: read.stream) < read.ordinal {
            try await run(read, in: writer)
        }
        try await run(scenario.settling, in: writer, restarting: true)
    }

    private struct Lost: Error {
        let text: String
    }

    private func run(_ read: Scenario.Read, in writer: DatabaseWriter, restarting: Bool = false) async throws {
        let run = try await writer.begin(read.stream, identity: ScenarioRun.identity, restarting: restarting)
        _ = try await writer.openRead(of: run)
        guard let slice = try await writer.slices(of: run, limit: 1).first else {
            throw Lost(text: "the read of \(read.stream.name) has nothing left, and has not ended")
        }
        let position = slice.nextPosition ?? "page=1"
        guard let next = Int(position.dropFirst("page=".count)), read.pages.indices.contains(next - 1) else {
            throw Lost(text: "the read of \(read.stream.name) is to go on at \(position)")
        }
        for number in next...read.pages.count { _ = try await writer.commit(read.commit(number, to: slice), to: run) }
    }

    private func endedReads(of stream: StreamConfiguration) throws -> Int {
        let connection = try Connection(path: path, mode: .readOnly)
        defer { connection.close() }
        let count = try connection.integer(
            """
            SELECT count(*) FROM _garner_runs JOIN _garner_streams USING (stream_id)
            WHERE name = ?1 AND status = 'succeeded'
            """, .text(stream.name.description))
        return Int(count ?? 0)
    }
}
