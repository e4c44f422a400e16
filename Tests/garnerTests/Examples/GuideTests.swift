import Testing

/// The pages of the documentation that show what commands print.
@Suite(.timeLimit(.minutes(5)))
struct GuideTests {
    static let pages = ["modes", "trying"]

    @Test(arguments: pages)
    func `a guide shows what its commands print`(name: String) async throws {
        try await Recipe(page: "docs/\(name).md", transcript: name).run()
    }
}
