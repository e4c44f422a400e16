import Testing

@testable import GarnerImport

struct TranslationRecordsTests {
    @Test(arguments: [
        ("[]", "$"), ("[data]", "$.data"), ("[data, '*', 'odd name']", "$.data[*]['odd name']"), ("['0', a]", "$[0].a"),
        ("[\"it's\"]", "$['it\\'s']"), ("['', \"{{ 'a' }}\"]", "$.a"),
    ])
    func `records stand at a place`(path: String, selector: String) throws {
        #expect(try TranslatedStream(["extractor": "field_path: \(path)"])["record_selector"] == selector)
    }

    @Test(arguments: [
        ("record.a == 'x'", "@.a == 'x'"), ("record['a b'] != 3", "@['a b'] != 3"),
        ("record.a in ['x', 'y'] and not record.b > 2", "(@.a == 'x' || @.a == 'y') && !(@.b > 2)"),
        ("record.a not in ['x', 'y']", "@.a != 'x' && @.a != 'y'"),
        ("not (record.a == 1 or record.b == 2)", "@.a != 1 && @.b != 2"),
        ("record.a is none", "@.a == null"), ("record.a is defined", "@.a"), ("'a' in record", "@.a"),
        ("record.a | length > 2", "length(@.a) > 2"),
        ("record.a", "@.a && @.a != null && @.a != false && @.a != 0 && length(@.a) != 0"),
        ("not record.a", "!@.a || @.a == null || @.a == false || @.a == 0 || length(@.a) == 0"),
        ("config['kind'] == 'x' or record.a == config['kind']", "@.a == 'bird'"),
        ("config['kind'] == 'bird' or record.a == 1", ""),
        ("record['id'] | string == '3'", "@.id == 3 || @.id == '3'"), ("record.a | string != 'x'", "@.a != 'x'"),
        ("'1.5' == record.a | string", "@.a == 1.5 || @.a == '1.5'"), ("record.a | string == '03'", "@.a == '03'"),
        ("record.a | string == 'nan'", "@.a == 'nan'"),
        ("record.a | string == 'True'", "@.a == true || @.a == 'True'"),
        ("record.a < stream_interval.end_time and record.a >= stream_interval.start_time", ""),
        ("stream_state.a < record.a and not record.a > stream_interval.end_time", ""),
        // What stands for a member that is not there is compared in its place.
        ("record.get('a', '') != ''", "@.a != '' && @.a"), ("record.get('a', '') == ''", "@.a == '' || !@.a"),
        ("record.get('a', '') == 'x'", "@.a == 'x'"),
        ("record.get('a', '') in ['x', '']", "(@.a == 'x' || @.a == '') || !@.a"),
        ("record.a | default(0) < 5", "@.a < 5 || !@.a"), ("not record.a | default(0) < 5", "!(@.a < 5) && @.a"),
        ("record.a | default(0) > 5", "@.a > 5"), ("record.get('a') is not none", "@.a != null && @.a"),
        ("record.get('a') > 5", "@.a > 5"), ("record.get('a', {}).get('b') == 'x'", "@.a.b == 'x'"),
        ("record.get('a').b == 'x'", "@.a.b == 'x'"), ("record.get('a', []) | length == 0", "length(@.a) == 0 || !@.a"),
        ("record.get('a', '') | string == 'x'", "@.a == 'x'"),
        ("record.get('a', '') < stream_interval.end_time", ""),
        ("record.a | int == 3", "@.a == 3 || @.a == '3'"), ("record.a | int != 3", "@.a != 3 && @.a != '3'"),
        ("record.a | string in ['x', '2']", "@.a == 'x' || @.a == 2 || @.a == '2'"),
    ])
    func `a filter is a condition`(condition: String, filter: String) throws {
        let stream = try TranslatedStream(
            ["selector": "record_filter: { type: RecordFilter, condition: \"{{ \(condition) }}\" }"],
            settings: "{ kind: bird }")
        #expect(stream["record_filter"] == filter)
        #expect(stream.losses == [])
    }

