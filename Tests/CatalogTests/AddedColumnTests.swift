import GarnerModel
import Testing

@testable import GarnerCatalog

/// The columns of `fields.add`.
struct AddedColumnTests {
    private static let beganAt = Timestamp(millisecondsSince1970: 1_769_846_700_250)

    private static func column(_ written: String) throws -> AddedColumn {
        try #require(try Fixture.stream("fields: { add: { a: \(written) } }").fields.additions.first)
    }

    @Test(arguments: [
        ("\"{now}\"", "2026-01-31T08:05:00Z", ColumnType.text), ("\"{now - 7d, date}\"", "2026-01-24", .text),
        ("\"{now, epoch}\"", "1769846700", .integer), ("\"{now, epoch_ms}\"", "1769846700250", .integer),
        ("\"at {now, epoch}\"", "at 1769846700", .text), ("\"{now, %d.%m.%Y}\"", "31.01.2026", .text),
        ("web", "web", .text), ("\"12\"", "12", .text), ("2026-01-31", "2026-01-31", .text), ("\"\"", "", .text),
        ("12", "12", .integer), ("-1", "-1", .integer), ("1.5", "1.5", .real), ("1e3", "1000.0", .real),
        ("true", "true", .boolean), ("\"{ now }\"", "{ now }", .text), ("nan", "nan", .text), ("0x1F", "0x1F", .text),
    ])
    func `a column has the value and the type that are written`(written: String, value: String, type: ColumnType) throws
    {
        let column = try Self.column(written)
        #expect(column.content(ofReadBegunAt: Self.beganAt, in: .utc).description == value)
        #expect(column.type == type)
    }

    @Test func `days are those of the time zone`() throws {
        let zone = try #require(ZoneName("Asia/Tokyo"))
        let late = Timestamp(millisecondsSince1970: 1_769_900_400_000)
        #expect(try Self.column("\"{now, date}\"").content(ofReadBegunAt: late, in: zone) == .text("2026-02-01"))
    }

