import TestSupport

extension VocabularyExamples {
    static let contract: [VocabularyExample] = [
        .init("schema_contract: evolve", grown(["1|7|", "2|x|y"], warns: true)),
        .init("schema_contract: { tables: freeze }", refused([:], code: 65)),
        .init("schema_contract: { tables: discard_row }", refused([:], warns: true)),
        .init(
            "schema_contract: { tables: quarantine }",
            refused(["SELECT reason FROM _garner_quarantine": ["there is no table animals yet"]], warns: true)),
        .init("schema_contract: { columns: freeze }", grown(["1|7"], code: 65)),
        .init("schema_contract: { columns: discard_row }", grown(["1|7"], warns: true)),
        .init("schema_contract: { columns: discard_value, data_types: evolve }", grown(["1|7", "2|x"], warns: true)),
        .init("schema_contract: { data_types: discard_value }", grown(["1|7|", "2||y"], warns: true)),
        .init(
            "schema_contract: { data_types: set_aside }", grown(["1|7||", #"2||y|{"n":"x"}"#], warns: true)),
        .init("schema_contract: { data_types: freeze }", grown(["1|7"], code: 65)),
        .init("schema_contract: quarantine", held),
        .init("merge_strategy: upsert", again(["1|8"])),
        .init("merge_strategy: insert_only", again(["1|7"])),
        .init("dedupe: false", again(["1|8"])),
        .init(
            "dedupe: true",
            Example(
                .init(
                    [.get("zoo.example/animals", gives: .json(#"[{"id":1,"n":7},{"n":7,"id":1},{"id":1}]"#))],
                    stored: ["SELECT id, n FROM animals": ["1|7", "1|"]]))),
    ]

    private static let old = #"[{"id":1,"n":7}]"#
    private static let wide = #"[{"id":2,"b":"y","n":"x"}]"#

    /// A table is made by one round, and meets a new member and a wider value in the next.
    private static func grown(_ rows: [String], code: Int32 = 0, warns: Bool = false) -> Example {
        Example(
            .init([.get("zoo.example/animals", gives: .json(old))], stored: ["animals": ["1|7"]]),
            .init(
                [.get("zoo.example/animals", gives: .json(wide))], stored: ["animals": rows], code: code, warns: warns))
    }

    private static func refused(
        _ stored: [String: [String]], code: Int32 = 0, warns: Bool = false
    ) -> Example {
        let noTable = ["SELECT name FROM sqlite_schema WHERE name = 'animals'": [String]()]
        return Example(
            .init(
                [.get("zoo.example/animals", gives: .json(old))], stored: stored.merging(noTable) { $1 }, code: code,
                warns: warns))
    }

    private static let held = Example(
        .init(
            [.get("zoo.example/animals", gives: .json(old))],
            stored: ["SELECT record FROM _garner_quarantine": [#"{"id":1,"n":7}"#]], warns: true))

    private static func again(_ rows: [String]) -> Example {
        Example(
            .init([.get("zoo.example/animals", gives: .json(old))], stored: ["animals": ["1|7"]]),
            .init([.get("zoo.example/animals", gives: .json(#"[{"id":1,"n":8}]"#))], stored: ["animals": rows]))
    }
}
