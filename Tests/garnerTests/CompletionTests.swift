import TestSupport
import Testing

/// The words that a shell offers after a part of a command line, as bash asks the script of `garner completions` for them.
@Suite(.timeLimit(.minutes(5)))
struct CompletionTests {
    @Test func `streams are completed from the configuration, tables and columns from the database`() async throws {
        try await LoopbackServer.serve({ _ in .json(#"[{"id":1,"name":"Aardvark"},{"id":2,"name":"Kea"}]"#) }) {
            server in
            let place = try Workplace(api: server.url, streams: ["animals", "plants"])
            #expect(try await place.garner("sync", "animals", "--quiet").code == 0)

            #expect(
                try await Self.words(after: ["sync", ""], in: place) == [
                    "animals", "plants", "zoo.animals", "zoo.plants",
                ])
            #expect(try await Self.words(after: ["trigger", "zoo.p"], in: place) == ["zoo.plants"])
            #expect(try await Self.words(after: ["rows", ""], in: place) == ["animals"])
            #expect(try await Self.words(after: ["rows", "animals", "--columns", "n"], in: place) == ["name"])

            try place.alter("CREATE VIEW birds AS SELECT id AS number, name FROM animals WHERE id > 1")
            #expect(try await Self.words(after: ["export", ""], in: place) == ["animals", "birds"])
            #expect(try await Self.words(after: ["schema", ""], in: place) == ["animals", "birds"])
            #expect(try await Self.words(after: ["rows", "birds", "--columns", "nu"], in: place) == ["number"])
        }
    }

    @Test func `a configuration that cannot be read completes nothing, and says nothing`() async throws {
        let place = try Workplace("version: [")
        #expect(try await Self.words(after: ["sync", ""], in: place) == [])
    }

    private static func words(after arguments: [String], in place: Workplace) async throws -> [String] {
        let words = (["garner"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            source <(garner completions bash)
            COMP_WORDS=(\(words)) COMP_CWORD=\(arguments.count) COMP_TYPE=9
            COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE}
            _garner garner "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" || true
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let ending = try await place.shell("bash -c '\(script.replacing("'", with: #"'\''"#))'")
        #expect(ending.errors == "")
        return ending.output.split(separator: "\n").map { $0.trimmingPrefix(" ") }.map(String.init).filter {
            !$0.hasPrefix("-")
        }.sorted()
    }
}
