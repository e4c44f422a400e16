import Foundation
import TestSupport
import Testing

/// Every example of every command's help, run as it stands in the folder that the demo leaves, while its API runs.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HelpExampleTests {
    /// The reasons why some examples are not run here, by the example or by its beginning before a `…`.
    private static let notRun = [
        "garner drop zoo.animals --yes": "the examples after it need the stream",
        "garner add -- curl…": "needs another API; CurlTests run it",
        "garner init -- curl…": "needs another API; CurlTests and ReadmeTests run it",
        "garner add https…": "needs another API; AddTests and ReadmeTests run it",
        "garner add --from…": "needs a connector's file; ImportCommandTests run it",
        "garner add --openapi…": "needs a document; ImportCommandTests run it",
        "garner init --from…": "needs a connector's file; ImportCommandTests run it",
        "garner init --openapi…": "needs a document; ImportCommandTests run it",
        "garner init https…": "needs another API; AddTests, InitTests and ReadmeTests run it",
        "garner init": "the folder has a configuration already; InitTests run it",
        "garner sync sales --from…": "the demo has no incremental stream; BackfillTests run it",
        "garner fetch https…": "needs another server; FetchCommandTests run it",
        "garner demo…": "it makes the folder of this test anew",
        "garner completions…": "it writes into folders of the system; HelpTests run it",
        "garner browse --open": "it does not end; BrowseTests run it",
        "garner browse -d other.db": "it does not end, and needs another database; BrowseTests run it",
        "garner serve…": "it does not end; ServeTests run it",
        "garner query 'SELECT name FROM sqlite_schema' -d other.db": "needs another database; QueryTests run it",
        "garner migrate --to…": "needs PostgreSQL; ShardCommandTests run it",
        "garner workers…": "needs PostgreSQL; WorkerTests and ShardSpreadTests run it",
        "garner backup copies/": "needs PostgreSQL; ShardSpreadTests run it",
        "garner quarantine show 12": "nothing is in quarantine; QuarantineCommandTests run it",
        "garner quarantine drop 12 13": "nothing is in quarantine; QuarantineCommandTests run it",
    ]

    /// The output of an example, or a part of it.
    private static let results: [String: String] = [
        "garner browse --get /index.json": #""stream":"zoo.animals""#,
        "garner changes --limit 20": "10 → 16.0",
        "garner changes animals --since 2 --json": #""op":"delete""#,
        "garner check --connect zoo.animals": "zoo.animals: 20 records, more follow\n",
        "garner export --sql 'SELECT diet, count(*) FROM animals GROUP BY 1'": "diet,count(*)\n",
        "garner export animals --as-of 1 -o before.csv": "78 rows in before.csv\n",
        "garner export animals -o animals.ndjson": "79 rows in animals.ndjson\n",
        "garner export animals --attachments pictures": "79 files in pictures\n",
        "garner init --update": "zoo.animals: added to garner.yaml:\n",
        "garner fetch /animals/7 --auth animals": "Blue Whale",
        "garner get animals 7": "Blue Whale",
        "garner get animals 7 --json": #""media_type":"image/svg+xml""#,
        "garner plan": "/animals?per_page=20",
        "garner preview animals": "Orycteropus afer",
        "garner preview zoo.animals --limit 3 --json": #""primary_key":["id"]"#,
        "garner prune --dry-run": "would remove",
        "garner quarantine list animals": "Nothing is in quarantine.",
        "garner query 'SELECT * FROM animals WHERE id = :id' -p id=7 --json": #""name":"Blue Whale""#,
        "garner query 'SELECT name FROM animals LIMIT :n' -p n:int=3": "Aardvark",
        "garner query 'SELECT count(*) FROM animals' --as-of 1": "78",
        "echo 'SELECT count(*) FROM animals' | garner query -": "79",
        "garner query select name from animals": "Aardvark",
        "garner rows animals --where \"animal_type = 'Bird'\" --columns id,name": "Kea",
        "garner rows animals --where 'id = 11' --as-of 1": "European Hedgehog",
        "garner runs --json | jq '.[0].inserted'": "\n",
        "garner runs show 1": "78",
        "garner search animals 'blue whale'": "Blue Whale",
        "garner search animals whale --limit 5 --json": "Balaenoptera musculus",
        "garner search animals 'whale OR fox*' --raw": "Fennec Fox",
        "garner schema": "lifespan     REAL",
        "garner sync": "zoo.animals: succeeded, 4 pages, 0 inserted, 0 updated, 79 unchanged",
        "garner sync --json | jq .inserted": "0\n",
        "garner tables": "animals",
        "garner trigger zoo.animals": "No service is running; running it in this process.\n",
    ]

    @Test func `every example of the help works in the demo's folder`() async throws {
        let place = try Workplace()
        let demo = try place.start(["demo", "--serve", "--port", "0"], deadline: 175)
        try await eventually { demo.outputSoFar.contains("until you press Ctrl-C") }
        var unused = Set(Self.results.keys)
        for example in try await Self.examples(in: place) where Self.reason(against: example) == nil {
            let ending = try await place.shell("cd garner-demo; \(example)")
            let told = ending.output + ending.errors
            #expect(ending.code == 0, "\(example): \(told)")
            guard let result = Self.results[example] else { continue }
            unused.remove(example)
            #expect(told.contains(result), "\(example): \(told)")
        }
        #expect(unused.isEmpty, "the help has no such example")
        demo.send(15)
        #expect(try await demo.end().code == 0)
    }

    private static func reason(against example: String) -> String? {
        notRun.first { $0.key.hasSuffix("…") ? example.hasPrefix($0.key.dropLast()) : example == $0.key }?.value
    }

    /// The examples in the help of all commands, in order, without the part after a `#`.
    private static func examples(in place: Workplace) async throws -> [String] {
        var examples: [String] = []
        for command in HelpTests.commands {
            let help = try await place.garner(command, "--help").output
            let lines = help.prefix(upTo: help.firstRange(of: "\nUSAGE:")?.lowerBound ?? help.endIndex)
                .split(separator: "\n").filter { $0.hasPrefix("  garner ") || $0.hasPrefix("  echo ") }
            examples += lines.map { line in
                let example = line.firstRange(of: " # ").map { line[..<$0.lowerBound] } ?? line
                return example.trimmingCharacters(in: .whitespaces)
            }
        }
        return examples
    }
}