    @Test(arguments: [
        ("'x' in record.name", "a text in a text: record.name (in)"),
        ("record.a.startswith('x')", "record.a (startswith)"),
        ("record.a > now_utc()", "the time of the read"),
        ("record.a == stream_slice.zoo", "a value of the parent or partition, zoo"),
        ("record.a > stream_interval.end_time", "interval.end_time, record.a (gt)"),
        ("not record.a < stream_interval.end_time", "interval.end_time, record.a (gteq)"),
        ("record.a == stream_state.a", "state.a, record.a (eq)"),
        ("stream_interval.start_time > record.a", "record.a, interval.start_time (gt)"),
        ("stream_state.a in ['x']", "state.a (in)"),
        ("false", "the settings leave nothing"),
        ("record.a | int > 3", "record.a (int)"), ("record.a | float == 3.5", "record.a (float)"),
        ("record.a | int == 0", "record.a (int)"), ("record.a | string == ''", "record.a (string)"),
        ("record.a | string > '2'", "record.a (string)"), ("record.a | int", "record.a (int)"),
        ("record.get('a', '') == record.b", "record.b, record.a (eq)"),
        ("record.a | default('', true) == ''", "record.a"),
        ("record.a | lower", "record.a (lower)"), ("record.a | trim == 'x'", "record.a (trim)"),
    ])
    func `a filter that cannot be told lets all records through`(condition: String, loss: String) throws {
        let stream = try TranslatedStream([
            "selector": "record_filter: { type: RecordFilter, condition: \"{{ \(condition) }}\" }"
        ])
        #expect(stream["record_filter"] == "")
        #expect(stream.losses == ["record_filter differs: \(loss)"])
    }

    @Test(arguments: [
        ("record.a == 'x'", "@.b.c == 'x'", ""), ("record.d != record.a", "@.d != @.b.c", ""),
        ("record.a.d == 'x'", "", "record_filter differs: the added field a"),
        ("record.e == 'x'", "", "record_filter differs: record.b (upper)"),
    ])
    func `a filter behind transformations has the places of what they add`(
        condition: String, filter: String, loss: String
    ) throws {
        let stream = try TranslatedStream([
            "selector": "transform_before_filtering: true, record_filter: { condition: \"{{ \(condition) }}\" }",
            "stream": """
            primary_key: id, transformations: [{ type: AddFields, fields: [{ path: [a], value: "{{ record.b.c }}" },
            { path: [e], value: "{{ record.b | upper }}" }] }]
            """,
        ])
        #expect(stream["record_filter"] == filter)
        #expect(stream.losses.filter { $0.hasPrefix("record_filter") }.joined() == loss)
    }

