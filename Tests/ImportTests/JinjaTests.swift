import Testing

@testable import GarnerImport

struct JinjaTests {
    static let config: JinjaValue = .mapping([
        .init("name", .text("Ada")), .init("empty", .text("")), .init("size", .integer(50)),
        .init("rate", .number(1.5)),
        .init("version", .text("1.10")), .init("code", .text("007")), .init("flag", .bool(true)),
        .init("nothing", .null),
        .init("list", .list([.text("a"), .text("b"), .text("c")])), .init("words", .text(" one, two ,three ")),
        .init("inner", .mapping([.init("kind", .text("oauth")), .init("ids", .list([.integer(1), .integer(2)]))])),
        .init("key", .secret("API_KEY")),
    ])

    static func value(_ text: String, _ literals: JinjaEvaluator.Literals = .all) throws(JinjaError) -> JinjaValue {
        var evaluator = JinjaEvaluator(config: config, parameters: .mapping([.init("path", .text("items"))]))
        return try evaluator.value(of: text, reading: literals)
    }

    static func later(_ root: JinjaValue.Later.Root, _ names: String...) -> JinjaValue {
        .later(.init(root, names.map { .member($0) }))
    }

    /// The expected value is written as Python prints it; what is known later has no text.
    @Test(
        arguments: [
            // Texts, and what a result is read as.
            ("plain", "plain"), ("{{ config['name'] }}", "Ada"),
            ("{{ config.name }}/{{ parameters.path }}", "Ada/items"),
            ("  {{ config.size }}\n", "50"), ("{{ config.missing }}", ""), ("a{{ config.missing.more }}b", "ab"),
            ("x{{ none }}{{ true }}{{ [1, 'a'] }}", "xNoneTrue[1, 'a']"),
            ("{{ {'a': \"it's\", 'b': None} }}", #"{'a': "it's", 'b': None}"#),
            ("{{ 'a' 'b' }}", "ab"), (#"{{ 'a\tb\u00e9\'' }}"#, "a\tbé'"), (#"{{ '\x+1' }}"#, nil),
            (#"{{ '\u-000' }}"#, nil),
            ("{# nothing {{ #}{{ 1 }}", "1"),
            // Precedence.
            ("{{ 1 + 2 * 3 }}", "7"), ("{{ 2 * 3 ~ 4 + 1 }}", nil), ("{{ 1 ~ 2 * 3 }}", "16"), ("{{ -2 ** 2 }}", "4"),
            ("{{ '5' | int * 1000 + 1 }}", "5001"), ("{{ not true or true }}", "True"), ("{{ not 1 == 2 }}", "True"),
            ("{{ 1 if false else 2 if false else 3 }}", "3"), ("{{ 'a' if config.empty }}", ""),
            ("{{ config.empty or config.name and 'b' }}", "b"), ("{{ config.name and config.empty }}", ""),
            ("{{ 1 < 2 < 3 }}", "True"), ("{{ 1 < 3 < 2 }}", "False"), ("{{ config.list | length > 2 }}", "True"),
            ("{{ 'b' in config.list and 'd' not in config.list }}", "True"), ("{{ 'kind' in config.inner }}", "True"),
            ("{{ 'd' in config.name }}", "True"), ("{{ 'x' in config.missing }}", "False"),
            ("{{ 1 == 1.0 == true }}", "True"),
            ("{{ config.missing is defined }}", "False"),
            ("{{ config.name is not none and config.nothing is none }}", "True"),
            ("{{ 1 is in [1, 2] }}", "True"), ("{{ config.rate is number and config.inner is mapping }}", "True"),
            // Numbers.
            ("{{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }}", "3 -4 2 -2"),
            ("{{ 7 / 2 }} {{ 4 / 2 }}", "3.5 2.0"),
            ("{{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 1 // 0.1 }} {{ -2.0 % 1 }}", "3.0 0.5 9.0 0.0"),
            ("{{ 9223372036854775807 + 1 }}", nil), ("{{ 1 / 0 }}", nil),
            ("{{ 9223372036854775808 }}", nil), ("{{ -9223372036854775807 - 2 }}", nil),
            ("{{ 3 ** 3 }} {{ 2 ** 64 }}", nil),
            ("{{ 1 ** 9223372036854775807 }} {{ 0 ** 9223372036854775807 }} {{ 0 ** 0 }}", "1 0 1"),
            ("{{ -1 ** 9223372036854775807 }}", nil),
            (
                "x{{ 1e16 }} {{ 12345678901234567.0 }} {{ 0.00001 }} {{ 100.0 }}",
                "x1e+16 1.2345678901234568e+16 1e-05 100.0"
            ),
            (
                "{{ '5.7' | int }} {{ 'x' | int }} {{ 'x' | int(3) }} {{ '2' | float }} {{ 2.5 | round }}",
                "5 0 3 2.0 2.0"
            ),
            ("{{ 3 | round }} {{ \"it's b-c\" | title }} {{ config.missing < 1 }}!", ""),
            (
                "{{ 3 | round }} {{ \"it's b-c\" | title }}", "3 It's B-C"
            ),
            // Places.
            ("{{ config.list[0] }}{{ config.list[-1] }}{{ config.list[9] }}", "ac"), ("{{ config.name[1:] }}", "da"),
            ("{{ config.name[::-1] }}{{ config.name[-2:9] }}{{ config.list[:1] }}", "adAda['a']"),
            ("{{ config.get('size') }}{{ config.get('no', {}).get('x', 'y') }}", "50y"),
            ("{{ config.inner.ids.0 }}", "1"),
            ("x{{ config.get('no') }}", "xNone"),
            // Methods.
            ("{{ config.words.split(',')[1].strip() }}", "two"), ("{{ 'a  b c'.split() }}", "['a', 'b', 'c']"),
            ("{{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.split(',', maxsplit=1) }}", "['a', 'b,c'] ['a', 'b,c']"),
            ("{{ 'https://x/'.replace('https://', '').rstrip('/') }}", "x"), ("{{ 'xxay'.lstrip('x') }}", "ay"),
            ("{{ ','.join(config.list) }}", "a,b,c"), ("{{ ','.join([1]) }}", nil),
            ("{{ 'ab'.startswith(('x', 'a')) }}", "True"),
            ("{{ 'aB cD'.upper() }}{{ 'aB cD'.title() }}{{ 'aB cD'.capitalize() }}", "AB CDAb CdAb cd"),
            ("{{ '{}-{1}-{n}'.format(1, 2, n=3) }}", "1-2-3"), ("{{ 'in(%s) %03d%%' % ('x', 7) }}", "in(x) 007%"),
            ("{{ config.inner.keys() | list }}{{ config.inner.items() | length }}", "['kind', 'ids']2"),
            // Filters and functions.
            (
                "{{ config.missing | default('d') }}{{ config.empty | default('e', true) }}{{ config.empty | d('f') }}",
                "de"
            ),
            ("{{ config.list | join('-') | upper }}", "A-B-C"),
            ("{{ config.list | first ~ config.list | last }}", "ac"),
            ("{{ [3, 1, 2, 1] | unique | sort }}", "[1, 2, 3]"),
            ("{{ config.inner | tojson }}", #"{"kind": "oauth", "ids": [1, 2]}"#),
            ("{{ 'a b/c&' | urlencode }} {{ sanitize_url('a b/c') }}", "a%20b/c%26 a+b%2Fc"),
            ("{{ 'user:pw' | base64encode }}", "dXNlcjpwdw=="),
            ("{{ 'dXNlcjpwdw==' | base64decode }}", "user:pw"),
            ("{{ [{'a': 1}, {'a': 2}] | map(attribute='a') | list }}", "[1, 2]"),
            ("{{ ' a , b '.split(',') | map('trim') | join('+') }}", "a+b"),
            ("{{ ['', 'a'] | select | list }}", "['a']"),
            ("{{ camel_case_to_snake_case('userIdsX') }}", "user_ids_x"),
            ("{{ range(3) }}{{ range(5, 1, -2) }}", "[0, 1, 2][5, 3]"),
            ("{{ max(1, 3, 2) }}{{ min([2, 1]) }}", "31"),
            // Statements.
            ("{% if config.size > 100 %}big{% elif config.size > 10 %}middle{% else %}small{% endif %}", "middle"),
            (
                "{% for x in config.list %}{{ loop.index }}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}",
                "1a,2b,3c"
            ),
            (
                "{% for k, v in config.inner.items() if k == 'kind' %}{{ k }}={{ v }}{% else %}none{% endfor %}",
                "kind=oauth"
            ),
            ("{% for x in [] %}a{% else %}none{% endfor %}", "none"),
            ("{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}", "1"),
            (
                "{% set all = [] %}\n{% for x in config.list: %}\n{% set _ = all.append({'path': 'g/' + x}) %}\n{% endfor %}\n{{ all }}",
                "[{'path': 'g/a'}, {'path': 'g/b'}, {'path': 'g/c'}]"
            ),
            (
                "{% set ns = namespace(n=0) %}{% for x in config.list %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
                "3"
            ),
            ("{% set m = {} %}{% set _ = m.update({'a': 1}) %}{{ m }}", "{'a': 1}"),
            ("{% set t %}a{{ 1 }}{% endset %}{{ t }}!", "a1!"),
            ("a\n  {%- if true -%}\n  b\n  {%- endif -%}\n c", "abc"), ("{{- 'a' -}}  b", "ab"),
            // Nobody knows a secret, and it is not empty.
            ("{{ 'yes' if config.key else 'no' }}", "yes"),
            (
                "{{ config.key == '' }}{{ config.key != '' }}{{ config.key is none }}{{ config.key == 1 }}",
                "FalseTrueFalseFalse"
            ),
            // What is wrong.
            ("{{ 1 + }}", nil), ("{% if 1 %}", nil), ("{{ 'a' }", nil), ("{{ (1 }}", nil), ("{{ 'a' + 1 }}", nil),
            ("{% endif %}", nil),
        ] as [(String, String?)])
    func `a text is as Jinja and Python write it`(_ text: String, _ expected: String?) throws {
        guard let expected else {
            #expect(throws: JinjaError.self) { try Self.value(text) }
            return
        }
        var evaluator = JinjaEvaluator(config: Self.config, parameters: .mapping([.init("path", .text("items"))]))
        #expect(try evaluator.text(of: text) == .text(expected))
    }

    @Test(
        arguments: [
            ("{{ 5 }}", .integer(5)), ("{{ '5' }}", .integer(5)), ("{{ 'True' }}", .bool(true)),
            ("{{ config.list }}", config["list"]),
            ("{{ config.version }}", .number(1.1)), ("{{ config.code }}", .text("007")),
            ("{{ 'true' }}", .text("true")),
            ("{{ config.nothing }}", .null), ("{{ config.missing }}", .text("")),
            ("{{ config.missing + 'x' }}y", .text("")),
            ("{% if true %}[1, 'a']{% endif %}", .list([.integer(1), .text("a")])), ("1{{ 2 }}", .integer(12)),
            ("{{ '9223372036854775808' }}", .text("9223372036854775808")), ("{{ '2024-01-01' }}", .text("2024-01-01")),
            ("{'a': {{ config.size }}}", .mapping([.init("a", .integer(50))])),
            (
                "{'a': {{ record.id }}, 'b': 'x{{ record.b }}'}",
                .mapping([.init("a", later(.record, "id")), .init("b", .joined([.text("x"), later(.record, "b")]))])
            ),
            ("[{{ stream_slice.a }},1]", .joined([.text("["), later(.slice, "a"), .text(",1]")])),
        ] as [(String, JinjaValue)])
    func `a result is read as a literal of Python`(_ text: String, _ expected: JinjaValue) throws {
        #expect(try Self.value(text) == expected)
    }

    @Test func `parameters keep the digits of a text, and are lists where a text is one`() throws {
        #expect(try Self.value("{{ config.version }}", .collections) == .text("1.10"))
        #expect(try Self.value("{{ '[1]' }}", .collections) == .list([.integer(1)]))
        #expect(try Self.value("{{ '[1]' }}", .none) == .text("[1]"))
    }

    @Test(
        arguments: [
            (
                "{{ response['paging'].next[0] }}",
                .later(.init(.response, [.member("paging"), .member("next"), .index(0)]))
            ),
            ("{{ stream_partition.id }}", later(.slice, "id")),
            ("{{ stream_interval.get('start') }}", later(.interval, "start")),
            ("{{ record.get('a', {}).get('b') }}", later(.record, "a", "b")), ("{{ config.key }}", .secret("API_KEY")),
            ("{{ record.get('a', 'x') }}", .operation("default", [later(.record, "a"), .text("x")])),
            // Nobody knows whether a secret is a certain text.
            ("{{ config.key == 'x' }}", .operation("eq", [.secret("API_KEY"), .text("x")])),
            ("{{ 'x' != config.key }}", .operation("ne", [.text("x"), .secret("API_KEY")])),
            ("{{ config.key in ['x'] }}", .operation("in", [.secret("API_KEY"), .list([.text("x")])])),
            (
                "{{ 1 if config.key is eq('x') else 2 }}",
                .operation("if", [.operation("eq", [.secret("API_KEY"), .text("x")]), .integer(1), .integer(2)])
            ),
            ("Bearer {{ config.key }}", .joined([.text("Bearer "), .secret("API_KEY")])),
            ("{{ 'k=' + config.key }}", .joined([.text("k="), .secret("API_KEY")])),
            ("{{ [config.name, config.key] | join(':') }}", .joined([.text("Ada:"), .secret("API_KEY")])),
            (
                "{{ (config.name ~ ':' ~ config.key) | base64encode }}",
                .operation("|base64encode", [.joined([.text("Ada:"), .secret("API_KEY")])])
            ),
            ("{{ 'in(%s)' % record.id }}", .joined([.text("in("), later(.record, "id"), .text(")")])),
            ("{{ record.id | string }}", .operation("string", [later(.record, "id")])),
            (
                "{{ record.id | int * 2 }}",
                .operation("mul", [.operation("|int", [later(.record, "id")]), .integer(2)])
            ),
            ("{{ record.a or config.name }}", .operation("or", [later(.record, "a"), .text("Ada")])),
            ("{{ false and record.a }}", .bool(false)),
            (
                "{{ record.a and false and record.b }}",
                .operation("and", [.operation("and", [later(.record, "a"), .bool(false)]), later(.record, "b")])
            ),
            (
                "{{ record.a if record.b else '' }}",
                .operation("if", [later(.record, "b"), later(.record, "a"), .text("")])
            ),
            (
                "{{ 1 < record.a < 3 }}",
                .operation(
                    "and",
                    [
                        .operation("lt", [.integer(1), later(.record, "a")]),
                        .operation("lt", [later(.record, "a"), .integer(3)]),
                    ])
            ),
            (
                "{{ record.a.split('T')[0] }}",
                .operation("item", [.operation(".split", [later(.record, "a"), .text("T")]), .integer(0)])
            ),
            ("{{ record.a[:10] }}", .operation("slice", [later(.record, "a"), .list([.null, .integer(10), .null])])),
            ("{{ record.a is defined }}", .operation("defined", [later(.record, "a")])),
            ("{{ record.id in config.missing or not config.missing }}", .bool(true)),
            ("{% if record.a %}x{% endif %}", .operation("if-block", [later(.record, "a")])),
            // What a waiting statement may change waits, too.
            (
                "{% set x = 1 %}{% if record.a %}{% set x = 2 %}{% endif %}{{ x + 1 }}",
                .joined([
                    .operation("if-block", [later(.record, "a")]),
                    .operation("add", [.operation("if-block", [later(.record, "a")]), .integer(1)]),
                ])
            ),
            (
                "{% set x = [] %}{% for a in record.all %}{% set _ = x.append(a) %}{% endfor %}{{ x }}",
                .joined([
                    .operation("for-loop", [later(.record, "all")]), .operation("for-loop", [later(.record, "all")]),
                ])
            ),
        ] as [(String, JinjaValue)])
    func `what is known later stays a tree`(_ text: String, _ expected: JinjaValue) throws {
        #expect(try Self.value(text) == expected)
    }

    @Test(arguments: [
        ("{{ open('x') }}", "open"), ("{{ 'a' | shell }}", "shell"), ("{{ 1 is prime }}", "prime"),
        ("{{ 'a'.encode() }}", ".encode"),
        ("{% macro x() %}{% endmacro %}", "macro"), ("{{ 'a' | hash('md5') }}", "hash"), ("{{ '%x' % 1 }}", "%x"),
    ])
    func `what is not in the list is told by its name`(_ text: String, _ name: String) {
        #expect(throws: JinjaError.unknown(name)) { try Self.value(text) }
    }

    @Test(arguments: [
        String(repeating: "(", count: 100) + "1" + String(repeating: ")", count: 100),
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        String(repeating: "not ", count: 9000) + "1",
        "1" + String(repeating: "+1", count: 5000), "a" + String(repeating: ".a", count: 5000), "range(1000000000)",
        "'x' * 1000000000", "[1] * 1000000000", "'x' * 60000 + 'x' * 60000", "('a' * 60000).split('a' * 20000 ~ 'b')",
        "'aaaa'.replace('a', 'b' * 60000)",
        "'%99999d' % 1", "2 ** 3 ** 9999999999999", "range(9000) | join(range(9000) | join)",
    ])
    func `no expression goes beyond the limits`(_ expression: String) {
        #expect(throws: JinjaError.self) { try Self.value("{{ \(expression) }}") }
    }

    @Test(arguments: [
        "{% set a = [1] %}" + String(repeating: "{% set a = [a, a] %}", count: 60) + "{{ a }}",
        "{% set n = namespace(a='xx') %}{% for i in range(40) %}{% set n.a = n.a ~ n.a %}{{ n.a }}{% endfor %}",
        "{% set a = 'x' * 60000 %}{% for i in range(99) %}{% set b = a ~ record.id %}{% endfor %}",
        "{% set a = [] %}{% for i in range(3000) %}{% set _ = a.append(a) %}{% endfor %}{{ a }}",
        "{% for i in range(200) %}{% for j in range(200) %}{{ i }}{% endfor %}{% endfor %}",
        String(repeating: "{% if 1 %}", count: 300) + String(repeating: "{% endif %}", count: 300),
        String(repeating: "x", count: 70_000) + "{{ 1 }}",
    ])
    func `no template goes beyond the limits`(_ text: String) {
        #expect(throws: JinjaError.limit) { try Self.value(text) }
    }
}
