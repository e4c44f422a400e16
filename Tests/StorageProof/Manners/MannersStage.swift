import GarnerCatalog
import GarnerFetcher
import Foundation
import GarnerModel
import GarnerPersistence
import SimulatedAPIs
import TestSupport

/// What all cases share: the shapes of the APIs, what `garner init` writes for them, and an empty database.
struct MannersStage: Sendable {
    static let epoch = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    let shapes: [APIShape]
    private let streams: [Result<StreamConfiguration, any Error>]
    private let folder: TemporaryFolder

    /// The path of an empty database.
    var template: String { folder.path("empty.db") }

    init() async throws {
        shapes = SimulatedAPI.all.map { APIShape(of: $0) }
        folder = try TemporaryFolder()
        var streams: [Result<StreamConfiguration, any Error>] = []
        for (api, shape) in zip(SimulatedAPI.all, shapes) {
            let clock = SleeplessClock(from: Self.epoch)
            let server = MannersServer(api, shape, clock: clock, seed: 1)
            let timing = Timing(clock: ContinuousClock(), now: { clock.time }, random: { 0.5 })
            do {
                streams.append(.success(try await api.initialized(through: server, timing: timing)))
            } catch {
                streams.append(.failure(error))
            }
        }
        self.streams = streams
        let writer = try DatabaseWriter(path: template, synchronous: .normal) { Self.epoch }
        await writer.close()
    }

    /// The cases of APIs with good manners: each, in each way to read it.
    var usualCases: [MannersCase] {
        SimulatedAPI.all.indices.flatMap { api in
            MannersCase.setups(of: api).map { MannersCase(usual: api, $0) }
        }
    }

    /// Returns what `garner init` writes for an API.
    func initialized(_ api: Int) throws -> StreamConfiguration { try streams[api].get() }

    /// Returns a stream that has all records of the case's API.
    func wholeStream(of item: MannersCase) throws -> StreamConfiguration {
        let api = SimulatedAPI.all[item.api]
        if let line = api.whole { return try api.stream([line]) }
        return try initialized(item.api)
    }
}
