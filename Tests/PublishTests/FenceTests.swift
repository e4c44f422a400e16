import GarnerPostgres
import Testing

@testable import GarnerPublish

/// What a file and PostgreSQL mean together: each row of the table in docs/decisions/0068-published-tables.md.
struct FenceTests {
    static let (file, first, second, foreign) = (
        PostgresUUID.random(), PostgresUUID.random(), PostgresUUID.random(), PostgresUUID.random()
    )
    static let here = PublicationHolder(token: second, path: "/dev/null", version: "1")

    struct Case: Sendable, CustomStringConvertible {
        let description: String
        var token: PostgresUUID? = FenceTests.first
        var position: Int64 = 10
        var isHere = true
        var age: Duration = .zero
        var isReleased = false
        let expected: Fence.Verdict
    }

    /// The file has confirmed 8. Its first process made the notes 1 to 12, this one has made 13 to 20.
    static let cases = [
        Case(description: "no row", token: nil, expected: .new),
        Case(description: "the last process, at what is confirmed", position: 8, expected: .inStep),
        Case(description: "the last process, at its last note", position: 12, expected: .inStep),
        Case(description: "this process", token: second, position: 20, expected: .mine),
        Case(description: "the last process, below what is confirmed", position: 7, expected: .wentBack),
        Case(description: "this process, below what is confirmed", token: second, position: 7, expected: .wentBack),
        Case(description: "the last process, above its last note", position: 13, expected: .fileWentBack),
        Case(description: "this process, above its last note", token: second, position: 21, expected: .fileWentBack),
        Case(description: "another token", token: foreign, expected: .copied),
        Case(description: "another holder, seen now", isHere: false, expected: .held),
        Case(
            description: "another holder, below what is confirmed", position: 7, isHere: false, expected: .held),
        Case(description: "another holder, gone for long", isHere: false, age: .seconds(90), expected: .inStep),
        Case(description: "another holder that has ended", isHere: false, isReleased: true, expected: .inStep),
    ]

    @Test(arguments: cases)
    func `looking tells who may publish`(_ row: Case) {
        let last = row.token.flatMap { [Self.first: 12, Self.second: 20][$0] as Int64? }
        let standing = FileStanding(file: Self.file, confirmed: 8, lastNote: last)
        let found = row.token.map {
            FenceRow(
                token: $0, position: row.position, holder: row.isHere ? Self.here.holder : "elsewhere", host: "other",
                process: 7, age: row.age, isReleased: row.isReleased)
        }
        #expect(Fence(me: Self.here).verdict(on: found, of: standing) == row.expected)
    }
}
