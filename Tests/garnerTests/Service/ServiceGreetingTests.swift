import GarnerCatalog
import GarnerModel
import GarnerPresentation
import Testing

@testable import garner

struct ServiceGreetingTests {
    private static func text(
        _ schedule: String, _ record: ScheduleState? = nil, now: String = "2026-11-24T12:00:00Z"
    ) throws -> String {
        let configuration = try Configuration(
            parsing: """
                version: 1
                sources:
                  zoo:
                    base_url: https://zoo.example/
                    streams:
                      animals: { path: animals, schedule: { \(schedule) } }
                """, file: "garner.yaml", environment: [:])
        let records = record.map { ["zoo.animals": $0] } ?? [:]
        let now = try #require(Timestamp(rfc3339: now))
        return ServiceGreeting(configuration, records, now: now).text.text
    }

    @Test func `a stream that never ran is due now, and by cron at its first time`() throws {
        #expect(try Self.text("every: 1h") == "1 stream; zoo.animals due now. Ctrl-C stops.\n")
        let cron = try Self.text("cron: '5 12 * * *'")
        #expect(cron.contains(/due \d\d:\d5, in 5 min/), "\(cron)")
    }

    @Test func `the day is told of what is due later than in a day`() throws {
        let text = try Self.text("cron: '0 0 29 2 *'")
        #expect(text.contains(/due 2028-02-2[89] \d\d:\d\d, in 462 days/), "\(text)")
    }

    @Test func `the due time is that of the schedule in the file, not the stored one`() throws {
        let settled = try #require(Timestamp(rfc3339: "2026-11-24T11:59:50Z"))
        let record = ScheduleState(settled: settled, nextDue: settled.advanced(by: .seconds(2)))
        let text = try Self.text("cron: '30 13 * * *'", record)
        #expect(text.contains("in 90 min"), "\(text)")
    }

    @Test func `paused streams are not due`() throws {
        let record = ScheduleState(pausedAt: Timestamp(rfc3339: "2026-11-24T11:00:00Z"))
        #expect(try Self.text("every: 1h", record) == "1 stream, all paused. Ctrl-C stops.\n")
    }
}
