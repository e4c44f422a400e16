import GarnerCatalog
import GarnerModel
import GarnerScheduler
import Testing

@testable import GarnerRuntime

/// The streams and schedules that `garner serve` makes its timetable from.
struct ScheduledStreamsTests {
    private static let now = Timestamp(millisecondsSince1970: 1_769_846_700_000)

    private static func configuration(_ text: String) throws -> Configuration {
        try Configuration(parsing: text, file: "garner.yaml", environment: [:])
    }

    @Test func `each stream has its schedule, its parent and its source's host`() throws {
        let streams = try Self.configuration(
            """
            version: 1
            sources:
              zoo:
                base_url: https://API.Zoo.example:8443/v1
                schedule: { every: 1h }
                streams:
                  animals: { path: /animals, primary_key: id }
                  feedings: { path: "/animals/{parent.id}/feedings", parent: animals }
                  visitors: { path: /visitors, schedule: { every: 1m, overlap: queue_one } }
              park:
                base_url: http://[::1]/
                streams:
                  trees: { path: /trees }
            """
        ).scheduledStreams
        var queued = Schedule(every: .seconds(60))
        queued.overlap = .queueOne
        let expected = [
            ScheduledStream(zoo("animals"), Schedule(every: .seconds(3600)), host: "api.zoo.example"),
            ScheduledStream(
                zoo("feedings"), Schedule(every: .seconds(3600)), parent: zoo("animals"), host: "api.zoo.example"),
            // It runs when it is asked for.
            ScheduledStream(StreamName(source: "park", stream: "trees"), nil, host: "::1"),
            ScheduledStream(zoo("visitors"), queued, host: "api.zoo.example"),
        ]
        #expect(streams.sorted { $0.name.stream < $1.name.stream } == expected)
    }

    private func zoo(_ stream: String) -> StreamName { StreamName(source: "zoo", stream: stream) }

    @Test func `sixteen run at once, eight of them at one host, and its sources take turns`() throws {
        func source(_ name: String, at url: String) -> String {
            let streams = (10..<22).map { "      \(name)\($0): { path: /\($0) }\n" }.joined()
            return "  \(name):\n    base_url: \(url)\n    streams:\n\(streams)"
        }
        let configuration = try Self.configuration(
            "version: 1\nsources:\n" + source("ants", at: "https://one.example/ants")
                + source("bees", at: "https://One.example:8443/bees") + source("cats", at: "https://two.example/")
                + source("dogs", at: "https://three.example/"))
        var timetable = Timetable(
            configuration.scheduledStreams, maximumConcurrentRuns: SourceService.maximumConcurrentRuns)
        var starts = timetable.handle(.started(states: [:]), at: Self.now).compactMap(\.start)
        #expect(starts == [])
        for stream in configuration.scheduledStreams.sorted(by: { $0.name < $1.name }) {
            starts += timetable.handle(.wanted(stream.name, request: "x"), at: Self.now).compactMap(\.start)
        }
        let sources = starts.map(\.stream.source)
        #expect(sources == Array(repeating: "ants", count: 8) + Array(repeating: "cats", count: 8))

        // A place that becomes free is for a source that never ran, or else for the one that did so longest ago.
        var turns: [String] = []
        for ended in starts.prefix(4) {
            let result = RunResult(.succeeded)
            let finished = Timetable.Event.finished(ended.id, result, ended.state(after: result, at: Self.now))
            turns += timetable.handle(finished, at: Self.now).compactMap(\.start).map(\.stream.source)
        }
        #expect(turns == ["bees", "dogs", "ants", "bees"])
    }
}

extension Timetable.Action {
    fileprivate var start: Start? {
        if case .run(let start) = self { start } else { nil }
    }
}
