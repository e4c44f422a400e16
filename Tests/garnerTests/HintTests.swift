import GarnerModel
import GarnerReports
import Testing

@testable import garner

struct HintTests {
    @Test func `a lost column is restored, or its table made anew`() {
        let statement = #"ALTER TABLE "animals" ADD COLUMN "a" INTEGER"#
        let words = """
            rename back what was renamed; or add it with '\(statement)' and sync with --full-refresh; or drop the table, \
            and the next sync makes it anew from all pages
            """
        #expect(Hint.restoreColumn(statement: statement, losesVersions: false).words == words)
        let more = ", without the versions of its rows"
        #expect(Hint.restoreColumn(statement: statement, losesVersions: true).words == words + more)
    }

    @Test func `the files of another user are taken over with a line that a shell reads`() {
        let words = "run it as that user, or take the files over with: sudo chown \"$(id -un)\" "
        #expect(Hint.takeOver(database: "data/a.db").words == words + "data/a.db*")
        #expect(Hint.takeOver(database: "my data/a.db").words == words + "'my data/a.db'*")
    }

    @Test func `a copy that exists is replaced with an option`() {
        #expect(Hint.nameAnotherFile.words == "name another file, or replace it with --force")
    }
}
