import GarnerCatalog
import Foundation
import Testing

struct LoadingTests {
    private func load(_ path: String) throws -> Configuration {
        try Configuration.load(contentsOf: path, environment: [:])
    }

    @Test func `a file that is not there is not found`() {
        #expect(throws: ConfigurationError.notFound(searched: ["/no/such/garner.yaml"])) {
            try load("/no/such/garner.yaml")
        }
        #expect(throws: ConfigurationError.notFound(searched: ["a\0b"])) { try load("a\0b") }
    }

    @Test func `a folder is unreadable, and says why`() {
        #expect(throws: ConfigurationError.unreadable(path: "/", reason: "Is a directory")) { try load("/") }
    }

    @Test func `a file is read with its folder as the base`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("garner-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/garner.yaml"

        try Data("\u{FEFF}version: 1\r\nsources: {}\r\n".utf8).write(to: URL(fileURLWithPath: path))
        let configuration = try load(path)
        #expect(configuration.file == path && configuration.database == folder + "/garner.db")

        try Data([0x76, 0xFF, 0xFE]).write(to: URL(fileURLWithPath: path))
        #expect(throws: ConfigurationError.unreadable(path: path, reason: "it is not UTF-8 text (line 1)")) {
            try load(path)
        }

        try Data(repeating: 0x20, count: (4 << 20) + 1).write(to: URL(fileURLWithPath: path))
        #expect(throws: ConfigurationError.unreadable(path: path, reason: "it is larger than 4MiB")) { try load(path) }
    }

    /// The database of a file, relative to its folder; nil if the file is refused.
    private static let databases: [(String, String?)] = [
        ("version: 1\nsources: {}", "garner.db"), ("version: 1\ndatabase: a/b.db\nsources: {}", "a/b.db"),
        ("version: 1\ndatabase: b.db\nsources: { zoo: { streams: { a: { pth: /a } } } }", "b.db"),
        ("version: 1\ndatabase: ${NAME}.db\nsources: {}", "named.db"),
        (
            """
            version: 1
            database: ${NAME}.db
            sources: { zoo: { base_url: http://a.example/, auth: { type: bearer, token: '${NAME}' } } }
            """, nil
        ),
        ("version: 1\ndatabase: ${NONE}.db\nsources: {}", nil), ("version: 1\ndatabse: b.db\nsources: {}", nil),
        ("version: 2\nsources: {}", nil), ("database: b.db\nsources: {}", nil), ("version: 1\ndatabase: ':a'", nil),
        ("version: [", nil), ("", nil),
    ]

    @Test(arguments: databases)
    func `the database is known whatever is wrong with streams`(text: String, database: String?) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("garner-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/garner.yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        func found() throws -> String { try Configuration.databasePlace(in: path, environment: ["NAME": "named"]).path }
        guard let database else {
            #expect(throws: ConfigurationError.self) { try found() }
            return
        }
        #expect(try found() == folder + "/" + database)
    }
}
