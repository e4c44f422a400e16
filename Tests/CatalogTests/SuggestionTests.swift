import GarnerCatalog
import Testing

struct SuggestionTests {
    private let keys = ["paginator", "params", "path", "primary_key", "record_selector", "base_url", "limit"]

    @Test(arguments: [
        ("pagintor", "paginator"), ("pagination", "paginator"), ("apth", "path"), ("primaryKey", "primary_key"),
        ("primary-key", "primary_key"), ("BASE_URL", "base_url"), ("limits", "limit"), ("record", "record_selector"),
        ("selector", "record_selector"), ("Key", "primary_key"),
    ])
    func `a slip finds the word that was meant`(word: String, expected: String) {
        #expect(Suggestion.closest(to: word, among: keys) == expected)
    }

    @Test(arguments: ["", "x", "zebra", "pa", "completely_different", String(repeating: "p", count: 300)])
    func `a word that is like none finds none`(word: String) {
        #expect(Suggestion.closest(to: word, among: keys) == nil)
    }

    @Test(arguments: [
        ("viip", "vip"), ("emial", "email"), ("Email", "email"), ("crated_at", "created_at"),
        ("createdat", "created_at"),
        ("nam", "name"),
    ])
    func `a name that nothing has is taken for one that differs in a letter or two`(name: String, meant: String) {
        #expect(Suggestion.misspelt(name, among: ["id", "vip", "email", "created_at", "phone1", "name"]) == meant)
    }

    @Test(arguments: ["phone2", "ids", "ip", "mail_box", "created_by_us", "", "updated_at"])
    func `a name that may well be another one is not taken for a slip`(name: String) {
        #expect(Suggestion.misspelt(name, among: ["id", "vip", "email", "created_at", "phone1", "name"]) == nil)
    }

    @Test func `the nearest of several wins, and the first of equals`() {
        #expect(Suggestion.closest(to: "rows", among: ["row", "rowz", "rows2"]) == "row")
        #expect(Suggestion.closest(to: "synx", among: ["sink", "sync"]) == "sync")
        #expect(Suggestion.closest(to: "anything", among: []) == nil)
        #expect(Suggestion.closest(to: "basic", among: ["bearer", "http_basic", "api_key"]) == "http_basic")
        #expect(Suggestion.closest(to: "filter", among: ["record_filter", "row-filter"]) == nil)
    }
}
