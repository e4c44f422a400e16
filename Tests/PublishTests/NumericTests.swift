import GarnerCatalog
import GarnerPersistence
import GarnerPostgres
import Testing

@testable import GarnerPublish

/// Fields that are `numeric` have all of their digits in PostgreSQL.
@Suite(.timeLimit(.minutes(2)))
struct NumericTests {
    private static let long = "1234567890123456789012345678901234567890"

    let database: TestDatabase
    let file: PublishedFile
    let animals: StreamConfiguration

    init() async throws {
        database = try await TestDatabase()
        file = try PublishedFile(database, isNumeric: { $1 == ["v"] || $1 == ["a", "v"] || $1 == ["id"] })
        animals = .zoo("animals")
    }

    private func stream(_ paths: String...) -> StreamConfiguration {
        var stream = animals
        stream.fields.types = paths.compactMap { FieldPath($0).map { .init(field: $0, type: .numeric) } }
        return stream
    }

    private static func page(_ values: [(Int, String)]) -> String {
        "[\(values.map { #"{"id":\#($0),"v":\#($1)}"# }.joined(separator: ","))]"
    }

    private func publish() async throws {
        let report = await file.publisher.publish()
        #expect(report.failure == nil && report.behind == [:] && report.warnings == [])
    }

    private func digits() async throws -> [String?] {
        try await database.texts("SELECT v FROM animals ORDER BY id").map { $0.first ?? nil }
    }

    @Test func `a column of numbers has all digits, and its sum is exact`() async throws {
        let stream = stream("v", "id")
        let values = [Self.long, "0.1", "1.10", "19.99", "12", "1e400", "0.2", "9007199254740993"]
        try await file.sync(stream, Self.page(values.enumerated().map { ($0, $1) }))
        try await publish()
        let types = try await database.texts(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'animals' ORDER BY 1")
        // A key stays what it is.
        #expect(types == [["_garner_rest", "jsonb"], ["id", "bigint"], ["v", "numeric"]])
        let exact = [
            Self.long, "0.1", "1.10", "19.99", "12", "1" + String(repeating: "0", count: 400), "0.2", values[7],
        ]
        #expect(try await digits() == exact)
        let sum = try await database.texts("SELECT sum(v) = (\(values.joined(separator: "::numeric + "))) FROM animals")
        #expect(sum == [["true"]])
    }

    @Test func `rows that change, go and are made again keep their digits`() async throws {
        let stream = stream("v")
        try await file.sync(stream, Self.page([(1, "1.5"), (2, Self.long), (3, "0.10")]))
        try await publish()
        #expect(try await digits() == ["1.5", Self.long, "0.10"])
        let other = Self.long.dropLast() + "1"
        try await file.sync(stream, Self.page([(1, Self.long + ".25"), (2, "\(other)"), (4, "null")]))
        try await publish()
        #expect(try await digits() == [Self.long + ".25", String(other), nil])
        let report = try await file.publisher.make(["animals"])
        #expect(report.failure == nil && report.sent["animals"]?.isMade == true)
        #expect(try await digits() == [Self.long + ".25", String(other), nil])
    }

    @Test func `arrays have numeric columns, too`() async throws {
        var stream = stream("$.a.v")
        stream.childTables = true
        try await file.sync(stream, #"[{"id":1,"a":[{"v":\#(Self.long)},{"v":0.1}]}]"#)
        try await publish()
        #expect(try await database.texts("SELECT v FROM animals__a ORDER BY _index") == [[Self.long], ["0.1"]])
    }

    @Test func `a published column becomes numeric when it is made again`() async throws {
        try await file.sync(animals, Self.page([(1, "1.5"), (2, "0.1")]))
        let former = try await file.reopened()
        _ = await former.publisher.publish()
        let types =
            "SELECT data_type FROM information_schema.columns WHERE table_name = 'animals' AND column_name = 'v'"
        #expect(try await database.texts(types) == [["double precision"]])
        await former.close()
        let now = try PublishedFile(database, at: former.path, in: former.folder, isNumeric: { $1 == ["v"] })
        try await now.sync(stream("v"), Self.page([(1, Self.long), (2, "0.1")]))
        #expect(await now.publisher.publish().failure == nil)
        #expect(try await database.texts(types) == [["double precision"]])
        #expect(try await now.publisher.make(["animals"]).failure == nil)
        #expect(try await database.texts(types) == [["numeric"]])
        #expect(try await digits() == [Self.long, "0.1"])
        await now.close()
    }
}