    @Test(arguments: [
        ("{ a: \"{parent.id}\" }", "'{parent.id}' in 'fields.add.a' of 'zoo.animals' needs 'parent'"),
        ("{ a: \"{partition.b}\" }", "'{partition.b}' in 'fields.add.a' of 'zoo.animals' names no partition"),
        ("{ a: \"{record.id} {now}\" }", "'{now}' cannot be in 'fields.add.a' beside what belongs to the record"),
        ("{ a: \"{record.b..c}\" }", "'{record.b..c}' cannot be in 'fields.add.a' beside what belongs to the record"),
        (
            "{ a: [\"{record.b}\", \"{records.c}\"] }",
            "'fields.add.a[1]' has no field of the record, its parent or partition"
        ),
        ("{ a: [] }", "'fields.add.a' is an empty list"),
        ("{ a: \"{record}\" }", "'{record}' cannot be in 'fields.add.a'"),
        ("{ a: \"{noww}\" }", "wrong placeholder '{noww}' in 'fields.add.a'"),
        ("{ a: \"{then}\" }", "'{then}' cannot be in 'fields.add.a'"),
        (
            "{ a: \"{incremental.end_value, date}\" }",
            "'{incremental.end_value, date}' in 'fields.add.a' of 'zoo.animals' needs 'incremental'"
        ),
        ("{ a: 99999999999999999999 }", "'fields.add.a' is a number that no column holds"),
        ("{ a: \"${TOKEN}\" }", "'fields.add.a' cannot hold '${…}'"),
        ("{ a: [b] }", "'fields.add.a[0]' has no field of the record, its parent or partition"),
        ("{ a: null }", "'fields.add.a' must be text, not empty"),
        ("{ _garner_at: b }", "'_garner_at' in 'fields.add' is a name that is not free"),
        ("{ _ROWID_: b }", "'_ROWID_' in 'fields.add' is a name that is not free"),
        ("{ $.a: b }", "'$.a' in 'fields.add' is a path, and a column has a name"),
        ("{ a: b, A: c }", "'fields.add' has the column 'A' twice, since SQL ignores case"),
    ])
    func `a value or a name that no column can have is refused`(written: String, message: String) {
        let issues = Fixture.issues(Fixture.streamText("fields: { add: \(written) }"))
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint != nil)
    }

    @Test(arguments: [
        ("fields: { add: { a: x }, rename: { b: A } }", "rename"), ("fields: { add: { a: x }, keep: [a] }", "keep"),
        ("fields: { add: { a: x }, types: { a: text } }", "hash' or 'types"),
        ("fields: { add: { a: x } }\nprimary_key: [b, a]", "primary_key"),
        ("fields: { add: { a: x } }\nincremental: { cursor_field: a }", "incremental"),
        ("fields: { add: { a: x } }\nsearch: a", "search"),
        ("fields: { add: { a: x } }\nattachments: [ { field: a } ]", "attachments"),
    ])
    func `a column with the name of a field is refused`(lines: String, key: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(
            issues.map(\.message) == [
                "'fields' of 'zoo.animals' adds 'a', which '\(key)' names as a field of the records"
            ])
    }

    @Test func `a column with the name of a partition's is refused`() {
        let issues = Fixture.issues(
            Fixture.streamText("path: /{partition.a}\npartitions: { a: [b] }\nfields: { add: { _a: x } }"))
        #expect(
            issues.map(\.message) == [
                "'fields' of 'zoo.animals' adds '_a', the column for a value of the partition or parent"
            ])
    }

    @Test(arguments: ["drop: [a]", "rename: { a: b }", "keep: [a, b], rename: { a: c }"])
    func `a field that is gone leaves its name to a column`(rules: String) throws {
        #expect(try Fixture.stream("fields: { \(rules), add: { a: x } }").fields.additions.map(\.name) == ["a"])
    }

    // MARK: Columns of what belongs to the records

    @Test func `a column is made of members of the record, of which the first with a value counts`() throws {
        let rules = try Fixture.stream(
            "fields: { add: { a: \"{record.b.c}\", d: [\"{record.e}\", \"{record.f}-{record.0}\"], g: \"{now}\" } }"
        ).fields
        #expect(rules.stamped.map(\.name) == ["g"])
        #expect(
            rules.composed == [
                ComposedColumn(name: "a", templates: [FieldTemplate(parts: [.record(["b", "c"])])]),
                ComposedColumn(
                    name: "d",
                    templates: [
                        FieldTemplate(parts: [.record(["e"])]),
                        FieldTemplate(parts: [.record(["f"]), .literal("-"), .record(["0"])]),
                    ]),
            ])
        #expect(rules.additions.map { "\($0.content)" }.first == "{record.b.c}")
    }

    @Test(arguments: [
        "fields: { add: { a: \"{record.b.id}\" } }\nprimary_key: [c, a]",
        "fields: { add: { a: \"{record.b.at}\" } }\nincremental: { cursor_field: a, stop_at_known: true }",
        "fields: { add: { a: \"{record.b}\" } }\nsearch: a",
        "fields: { keep: [b], add: { a: \"{record.c}\" } }\nprimary_key: [a]",
        "partitions: { x: [y] }\npath: /{partition.x}\nfields: { add: { a: \"{partition.x}\" } }\nprimary_key: [a, id]",
        "fields: { add: { a: \"{incremental.start_value}\" } }\nprimary_key: [a]\n"
            + "incremental: { cursor_field: at, lookback_window: 1h }\nparams: { s: \"{incremental.start_value}\" }",
        bound + "incremental: { cursor_field: a, step: 1d, initial_value: 2026-01-01 }" + start
            + "\nprimary_key: [a, id]",
    ])
    func `other keys may name a column of what belongs to the records`(lines: String) throws {
        #expect(try Fixture.parse(Fixture.streamText(lines)).warnings.isEmpty)
    }

    private static let partition = "partitions: { x: [y] }\npath: /{partition.x}\n"

    private static let bound = "fields: { add: { a: \"{incremental.start_value}\" } }\n"
    private static let start = "\nparams: { s: \"{incremental.start_value}\" }"
    private static let hashed = "rename: { email: mail }, add: { a: \"{record.email}\" } }"

    /// What is refused and why, the advice, and each line that follows it.
    private static let refused: [(String, String, advice: String, mended: [String])] = [
        (
            partition + "fields: { add: { a: \"{record.id}-{partition.x}\" } }",
            "'fields.add.a' of 'zoo.animals' has values of the parent or partition beside others",
            "make two columns of it", [partition + "fields: { add: { a: \"{record.id}\", b: \"{partition.x}\" } }"]
        ),
        (
            partition
                + "fields: { add: { a: \"{partition.x}\" } }\nincremental: { cursor_field: a, stop_at_known: true }",
            "'fields.add.a' of 'zoo.animals' is the same for all records of a request, and no cursor",
            "name a field of the records in 'cursor_field'",
            [
                partition
                    + "fields: { add: { a: \"{partition.x}\" } }\nincremental: { cursor_field: at, stop_at_known: true }"
            ]
        ),
        (
            bound + "incremental: { cursor_field: a }" + start,
            "'fields.add.a' of 'zoo.animals' is the same for all records of a request, and no cursor",
            "name a field of the records in 'cursor_field'", [bound + "incremental: { cursor_field: at }" + start]
        ),
        (
            bound + "incremental: { cursor_field: at, lookback_window: 1h }" + start,
            "'fields.add.a' of 'zoo.animals' is another one in each read, so that 'lookback_window' would update records that are as they were",
            "remove the column or 'lookback_window', or name the column in 'primary_key'",
            [
                "incremental: { cursor_field: at, lookback_window: 1h }" + start,
                bound + "incremental: { cursor_field: at }" + start,
                bound + "incremental: { cursor_field: at, lookback_window: 1h }\nprimary_key: a" + start,
            ]
        ),
        (
            "fields: { hash: { fields: [mail, id], key: \"${K}\" }, " + hashed,
            "'fields.add.a' of 'zoo.animals' stores 'email' as it comes, and 'hash' is to hide it",
            "remove the column, or the field from 'hash'",
            [
                "fields: { hash: { fields: [mail, id], key: \"${K}\" }, rename: { email: mail } }",
                "fields: { hash: { fields: [id], key: \"${K}\" }, " + hashed,
            ]
        ),
        (
            "fields: { keep: [a], add: { a: \"{record.b}\" } }",
            "'fields' of 'zoo.animals' adds 'a', which 'keep' names as a field of the records",
            "give the column another name in 'add'", ["fields: { keep: [a], add: { c: \"{record.b}\" } }"]
        ),
        (
            "fields: { add: { a: [] } }", "'fields.add.a' is an empty list",
            "such as [\"{record.changed}\", \"{record.created}\"]",
            ["fields: { add: { a: [\"{record.changed}\", \"{record.created}\"] } }"]
        ),
        (
            "fields: { add: { a: \"{then}\" } }", "'{then}' cannot be in 'fields.add.a'",
            "write {now}, {now - 7d}, {now, date} or a field of the record, such as {record.id}",
            ["{now}", "{now - 7d}", "{now, date}", "{record.id}"].map { "fields: { add: { a: \"\($0)\" } }" }
        ),
    ]

    @Test(arguments: refused)
    func `a column that would be wrong is refused, and what is advised is taken`(
        lines: String, message: String, advice: String, mended: [String]
    ) throws {
        let environment = ["K": "a key that is long enough for a hash"]
        let issues = Fixture.issues(Fixture.streamText(lines), environment: environment)
        #expect(issues.map(\.message) == [message])
        #expect(issues.first?.hint?.contains(advice) == true, "\(issues)")
        for lines in mended {
            let warnings = try Fixture.parse(Fixture.streamText(lines), environment: environment).warnings
            #expect(warnings.isEmpty, "\(lines): \(warnings)")
        }
    }

    private static let hides = "as it comes, and 'hash' is to hide it"
    private static let drops = "whole, and 'drop' leaves out a part of it"
    private static let keeps = "whole, and 'keep' leaves out a part of it"

    /// Rules, the member that a column is made of, and why it must not be stored; nil if it may be.
    @Test(
        arguments: [
            ("hash: [$.l.p]", "l.0.p", hides), ("hash: [$.l.p]", "l.0", hides), ("hash: [$.l.p]", "l.0.0.p", hides),
            ("hash: [$.d.e.p]", "d.e.0.p", hides), ("hash: [$.d.e.p]", "d.e.0.p.q", hides),
            ("hash: [l]", "l.0.p", hides),
            (#"hash: ["$.l['0']"]"#, "l.0", hides), ("hash: [$.l.p]", "l", hides), ("hash: [$.l.p]", "l.0.q", nil),
            ("hash: [$.l.p]", "0.l", nil), (#"hash: ["$.l['1'].p"]"#, "l.p", nil),
            ("drop: [$.o.p]", "o", drops), ("drop: [$.o.p]", "o.0", drops), ("drop: [$.o.p.q]", "o.p", drops),
            ("drop: [$.o.p]", "o.p", nil), ("drop: [$.o.p]", "o.0.p", nil), ("drop: [$.o.p]", "o.q", nil),
            ("drop: [o]", "o", nil), ("drop: [o]", "o.p", nil), (#"drop: ["$.m['1']"]"#, "m", drops),
            ("keep: [$.o.q]", "o", keeps), ("keep: [$.o.q]", "o.0", keeps), ("keep: [$.o.q, o]", "o", nil),
            ("keep: [$.o.q]", "o.q", nil), ("keep: [$.o.q]", "o.p", nil), ("keep: [$.o.q]", "p", nil),
        ] as [(String, String, String?)])
    func `a column has nothing of what the rules hide, also in lists, unless it names what is left out`(
        rule: String, member: String, problem: String?
    ) {
        let rule = rule.hasPrefix("hash: ") ? "hash: { fields: \(rule.dropFirst(6)), key: \"${K}\" }" : rule
        func issues(_ text: String) -> [ConfigurationIssue] {
            Fixture.issues(
                Fixture.streamText("fields: { \(rule), add: { a: \"\(text)\" } }"),
                environment: ["K": "a long key of a hash"])
        }
        for text in ["{record.\(member)}", "before {record.\(member)}"] {
            let found = issues(text)
            #expect(
                found.map(\.message)
                    == (problem.map { ["'fields.add.a' of 'zoo.animals' stores '\(member)' \($0)"] } ?? []))
            // A member that is advised in place of the whole is taken.
            let advised = found.first?.hint?.firstMatch(of: /\{record[^}]+\}/).map { String($0.0) }
            #expect((advised == nil) == (problem == nil || problem == Self.hides), "\(found)")
            if let advised { #expect(issues(advised).isEmpty, "\(advised)") }
        }
    }

    @Test(
        arguments: [
            ("{{ record.b }}", "{record.b}"), ("{ record.b }", "{record.b}"), ("{{record.b}}", "{record.b}"),
            ("{{ record['b']['c'] }}", "{record.b.c}"), ("x {record.$.b.c}", "{record.b.c}"),
            ("{record.b + 1}", "{record.b}"), ("{{ record[\"b\"] | upper }}", "{record.b}"),
            ("{record['b']", "{record.b}"), ("{ record }", "{record.id}"), ("{{ record.get('b') }}", "{record.b}"),
            ("{{ now_utc() }}", "{now}"), ("{{ stream_partition.b }}", "{parent.id}"),
            ("{{ stream_interval.start_time }}", "{incremental.start_value}"), ("{{ config['b'] }}", nil),
        ] as [(String, String?)])
    func `a template of another program is refused with the placeholder that is meant`(
        written: String, meant: String?
    ) throws {
        func issues(_ text: String, isList: Bool = false) -> [ConfigurationIssue] {
            let quoted = "'\(text.replacing("'", with: "''"))'"
            return Fixture.issues(Fixture.streamText("fields: { add: { a: \(isList ? "[\(quoted)]" : quoted) } }"))
        }
        for isList in [false, true] {
            let found = issues(written, isList: isList)
            #expect(found.count == 1)
            #expect(found.first?.message.hasSuffix("is no placeholder") == true, "\(found)")
            let hint = try #require(found.first?.hint)
            let line = hint.firstMatch(of: /\{[^}]+\}/).map { String($0.0) }
            #expect(line == meant)
        }
        // What needs a parent or an incremental read is told by other issues.
        if let meant, meant.hasPrefix("{record") || meant == "{now}" { #expect(issues(meant).isEmpty) }
    }

    @Test(arguments: [
        "{parent: 1}", "{ parents.b }", "{ a }", "{{ a }}", "record.b", "{\"record\": 1}",
    ])
    func `a text that only looks like a template stays one`(written: String) throws {
        #expect(try Fixture.parse(Fixture.streamText("fields: { add: { a: '\(written)' } }")).warnings.isEmpty)
    }

    @Test func `the members that a column is made of are looked for`() throws {
        let stream = try Fixture.stream(
            "fields: { add: { a: \"{record.b.c}\", d: [\"{record.e}\", \"{record.f}\"] } }\noptional_fields: [$.b.c]")
        #expect(stream.namedFields.map(\.text) == ["e", "f"])
        #expect(stream.namedFields.map(\.mayBeMissing) == [true, true])
    }
}
