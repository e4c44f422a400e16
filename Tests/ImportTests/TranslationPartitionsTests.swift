import GarnerCatalog
import GarnerModel
import Testing

@testable import GarnerImport

struct TranslationPartitionsTests {
    private static func parent(_ members: String = "parent_key: id, partition_field: zoo", _ name: String = "zoo")
        -> String
    {
        """
        { type: SubstreamPartitionRouter, parent_stream_configs: [{ type: ParentStreamConfig,
          stream: "#/definitions/zoos", \(members),
          request_option: { type: RequestOption, inject_into: request_parameter, field_name: \(name) } }] }
        """
    }

    private static let list = """
        { type: ListPartitionRouter, cursor_field: kind, values: "{{ config['kinds'] }}",
          request_option: { type: RequestOption, inject_into: request_parameter, field_name: kind } }
        """

    private static func pens(_ field: String) -> String {
        """
        { type: ListPartitionRouter, cursor_field: \(field), values: [b],
          request_option: { type: RequestOption, inject_into: request_parameter, field_name: pen } }
        """
    }

    @Test(arguments: [
        (list, ["partitions": "{kind: [birds, fish]}", "params": "{kind: {partition.kind}}", "parent": ""]),
        (parent(), ["parent": "zoos", "include_from_parent": "[id]", "params": "{zoo: {parent.id}}"]),
        (
            parent("parent_key: a/b, partition_field: zoo, incremental_dependency: true"),
            ["parent": "{stream: zoos, only: changed}", "params": "{zoo: {parent.a__b}}"]
        ),
        (
            "[\(parent()), \(list)]",
            [
                "parent": "zoos", "partitions": "{kind: [birds, fish]}",
                "params": "{zoo: {parent.id}, kind: {partition.kind}}",
            ]
        ),
        (
            "[\(parent()), \(parent("parent_key: name, partition_field: other", "other"))]",
            [
                "parent": "zoos",
                "partitions":
                    "{other: {query: SELECT DISTINCT \"name\" FROM \"zoos\" WHERE _garner_deleted_at IS NULL}}",
            ]
        ),
    ])
    func `parts are partitions and parents`(router: String, keys: [String: String]) throws {
        let stream = try TranslatedStream(["partition_router": router], settings: "{ kinds: [birds, fish] }")
        for (key, value) in keys { #expect(stream[key] == value) }
        #expect(stream.losses == [])
    }

    /// Each value would get the same records, of which a key keeps one.
    @Test(
        arguments: [
            ("primary_key: id", nil),
            ("primary_key: []", "partitions differs: no request has the value of 'kind'"),
            (
                "primary_key: id, transformations: [{ type: AddFields, fields: [{ path: [k], value: '{{ stream_slice.kind }}' }] }]",
                "partitions notWritten: no request has the value of 'kind'"
            ),
        ] as [(String, String?)])
    func `a partition that no request has is left out`(stream: String, loss: String?) throws {
        let stream = try TranslatedStream([
            "stream": stream, "partition_router": "{ type: ListPartitionRouter, cursor_field: kind, values: [a, b] }",
        ])
        #expect(stream.losses == (loss.map { [$0] } ?? []))
        #expect((stream["partitions"] == "") != (loss?.contains("notWritten") == true))
    }

    @Test(arguments: [("stream_partition.kind", true), ("sanitize_url(stream_partition.kind)", false)])
    func `a slash in a path is lost unless the connector encodes it, too`(value: String, isLost: Bool) throws {
        let translation = try StreamParts(
            requester: "path: '/kinds/{{ \(value) }}'",
            retriever: "partition_router: { type: ListPartitionRouter, cursor_field: kind, values: ['a/b'] }"
        ).translated()
        #expect(translation.losses.isEmpty != isLost)
        #expect(translation.stream["path"] == (isLost ? nil : .text("/kinds/{partition.kind}")))
    }

    @Test(arguments: [(100, []), (101, ["partitions notWritten: more than 100,000 combinations"])])
    func `partitions that make too many requests are named`(count: Int, losses: [String]) throws {
        func router(_ name: String, _ count: Int) -> String {
            """
            { type: ListPartitionRouter, cursor_field: \(name), values: [\((0..<count).map(String.init).joined(separator: ","))],
              request_option: { type: RequestOption, inject_into: request_parameter, field_name: \(name) } }
            """
        }
        let routers = "[\(router("a", 1000)), \(router("b", count))]"
        #expect(try TranslatedStream(["partition_router": routers]).losses == losses)
    }

    @Test(arguments: [
        (list, "partitions notWritten: kind: the settings list no values"),
        ("{ type: ListPartitionRouter, cursor_field: a, values: [b, ''] }", "partitions notWritten: a: an empty value"),
        ("[\(pens("a-b")), \(pens("a_b"))]", "partitions notWritten: a_b: two partitions of one name"),
        ("[\(parent()), \(pens("zoo"))]", "partitions notWritten: zoo: two partitions of one name"),
        ("[\(pens("zoo")), \(parent())]", "partitions notWritten: zoo: two partitions of one name"),
        (parent("parent_key: 'a/*/b', partition_field: zoo"), "partitions notWritten: parent_key a/*/b"),
        ("{ type: UnionPartitionRouter, partition_routers: [] }", "partitions notWritten: a union of partitions"),
        ("{ type: CustomPartitionRouter, class_name: source.Router }", "custom_code notWritten: source.Router"),
        (
            "{ type: GroupingPartitionRouter, group_size: 5, underlying_partition_router: \(parent()) }",
            "grouped_parents notWritten"
        ),
    ])
    func `parts that cannot be told are named`(router: String, loss: String) throws {
        #expect(try TranslatedStream(["partition_router": router]).losses == [loss])
    }

    /// A child has other rows where its parents have other records, or other values of the key.
    @Test(arguments: [
        ("transformations: [{ type: RemoveFields, field_pointers: [[a, '**']] }]", "id", ""),
        ("transformations: [{ type: Unheard }]", "id", ""),
        (
            "transformations: [{ type: AddFields, fields: [{ path: [b], value: \"{{ record.a | lower }}\" }] }]", "id",
            ""
        ),
        (
            "transformations: [{ type: AddFields, fields: [{ path: [b], value: \"{{ record.a | lower }}\" }] }]", "b",
            "zoos"
        ),
        ("transformations: [{ type: CustomTransformation, class_name: source.Clean }]", "id", "zoos"),
        ("incremental_synch: {}", "id", "zoos"),
    ])
    func `what differs in a parent reaches its children and theirs`(members: String, key: String, parent: String) throws
    {
        func stream(_ name: String, _ members: String, _ router: String = "[]") -> String {
            """
            { type: DeclarativeStream, name: \(name), primary_key: id, \(members), retriever: { type: SimpleRetriever,
              record_selector: {}, partition_router: \(router),
              requester: { type: HttpRequester, url_base: "https://zoo.example/v1", path: /\(name) } } }
            """
        }
        func router(_ stream: String, _ key: String) -> String {
            Self.parent("parent_key: \(key), partition_field: zoo").replacing("\"#/definitions/zoos\"", with: stream)
        }
        let houses = stream("houses", "x-note: a", router(stream("zoos", members), key))
        let animals = try Manifest.spread(
            try ManifestReader.node(of: stream("animals", "x-note: a", router(houses, "id"))))
        let streams = StreamsByName(settings: .mapping([]), streams: [animals])
        let losses = streams.translated(animals).losses.filter { $0.code == .partitions }
        #expect(losses.map(\.detail) == (parent.isEmpty ? [] : ["the parent houses differs"]))
        #expect(losses.allSatisfy { $0.effect == .differs })
    }

    /// Each record of the parent would lead to the same ones, of which a key keeps one.
    @Test(arguments: [("id", []), ("[]", ["partitions notWritten: its requests hold nothing of the parent"])])
    func `a parent of which no request has a value is left out`(key: String, losses: [String]) throws {
        let stream = try TranslatedStream([
            "stream": "primary_key: \(key)",
            "partition_router": """
            { type: SubstreamPartitionRouter, parent_stream_configs: [{ type: ParentStreamConfig,
              stream: "#/definitions/zoos", parent_key: id, partition_field: zoo }] }
            """,
        ])
        #expect(stream.losses == losses)
        #expect((stream["parent"] == "") == losses.isEmpty)
    }

    @Test func `a key that is an object has a column for each of its members`() throws {
        let houses = """
            { type: DeclarativeStream, name: houses, primary_key: id, retriever: { type: SimpleRetriever, record_selector: {},
              requester: { type: HttpRequester, url_base: "https://zoo.example/v1", path: /houses } },
              transformations: [{ type: AddFields, fields: [{ path: [place],
                value: "{{ {'zoo': record.zoo, 'house': record.id} }}" }] }] }
            """
        let translation = try StreamParts(
            requester: "path: '/zoos/{{ stream_partition.of.zoo }}/{{ stream_partition.of.house }}'",
            retriever: """
                partition_router: { type: SubstreamPartitionRouter, parent_stream_configs: [{ type: ParentStreamConfig,
                  parent_key: place, partition_field: of, stream: \(houses) }] }
                """
        ).translated()
        #expect(translation.losses == [])
        #expect(translation.stream["path"] == .text("/zoos/{parent.place__zoo}/{parent.place__house}"))
        #expect(translation.stream["include_from_parent"] == .texts(["place__zoo", "place__house"]))
        #expect(translation.parents.first?.losses == [])
    }

    @Test func `a member of a key that is an object is stored in its place`() throws {
        let translation = try StreamParts(
            requester: "path: '/zoos/{{ stream_partition.of.zoo }}'",
            retriever: """
                partition_router: { type: SubstreamPartitionRouter, parent_stream_configs: [{ type: ParentStreamConfig,
                  parent_key: place, partition_field: of, stream: { type: DeclarativeStream, name: houses, primary_key: id,
                  retriever: { type: SimpleRetriever, record_selector: {},
                  requester: { type: HttpRequester, url_base: "https://zoo.example/v1", path: /houses } } } }] }
                """
        ).translated()
        #expect(translation.losses == [])
        #expect(translation.stream["path"] == .text("/zoos/{parent.place__zoo}"))
        #expect(translation.stream["include_from_parent"] == .texts(["place__zoo"]))
    }

    /// Only a read of everything tells which parents are gone.
    @Test(
        arguments: [
            (bounded, "", ["zoos", "animals"], .seconds(86_400)),
            (bounded, "", ["animals"], .seconds(1)),
            (bounded, ", incremental_dependency: true", ["animals"], nil), (feed, "", ["zoos", "animals"], .zero),
            (feed, "", ["animals"], .zero),
        ] as [(String, String, [String], Duration?)])
    func `a parent of which a child asks for all is read in full`(
        cursor: String, dependency: String, streams: [String], period: Duration?
    ) throws {
        let text = """
            definitions:
              zoos: { type: DeclarativeStream, name: zoos, primary_key: id, retriever: { type: SimpleRetriever,
                requester: { type: HttpRequester, url_base: "https://zoo.example", path: /zoos }, record_selector: {} },
                incremental_sync: { type: DatetimeBasedCursor, cursor_field: at, datetime_format: "%Y-%m-%d",
                  start_datetime: "2024-01-01", \(cursor) } }
            streams:
              - "#/definitions/zoos"
              - { type: DeclarativeStream, name: animals, primary_key: id, retriever: { type: SimpleRetriever,
                  requester: { type: HttpRequester, url_base: "https://zoo.example", path: /animals }, record_selector: {},
                  partition_router: \(Self.parent("parent_key: id, partition_field: zoo\(dependency)")) } }
            """
        var options = ManifestImport.Options(file: "zoo.yaml")
        options.streams = streams
        let made = try ManifestImport(Manifest(ManifestReader.node(of: text)), options)
        let configuration = try Configuration(
            parsing: made.text(database: "a.db"), file: "a.yaml", environment: [:], needsSecrets: false)
        let zoos = try #require(configuration.streams.first { $0.name.stream == "zoos" })
        #expect(zoos.deleteMissing == (period == nil ? .ignore : .soft))
        let isPlain = period == Duration.zero
        #expect((zoos.incremental == nil) == isPlain)
        #expect(zoos.incremental?.fullRefreshEvery == (isPlain ? nil : period))
    }

    private static let bounded =
        "start_time_option: { type: RequestOption, inject_into: request_parameter, field_name: since }"
    private static let feed = "is_data_feed: true"

    @Test func `a product of two parents asks for all of the first`() throws {
        let first = Self.parent("parent_key: id, partition_field: zoo, incremental_dependency: true")
        let second = Self.parent("parent_key: name, partition_field: other", "other")
        #expect(try TranslatedStream(["partition_router": "[\(first), \(second)]"])["parent"] == "zoos")
    }

    @Test func `a copy of a stream that asks for other records has a name of its own`() throws {
        func node(_ path: String) throws -> ManifestNode {
            try ManifestReader.node(
                of: """
                    { type: DeclarativeStream, name: zoos, retriever: { type: SimpleRetriever, requester: { type: HttpRequester,
                      url_base: "https://zoo.example/v1", path: \(path) }, record_selector: { extractor: { field_path: [] } } } }
                    """)
        }
        let streams = StreamsByName(settings: .mapping([]), streams: [try node("/zoos")])
        let copy = streams.translated(try node("/all-zoos"))
        #expect(copy.streamName == "zoos_2")
        #expect(streams.translated(try node("/zoos")).streamName == "zoos")
        #expect(streams.translated(try node("/all-zoos")) === copy)
    }
}
