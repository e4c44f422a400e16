import GarnerCatalog
import Testing

struct StoringKeyTests {
    @Test func `the brake is what is set, and Garner's own where nothing is`() throws {
        #expect(try Fixture.stream("write_disposition: replace").maxDeleteRatio == nil)
        #expect(try Fixture.stream("write_disposition: replace\nmax_delete_ratio: 0.2").maxDeleteRatio == 0.2)
        #expect(try Fixture.stream("write_disposition: merge").maxDeleteRatio == nil)
        let effective = try Fixture.parse(Fixture.streamText("write_disposition: replace")).effective
        let shown = effective.streams.first?.entries.first { $0.path == ["max_delete_ratio"] }
        #expect(shown.map { "\($0.value)" } == "auto")
    }

    @Test(arguments: [
        (
            "write_disposition: replace\ndelete_missing: soft",
            "8:25 'delete_missing: soft' has no place beside 'write_disposition: replace' of 'zoo.animals'"
        ),
        (
            "write_disposition: replace\ndelete_missing: hard",
            "8:25 'delete_missing: hard' has no place beside 'write_disposition: replace' of 'zoo.animals'"
        ),
        (
            "write_disposition: replace\nincremental: { cursor_field: at }",
            "7:28 'write_disposition: replace' cannot work with 'incremental' of 'zoo.animals'"
        ),
        (
            "write_disposition: append\nchild_tables: true",
            "8:23 'child_tables' cannot work with 'write_disposition: append' of 'zoo.animals'"
        ),
    ])
    func `what cannot be is an issue`(lines: String, summary: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.map(\.summary) == [summary])
        #expect(issues.first?.hint?.hasPrefix("write '") == true)
    }
}
