import Testing

@testable import GarnerCatalog

struct ReadIdentityTests {
    @Test func `a read identity lists everything that decides what the pages hold, without secrets`() throws {
        let stream = try Fixture.stream(
            """
            path: animals?x=1
            headers: { X-Tenant: zoo, Authorization: "${TOKEN}" }
            params: { api_key: "${TOKEN}", kind: cat }
            paginator: { type: offset, limit: 5 }
            primary_key: [a, b]
            schedule: { every: 1m }
            """, environment: ["TOKEN": "s3cret"])
        #expect(
            stream.readIdentity == """
                url=https://api.example.com/ animals?x=1
                method=GET
                param=api_key=***
                param=kind=cat
                header=x-tenant=zoo
                header=authorization=***
                paginator.type=offset
                paginator.offset_param=offset
                paginator.limit_param=limit
                paginator.limit=5
                paginator.stop_after_empty_page=auto
                paginator.allow_cross_origin=false
                record_selector=auto
                primary_key=a,b
                flatten_depth=1

                """)
    }

    @Test(arguments: [
        "path: b", "params: { a: 1 }", "headers: { X-A: b }", "json: { a: 1 }",
        "form: { a: b }", "body: a", "method: PUT", "params: { a: [b, c] }", "paginator: { type: single_page }",
        "record_selector: $.a", "primary_key: a", "flatten_depth: 0", "write_disposition: replace",
        "child_tables: true",
        "partitions: { a: [b] }\nparams: { c: \"{partition.a}\" }",
        "partitions: { a: { file: b } }\nparams: { c: \"{partition.a}\" }",
        "partitions: { a: { query: SELECT b } }\nparams: { c: \"{partition.a}\" }",
        "schema_contract: freeze", "schema_contract: { columns: discard_value }", "merge_strategy: insert_only",
        "dedupe: true",
        "incremental: { cursor_field: at }", "incremental: {}", "response_actions: [ { status: 404, action: ignore } ]",
        "response: { charset: iso-8859-1 }", "response: { media_types: [text/plain] }",
        "record_shape: { type: columns }", "record_filter: \"@.a\"", "deleted_when: \"@.a\"", "fields: { drop: a }",
        "fields: { rename: { a: b } }", "fields: { types: { a: text } }",
        "fields: { hash: { fields: [a], key: x } }", "fields: { add: { a: \"{record.b}\" } }",
        "response_actions: [ { when: $.code == 1, action: end } ]",
    ])
    func `a setting that changes the pages changes the read identity`(lines: String) throws {
        #expect(try Fixture.stream(lines).readIdentity != Fixture.stream("{}").readIdentity)
    }

    @Test(arguments: [
        "cursor_datetime_format: epoch", "cursor_datetime_format: [epoch, date]", "datetime_format: date",
        "timezone: Europe/Berlin",
    ])
    func `a format of cursors is part of the read identity`(key: String) throws {
        let identity = try Fixture.stream("incremental: { cursor_field: at, \(key) }").readIdentity
        #expect(try identity != Fixture.stream("incremental: { cursor_field: at }").readIdentity)
    }

    @Test func `the same fields as a form and as JSON are different reads`() throws {
        #expect(
            try Fixture.stream("json: { a: b }").readIdentity != Fixture.stream("form: { a: b }").readIdentity)
    }

    @Test(arguments: [
        "schedule: { every: 1m }", "retry: { max_attempts: 1 }", "limits: { total: 1m }", "table: other",
        "response_actions: [ { status: 404, action: retry } ]",
        "delete_missing: soft", "schema_contract: evolve", "merge_strategy: upsert", "dedupe: false",
        "history: true", "search: name",
        "fields: { add: { fetched_at: \"{now}\" } }", "hooks: { ping: \"https://ping.example/${TOKEN}\" }",
        "write_disposition: append", "auth: { type: bearer, token: \"${TOKEN}\" }",
    ])
    func `a setting that does not change the pages keeps the read identity`(lines: String) throws {
        #expect(
            try Fixture.stream(lines, environment: ["TOKEN": "t"]).readIdentity == Fixture.stream("{}").readIdentity)
    }
}
