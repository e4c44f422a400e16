import Foundation
import TestSupport
import Testing

/// The recipes of the documentation, each against what its API answers.
@Suite(.timeLimit(.minutes(5)))
struct RecipeTests {
    private static let index = DocumentationPage("docs/recipes/README.md")

    private static let pages = names(in: "docs/recipes", endingIn: ".md").filter { $0 != "README" }

    @Test func `every recipe has a transcript and a place in the index, and every transcript a page`() {
        #expect(Self.pages.count == 18)
        #expect(Set(Self.names(in: Recipe.transcripts, endingIn: ".txt")) == Set(Self.pages + GuideTests.pages))
        let links = Self.index.text.matches(of: /\]\(([a-z-]+)\.md\)/).map { String($0.1) }
        #expect(links.sorted() == Self.pages)
        let readme = DocumentationPage("README.md").text
        let shown = readme.matches(of: /\(docs\/recipes\/([a-z-]+)\.md\)/).map { String($0.1) }
        #expect(shown.sorted() == Self.pages)
    }

    @Test(arguments: pages)
    func `a recipe stores all that its API has, then nothing new, then what has changed`(name: String) async throws {
        let recipe = try Recipe(page: "docs/recipes/\(name).md", transcript: name)
        #expect(recipe.page.blocks(in: "yaml").count == 1)
        #expect(recipe.variables.set == recipe.variables.needed)
        let rounds = recipe.transcript.rounds
        try #require(rounds.count > 2)
        for round in rounds {
            #expect(!round.endings.isEmpty && round.endings.allSatisfy { $0.contains(": complete, ") })
        }
        #expect(rounds[0].stored.keys.contains { $0.hasPrefix("SELECT * FROM ") })
        #expect(
            rounds[1].endings.allSatisfy { $0.contains(", 0 inserted, 0 updated, ") && $0.hasSuffix(", 0 deleted") })
        #expect(rounds[2].endings.contains { !$0.contains(", 0 inserted, 0 updated, ") })
        #expect(recipe.commands.contains { $0.output != nil })
        try await recipe.run()
    }

    private static func names(in folder: String, endingIn ending: String) -> [String] {
        let path = DocumentationPage.root.appending(path: folder).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
    }
}
