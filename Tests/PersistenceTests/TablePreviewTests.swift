import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence
import Testing

struct TablePreviewTests {
    private static let pages = [
        #"[{"id":1,"name":"x","weight":{"min":1,"max":2.5}},{"id":2,"name":null,"tags":[1]}]"#, "[1,2]", #"[{"a":1}]"#,
        #"[{"id":1.5,"uuid":"u"},{"id":2,"uuid":"v"}]"#, #"[{"ID":1,"id":2,"_rowid_":3}]"#,
    ]

    @Test(arguments: pages)
    func `a preview shows the table that a sync makes`(page: String) async throws {
        let preview = try TablePreview(of: .animals(), from: selection(page))
        let fixture = try Fixture()
        try await fixture.sync(.animals(), page)
        let stored = try ReadOnlyDatabase(path: fixture.path).description(of: "animals")
        #expect(preview.primaryKey == stored.primaryKey)
        #expect(preview.columns.map(\.name) == stored.columns.map(\.name))
        #expect(preview.columns.map(\.type) == stored.columns.map(\.type))
        #expect(preview.columns.map(\.path) == stored.columns.map(\.path))
    }

    @Test func `a record has a value or none for each column`() throws {
        let records = try selection(#"[{"id":1,"weight":{"min":1}},{"id":2,"weight":7,"name":null}]"#)
        let preview = try TablePreview(of: .animals(), from: records)
        #expect(preview.columns.map(\.name) == ["id", "weight__min", "weight", "name"])
        var texts: [[String?]] = []
        records.forEach { record in texts.append(preview.withValues(of: record) { $0.map { $0?.text } }) }
        #expect(texts == [["1", "1", nil, nil], ["2", nil, "7", "null"]])
    }

    @Test func `a scalar is its own value`() throws {
        let records = try selection("[7]")
        let preview = try TablePreview(of: .animals(), from: records)
        var texts: [String?] = []
        records.forEach { record in texts += preview.withValues(of: record) { $0.map { $0?.text } } }
        #expect(texts == ["7"])
    }

    @Test func `without records there are no columns`() throws {
        let preview = try TablePreview(of: .animals(), from: selection("[]"))
        #expect(preview.columns.isEmpty && preview.primaryKey.isEmpty)
    }

    @Test func `what a sync would refuse is refused`() throws {
        #expect(throws: PersistenceError.self) {
            try TablePreview(of: .animals(key: ["nothing"]), from: selection(#"[{"a":1}]"#))
        }
    }

    @Test(
        arguments: [
            (#"[{"updated_at":"2026-01-31T08:00:00Z"},{"updated_at":"2026-02-01"}]"#, [.init("updated_at")]),
            (#"[{"seq":1,"modified":1700000000}]"#, [.init("modified", .epoch), .init("seq", nil)]),
            (#"[{"updated":"yesterday"}]"#, []),
            (
                #"[{"generated_timestamp":1700000000,"UpdatedDateUTC":"/Date(1700000000000+0000)/","updated":1700000000000}]"#,
                [
                    .init("updated", .epochMilliseconds), .init("generated_timestamp", .epoch),
                    .init("UpdatedDateUTC", .microsoftJSON),
                ]
            ),
            (#"[{"updated":1700000000},{"updated":5}]"#, []),
            (#"[{"updated_at":"2026-01-31T08:00:00Z"},{}]"#, []), (#"[{"timestamp":1.5}]"#, []), ("[]", []),
            ("[1]", []),
            (#"[{"updated_at":null}]"#, []), (#"[{"born":"2026-01-31"}]"#, []),
        ] as [(String, [StarterFindings.CursorField])])
    func `a cursor has a time or an integer in each record`(page: String, fields: [StarterFindings.CursorField]) throws
    {
        #expect(try CursorInference.fields(of: selection(page)) == fields)
    }

    private func selection(_ array: String) throws -> Selection {
        let document = try Document(parsing: Bytes(array.utf8))
        return document.withRoot { Selection(valuesOf: $0, in: document) }
    }
}
