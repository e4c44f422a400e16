import GarnerCatalog
import Testing

struct SchemaContractTests {
    @Test(arguments: [
        ("path: a", SchemaContract()), ("schema_contract: {}", SchemaContract()),
        ("schema_contract: freeze", SchemaContract(tables: .freeze, columns: .freeze, dataTypes: .freeze)),
        ("schema_contract: { columns: discard_value }", SchemaContract(columns: .discardValue)),
        (
            "schema_contract: { tables: discard_row, data_types: quarantine }",
            SchemaContract(tables: .discardRow, dataTypes: .quarantine)
        ),
    ])
    func `one word sets the whole schema_contract, and a mapping sets the keys that it names`(
        lines: String, contract: SchemaContract
    ) throws {
        #expect(try Fixture.stream(lines).schemaContract == contract)
    }

    @Test func `schema_contract is inherited key by key`() throws {
        let text = """
            version: 1
            defaults: { schema_contract: quarantine }
            sources:
              zoo:
                base_url: https://zoo.example/
                schema_contract: { columns: freeze }
                streams:
                  animals: { schema_contract: { data_types: evolve } }
            """
        let configuration = try Fixture.parse(text)
        #expect(
            configuration.streams.map(\.schemaContract) == [
                SchemaContract(tables: .quarantine, columns: .freeze, dataTypes: .evolve)
            ])
        let shown = configuration.effective.streams[0].entries.filter { $0.path.first == "schema_contract" }
        #expect(
            shown.map { "\($0.path[1]) \($0.value) \($0.origin)" } == [
                "tables quarantine defaults, line 2", "columns freeze source, line 6",
                "data_types evolve stream, line 8",
            ])
    }

    @Test(arguments: [
        ("schema_contract: freez", "'schema_contract' cannot be 'freez'", "did you mean 'freeze'?"),
        (
            "schema_contract: wild", "'schema_contract' cannot be 'wild'",
            "write evolve, freeze, discard_row, discard_value or quarantine"
        ),
        ("schema_contract:", "'schema_contract' must be a mapping, not empty", "freeze"),
        ("schema_contract: [freeze]", "'schema_contract' must be a mapping, not a list", "columns: freeze"),
        ("schema_contract: { colums: freeze }", "unknown key 'colums'", "did you mean 'columns'?"),
        (
            "schema_contract: { data_types: drop }", "'schema_contract.data_types' cannot be 'drop'",
            "evolve, set_aside, freeze, discard_row, discard_value or quarantine"
        ),
        (
            "schema_contract: discard_value", "'schema_contract' cannot be 'discard_value' for tables",
            "columns: discard_value"
        ),
        (
            "schema_contract: { tables: discard_value }",
            "'schema_contract.tables' cannot be 'discard_value' for tables", "discard_row"
        ),
        ("merge_strategy: update", "'merge_strategy' cannot be 'update'", "upsert or insert_only"),
        ("dedupe: true\nprimary_key: id", "'dedupe' contradicts 'primary_key' of 'zoo.animals'", "remove one"),
        (
            "dedupe: true\nwrite_disposition: append",
            "'dedupe' contradicts 'write_disposition: append' of 'zoo.animals'", "remove one"
        ),
        (
            "write_disposition: append\nmerge_strategy: insert_only",
            "'merge_strategy: insert_only' contradicts 'write_disposition: append' of 'zoo.animals'", "remove one"
        ),
    ])
    func `what cannot be is refused with what may be meant`(lines: String, message: String, hint: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint?.contains(hint) == true, "\(issues)")
    }
}