    @Test(arguments: [
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b.c }}\" }] }",
            "{add: {a: {record.b.c}}, drop: [a]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b or record.c }}\" }] }",
            "{add: {a: [{record.b}, {record.c}]}, drop: [a]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b }}-{{ record.c }}\" }] }",
            "{add: {a: {record.b}-{record.c}}, drop: [a]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: zoo }, { path: [b], value: \"{{ 5 }}\" }] }",
            "{add: {a: zoo, b: 5}, drop: [a, b]}"
        ),
        ("{ type: AddFields, fields: [{ path: [a], value: \"{{ record.a }}\" }] }", ""),
        (
            "{ type: AddFields, fields: [{ path: [a, b], value: x }, { path: [c], value: \"{{ record.a.b }}\" }] }",
            "{add: {a__b: x, c: x}, drop: [$.a.b, c]}"
        ),
        ("{ type: AddFields, fields: [{ path: [a, b], value: \"{{ record.a.b }}\" }] }", ""),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ {'b': record.id, 'c': record.d.e} }}\" }] }",
            "{add: {a__b: {record.id}, a__c: {record.d.e}}, drop: [$.a.b, $.a.c]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ {'b': record.a, 'c': record.d} }}\" }] }",
            "{add: {a__b: {record.a}, a__c: {record.d}}, drop: [$.a.b, $.a.c]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a, b], value: x }, { path: [c, d], value: y }] }, "
                + "{ type: RemoveFields, field_pointers: [[a], [c, d]] }", "{drop: [$.a.b, $.c.d, a]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.a.b }}\" }] }",
            "{add: {a: {record.a.b}}, drop: [a]}"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b }}\" }] }, "
                + "{ type: RemoveFields, field_pointers: [[b], [c, d], [a]] }", "{drop: [a, b, $.c.d]}"
        ),
    ])
    func `fields are added and removed`(transformations: String, fields: String) throws {
        let stream = try TranslatedStream(["stream": "primary_key: id, transformations: [\(transformations)]"])
        #expect(stream["fields"] == fields)
        #expect(stream.losses == [])
    }

    @Test(arguments: [
        ("record.b[0].c", "{record.b.0.c}"), ("record.b.c if record.b else none", "{record.b.c}"),
        ("record.b.c if 'b' in record", "{record.b.c}"), ("record.b.c if 'c' in record.b else ''", "{record.b.c}"),
        ("record['b'][0] if record.b | length > 0 else None", "{record.b.0}"),
        ("record.b if record.b is not none", "{record.b}"), ("record.b if record.b is defined else none", "{record.b}"),
        ("record.b.c.d if record.b and record.b.c != none", "{record.b.c.d}"),
        // 0 is no value in a condition.
        ("record.b if record.b else none", ""), ("record.b if record.b.c else none", ""),
        ("record.b if record.c is not none", ""), ("record.b[-1]", ""), ("record[0]", ""),
    ])
    func `a place under a condition that it is there is a place`(value: String, place: String) throws {
        let stream = try TranslatedStream([
            "stream":
                "primary_key: id, transformations: [{ type: AddFields, fields: [{ path: [a], value: \"{{ \(value) }}\" }] }]"
        ])
        #expect(stream["fields"] == (place.isEmpty ? "" : "{add: {a: \(place)}, drop: [a]}"))
        #expect(stream.losses.isEmpty == !place.isEmpty)
    }

    @Test(arguments: [
        ("regon", "", "{drop: [a]}", []), ("region", "", "{add: {a: {partition.region}}, drop: [a]}", []),
        ("parent_slice", "", "", ["field_added differs: a: slice.parent_slice"]),
        (
            "region }}-{{ record.id", "", "",
            ["field_added differs: a: a value of the parent or partition beside others"]
        ),
        (
            "regon", ", { type: CustomPartitionRouter, class_name: a.B }", "",
            ["custom_code notWritten: a.B", "field_added differs: a: slice.regon"]
        ),
    ])
    func `a field that is a value which no part of the stream has is empty`(
        name: String, other: String, fields: String, losses: [String]
    ) throws {
        let stream = try TranslatedStream([
            "stream": """
            primary_key: id, transformations: [{ type: AddFields, fields: [{ path: [a], value: "{{ stream_slice.\(name) }}" }] }]
            """,
            "requester": "request_parameters: { x: '{{ stream_slice.region }}' }",
            "partition_router": "[{ type: ListPartitionRouter, cursor_field: region, values: [eu] }\(other)]",
        ])
        #expect(stream["fields"] == fields)
        #expect(stream.losses == losses)
    }

    @Test(arguments: [
        ("id", "id", ""), ("[a, b]", "[a, b]", ""), ("[[a, b], [c]]", "[a__b, c]", ""), ("[id, source]", "id", ""),
        ("[id, copied]", "[id, copied]", ""), ("[id, loud]", "", "key notWritten: loud is computed"),
        ("[id, read_at]", "id", "key differs: without read_at, which is the time of the read"),
        ("read_at", "", "key none: without read_at, which is the time of the read"),
        ("read_on", "", "key differs: without read_on, which is the time of the read"),
    ])
    func `a key has fields of records, also added ones`(key: String, expected: String, loss: String) throws {
        let stream = try TranslatedStream([
            "stream": """
            primary_key: \(key), transformations: [{ type: AddFields, fields: [{ path: [source], value: zoo },
            { path: [copied], value: "{{ record.a }}" }, { path: [loud], value: "{{ record.a | upper }}" },
            { path: [read_at], value: "{{ now_utc() }}" }, { path: [read_on], value: "{{ today_utc() }}" }] }]
            """
        ])
        #expect(stream["primary_key"] == expected)
        #expect(stream.losses.filter { $0.hasPrefix("key") }.joined() == loss)
    }

    @Test(arguments: [
        ("{ type: KeysToLower }", "field_names renamed: all names in lower case", "id"),
        ("{ type: FlattenFields }", "field_names renamed: names of inner fields have a dot", "id"),
        (
            "{ type: DpathFlattenFields, field_path: [a] }",
            "field_names renamed: the fields of a have its name before theirs", "id"
        ),
        (
            "{ type: DpathFlattenFields, field_path: [a], replace_record: true }",
            "field_names renamed: the fields of a have its name before theirs", "a__id"
        ),
        (
            "{ type: AddFields, fields: [{ path: [_garner_x], value: a }] }",
            "field_added differs: _garner_x: it is a name that is not free", "id"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: b }, { path: [A], value: c }] }",
            "field_added differs: A: SQL ignores case, and such a column is there", "id"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record['$id'] }}\" }] }",
            "field_added differs: a: a name that no placeholder takes", "id"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b if record.b else none }}\" }] }",
            "field_added differs: a: computed", "id"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.b | lower }}\" }] }",
            "field_added differs: a: computed", "id"
        ),
        (
            "{ type: AddFields, fields: [{ path: [a], value: \"{{ record.a | trim }}\" }] }",
            "field_added differs: a: computed", "id"
        ),
        ("{ type: Unheard }", "transformation differs: Unheard", "id"),
        ("{ type: CustomTransformation, class_name: source.Clean }", "custom_code differs: source.Clean", "id"),
        ("{ type: RemoveFields, field_pointers: [['**', a]] }", "field_removed differs: **.a at any depth", "id"),
        ("{ type: RemoveFields, field_pointers: [[a, '*', b]] }", "field_removed differs: a.*.b in objects", "id"),
    ])
    func `a transformation that Garner has not is named`(transformation: String, loss: String, key: String) throws {
        let stream = try TranslatedStream(["stream": "primary_key: id, transformations: [\(transformation)]"])
        #expect(stream.losses.first == loss)
        #expect(stream["primary_key"] == key)
    }

    @Test func `a key below other objects gets its column`() throws {
        let stream = try TranslatedStream(["stream": "primary_key: [[a, b, c]]"])
        #expect((stream["primary_key"], stream["flatten_depth"]) == ("a__b__c", "2"))
    }

    @Test(arguments: [
        (
            "stream", "primary_key: id, incremental_synch: {}",
            "differs: incremental_synch, which may be meant as incremental_sync"
        ),
        ("paginatr", "{ type: NoPagination }", "differs: paginatr, which may be meant as paginator"),
        (
            "selector", "record_filter: { condtion: \"{{ record.a }}\" }",
            "differs: condtion, which may be meant as condition; other differs: RecordFilter without condition"
        ),
        ("extractor", "type: DpathExtractor", "notWritten: DpathExtractor without field_path"),
        ("extractor", "type: DpathExtracter, field_path: [a]", "notWritten: the type DpathExtracter"),
        (
            "selector", "record_filter: { type: Recordfilter, condition: \"{{ record.a }}\" }",
            "differs: the type Recordfilter"
        ),
        ("paginator", "{ type: DefaultPaginater }", "notWritten: the type DefaultPaginater"),
        ("requester", "error_handler: { type: ErrorHandler }", "differs: the type ErrorHandler"),
        ("description", "a note", ""), ("extractor", "$parameters: { field_pat: 1 }, field_path: [a]", ""),
    ])
    func `a word of the manifest that is unknown or missing is named`(part: String, text: String, loss: String) throws {
        let stream = try TranslatedStream([part: text])
        let losses = stream.losses.filter { $0.hasPrefix("other") }
        #expect(losses.joined(separator: "; ") == (loss.isEmpty ? "" : "other \(loss)"))
    }
}
