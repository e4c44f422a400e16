import GarnerCatalog
import Testing

struct TableNameTests {
    private func text(_ zoo: String, _ farm: String = "") -> String {
        """
        version: 1
        sources:
          zoo: { base_url: "https://z/", streams: { \(zoo) } }
          farm: { base_url: "https://f/", streams: { \(farm) } }
        """
    }

    @Test(arguments: [
        ("animals: , keepers:", "fields:", ["animals", "keepers", "fields"]),
        ("animals: , keepers:", "animals:", ["zoo_animals", "keepers", "farm_animals"]),
        ("animals:", "Animals:", ["zoo_animals", "farm_Animals"]),
        ("animals: { table: beasts }", "animals:", ["beasts", "animals"]),
        ("animals: { table: cows }", "cows:", ["cows", "farm_cows"]),
        ("a: { table: 'with space' }", "", ["with space"]),
    ])
    func `a table has the stream's name, with the source's where that is taken`(
        zoo: String, farm: String, expected: [String]
    ) throws {
        #expect(try Fixture.parse(text(zoo, farm)).streams.map(\.table) == expected)
    }

    @Test func `two names that differ in case alone are told to be one for SQL`() {
        let issues = Fixture.issues(text("A: , a: ", ""))
        #expect(
            issues.map(\.hint) == ["SQL takes 'A' and 'a' for one name; give one of them another name with 'table:'"])
    }

    @Test(arguments: [
        ("a: { table: x }", "b: { table: X }", "'zoo.a' and 'farm.b' would share the table 'X'"),
        ("A: , a: ", "", "'zoo.A' and 'zoo.a' would share the table 'zoo_a'"),
        ("a: { table: sqlite_x }", "", "the table of 'zoo.a' cannot begin with 'sqlite_'"),
        ("a: { table: SQLite_x }", "", "the table of 'zoo.a' cannot begin with 'sqlite_'"),
        ("_garner_runs:", "", "the table of 'zoo._garner_runs' cannot begin with '_garner_'"),
        ("a: { table: \"x\\0\" }", "", "the table of 'zoo.a' has a NUL in its name"),
        ("a: { table: '' }", "", "'table' is empty"),
        ("a.b:", "", "this name of a stream cannot be used"), ("'':", "", "this name of a stream cannot be used"),
        ("ä:", "", "this name of a stream cannot be used"), ("a b:", "", "this name of a stream cannot be used"),
    ])
    func `a table that cannot be is an issue`(zoo: String, farm: String, message: String) {
        let issues = Fixture.issues(text(zoo, farm))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.place.line == (farm.isEmpty ? 3 : 4))
        #expect(issues.first?.hint != nil)
    }

    @Test func `a source's name is checked too`() {
        let issues = Fixture.issues("version: 1\nsources: { \"a/b\": { base_url: \"https://z/\" } }")
        #expect(issues.map(\.summary) == ["2:12 this name of a source cannot be used"])
    }
}
