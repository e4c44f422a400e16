import GarnerPostgres
import Testing

struct ValueTests {
    static let scalars: [(String, PostgresValue)] = [
        ("boolean", .boolean(true)), ("boolean", .boolean(false)),
        ("bigint", .integer(.max)), ("bigint", .integer(.min)), ("bigint", .integer(-1)),
        ("double precision", .double(0.1 + 0.2)), ("double precision", .double(.infinity)),
        ("double precision", .double(-.infinity)), ("double precision", .double(.leastNonzeroMagnitude)),
        ("double precision", .double(-.greatestFiniteMagnitude)),
        ("text", .text("")), ("text", .text("O'Brien \\ \"x\" $1\n\t\r")),
        ("text", .text("e\u{301} 👩‍👩‍👧 \u{10FFFF}\u{FFFE}")),
        ("bytea", .bytes([])), ("bytea", .bytes(Array(0...255))),
        ("timestamptz", .instant(0)), ("timestamptz", .instant(-1)), ("timestamptz", .instant(1_769_846_700_123_456)),
        ("timestamptz", .instant(.max)), ("timestamptz", .instant(.min)),
        ("uuid", .uuid(.random())), ("text", .null), ("bigint", .null),
    ]

    @Test(arguments: scalars) func `a value comes back as it went`(type: String, value: PostgresValue) async throws {
        let connection = try await connection()
        let result = try await connection.execute("SELECT $1::\(type) AS it", value)
        #expect(result.columns == ["it"])
        #expect(result.rows == [[value]])
    }

    @Test func `the sign of zero, and what is no number, are kept`() async throws {
        let connection = try await connection()
        let values = try await connection.execute("SELECT $1, $2", .double(-0.0), .double(.nan)).rows[0]
        guard case .double(let zero) = values[0], case .double(let nan) = values[1] else {
            Issue.record("\(values)")
            return
        }
        #expect(zero == 0 && zero.sign == .minus)
        #expect(nan.isNaN)
    }

    @Test func `the server understands values as they are meant`() async throws {
        let connection = try await connection()
        let uuid = try #require(PostgresUUID("01234567-89ab-cdef-0123-456789abcdef"))
        let result = try await connection.execute(
            "SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::numeric::text, $7->>'a'",
            .instant(1_769_846_700_123_456), .uuid(uuid), .bytes([0, 255]), .instant(.max), .boolean(true),
            .untyped("1234567890123456789012345678901234567890.5"), .json(#"{"a": "é"}"#))
        #expect(
            result.rows == [
                [
                    .text("2026-01-31 08:05:00.123456+00"), .text("01234567-89ab-cdef-0123-456789abcdef"),
                    .text(#"\x00ff"#), .text("infinity"), .text("true"),
                    .text("1234567890123456789012345678901234567890.5"), .text("é"),
                ]
            ])
    }

    @Test func `results of shorter types become the same values`() async throws {
        let connection = try await connection()
        let result = try await connection.execute(
            """
            SELECT (-2)::smallint, (-3)::integer, 4000000000::oid, 0.5::real, 'a'::varchar, 'b'::char(2), 'c'::name,
                '{"a":1}'::json, '[1]'::jsonb, 1.5::numeric
            """)
        #expect(
            result.rows.first?.prefix(9) == [
                .integer(-2), .integer(-3), .integer(4_000_000_000), .double(0.5), .text("a"), .text("b "), .text("c"),
                .json(#"{"a":1}"#), .json("[1]"),
            ])
        guard case .other(type: 1700, _)? = result.rows.first?.last else {
            Issue.record("\(result)")
            return
        }
    }

    static let arrays: [PostgresValue] = [
        .booleans([true, nil, false]), .integers([.min, nil, .max]), .doubles([-.infinity, nil, 0.1]),
        .texts(["", nil, "NULL", #"{"a,b"}"#]), .byteStrings([[], nil, [0, 255]]), .instants([0, nil, -1, .max]),
        .uuids([.random(), nil]), .integers([]), .texts([]), .texts([nil]),
    ]

    @Test(arguments: arrays) func `an array becomes rows`(array: PostgresValue) async throws {
        let connection = try await connection()
        let expected: [PostgresValue] =
            switch array {
            case .booleans(let values): values.map { $0.map { .boolean($0) } ?? .null }
            case .integers(let values): values.map { $0.map { .integer($0) } ?? .null }
            case .doubles(let values): values.map { $0.map { .double($0) } ?? .null }
            case .texts(let values): values.map { $0.map { .text($0) } ?? .null }
            case .byteStrings(let values): values.map { $0.map { .bytes($0) } ?? .null }
            case .instants(let values): values.map { $0.map { .instant($0) } ?? .null }
            case .uuids(let values): values.map { $0.map { .uuid($0) } ?? .null }
            default: []
            }
        let result = try await connection.execute("SELECT * FROM unnest($1)", array)
        #expect(result.rows == expected.map { [$0] })
    }

    @Test func `a text may hold every scalar but NUL`() async throws {
        let connection = try await connection()
        var text = ""
        for number in UInt32(1)...0x10FFFF {
            if let scalar = Unicode.Scalar(number) { text.unicodeScalars.append(scalar) }
        }
        let result = try await connection.execute("SELECT $1, char_length($1)", .text(text))
        #expect(result.rows[0][0].text?.utf8.elementsEqual(text.utf8) == true)
        #expect(result.rows[0][1] == .integer(0x110000 - 0x800 - 1))
    }

    static let refused: [(PostgresValue, PostgresError.Kind)] = [
        (.text("a\0b"), .textWithNUL), (.texts(["a", "\0"]), .textWithNUL), (.untyped("\0"), .textWithNUL),
        (.json("\"\0\""), .textWithNUL), (.instant(.min + 1), .instantOutOfRange),
        (.instants([.min + 946_684_800_000_000]), .instantOutOfRange),
    ]

    @Test(arguments: refused)
    func `what PostgreSQL cannot hold is refused before it is sent`(value: PostgresValue, kind: PostgresError.Kind)
        async throws
    {
        let connection = try await connection()
        let error = await postgresError { try await connection.execute("SELECT $1", value) }
        #expect(error?.kind == kind)
        #expect(try await connection.execute("SELECT 1").rows == [[.integer(1)]])
    }

    @Test func `an instant beyond timestamptz is refused by the server`() async throws {
        let connection = try await connection()
        let tooEarly = PostgresValue.instant(-300_000_000_000_000_000)
        let error = await postgresError { try await connection.execute("SELECT $1", tooEarly) }
        #expect(error?.kind == .invalidValue)
    }

    @Test func `UUIDs are read and written`() {
        let text = "00000000-89ab-4def-8123-000000000001"
        #expect(PostgresUUID(text)?.description == text)
        for wrong in [
            "", "00000000-89ab-4def-8123-00000000000", "0000000089ab4def8123000000000001",
            "+0000000-89ab-4def-8123-000000000001",
        ] {
            #expect(PostgresUUID(wrong) == nil)
        }
        #expect(PostgresUUID.random().description.dropFirst(14).first == "4")
    }
}
