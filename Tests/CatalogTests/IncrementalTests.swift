import Catalog
import Testing

struct IncrementalTests {
    @Test(arguments: [
        ("{ cursor_field: at }", Incremental(cursorField: "at")),
        ("{ cursor_field: $.meta.at, initial_value: 7 }", Incremental(cursorField: "$.meta.at", initialValue: "7")),
        (
            "{ cursor_field: at, initial_value: 2024-01-01, end_value: \"2024-02-01T00:00:00Z\", step: 7d, "
                + "lookback_window: PT1H }",
            Incremental(
                cursorField: "at", initialValue: "2024-01-01", endValue: "2024-02-01T00:00:00Z",
                step: .time(.seconds(604_800)), lookbackWindow: .time(.seconds(3600)))
        ),
        (
            "{ cursor_field: id, initial_value: -5, end_value: 100, step: 10, lookback_window: 1 }",
            Incremental(
                cursorField: "id", initialValue: "-5", endValue: "100", step: .count(10), lookbackWindow: .count(1))
        ),
    ])
    func `an incremental read takes its keys`(text: String, expected: Incremental) throws {
        let stream = try Fixture.stream("incremental: \(text)")
        #expect(stream.incremental == expected)
        #expect(try Fixture.stream("sync_mode: incremental\nincremental: \(text)").incremental == expected)
    }

    @Test(arguments: [
        ("incremental: {}", "'incremental.cursor_field' is missing"),
        ("incremental: { cursor_field: '' }", "'incremental.cursor_field' is empty"),
        ("incremental: { cursor_field: at, step: 1d }", "'incremental.step' needs 'incremental.initial_value'"),
        (
            "incremental: { cursor_field: at, initial_value: 1, step: 2 }",
            "'incremental.step' needs 'incremental.end_value'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 1, end_value: 9, step: 0 }",
            "'incremental.step' is out of range: '0'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 1, end_value: 9, step: 99999999999999999999 }",
            "'incremental.step' is out of range: '99999999999999999999'"
        ),
        ("incremental: { cursor_field: at, lookback_window: 0s }", "'incremental.lookback_window' is too short: '0s'"),
        ("incremental: { cursor_field: at, lookback_window: -1 }", "'incremental.lookback_window' is negative: '-1'"),
        (
            "incremental: { cursor_field: at, initial_value: 2024-01-01, step: 5 }",
            "'incremental.initial_value' does not fit 'incremental.step'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 5, step: 5d }",
            "'incremental.initial_value' does not fit 'incremental.step'"
        ),
        (
            "incremental: { cursor_field: at, initial_value: 2024-01-01, end_value: later, lookback_window: 1h }",
            "'incremental.end_value' does not fit 'incremental.lookback_window'"
        ),
        (
            "incremental: { cursor_field: at, end_value: '' }", "'incremental.end_value' is empty"
        ),
        ("sync_mode: incremental", "'sync_mode: incremental' needs 'incremental' in 'zoo.animals'"),
        (
            "sync_mode: full_refresh\nincremental: { cursor_field: at }",
            "'sync_mode: full_refresh' contradicts 'incremental' of 'zoo.animals'"
        ),
        (
            "delete_missing: soft\nincremental: { cursor_field: at }",
            "'delete_missing: soft' cannot work with 'incremental' of 'zoo.animals'"
        ),
        (
            "delete_missing: hard\nincremental: { cursor_field: at }",
            "'delete_missing: hard' cannot work with 'incremental' of 'zoo.animals'"
        ),
        ("incremental: { cursor_field: at, primary_key: id }", "unknown key 'primary_key'"),
        ("sync_mode: incremental\nincremental: { cursor: at }", "'incremental.cursor_field' is missing"),
    ])
    func `a wrong incremental key is an error`(lines: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.first?.message == message)
        #expect(issues.filter { !$0.message.hasPrefix("unknown key") }.count <= 1, "\(issues)")
        #expect(issues.first?.hint != nil)
    }

    @Test func `distances of two kinds do not fit`() {
        let issues = Fixture.issues(
            Fixture.streamText(
                "incremental: { cursor_field: at, initial_value: 5, end_value: 9, step: 5, lookback_window: 5m }"))
        #expect(issues.map(\.message) == ["'incremental.initial_value' does not fit 'incremental.lookback_window'"])
    }

    @Test func `what a source says is contradicted where it stands`() {
        let issues = Fixture.issues(
            """
            version: 1
            defaults: { delete_missing: soft }
            sources:
              zoo:
                base_url: https://a/
                streams:
                  a: { incremental: { cursor_field: at } }
                  b: { incremental: { cursor_field: at }, delete_missing: ignore }
                  c:
            """)
        #expect(
            issues.map(\.summary) == ["2:29 'delete_missing: soft' cannot work with 'incremental' of 'zoo.a'"])
    }
}
