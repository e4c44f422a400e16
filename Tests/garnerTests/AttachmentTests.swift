import Foundation
import TestSupport
import Testing

@testable import garner

/// Files beside the rows: `get` and `export --attachments`.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct AttachmentTests {
    private static let bytes = [UInt8](0...255)

    @Test func `get shows a record, and what is stored of its files`() async throws {
        try await Self.withData { place in
            let get = try await place.garner("get", "animals", "1")
            #expect(get.code == 0 && get.errors == "")
            #expect(get.output.contains("photo   /1.png\n"))
            #expect(get.output.contains("image/png") && get.output.contains("256"))
            let json = try await place.garner("get", "animals", "1", "--json")
            #expect(
                json.output.hasPrefix(
                    #"{"table":"animals","record":{"id":1,"photo":"/1.png","url":1,"sha256":2},"attachments":[{"#))
            #expect(
                members(of: json.output) == [
                    "table", "record", "record.id", "record.photo", "record.url", "record.sha256", "attachments",
                    "attachments.field",
                    "attachments.media_type", "attachments.length", "attachments.sha256", "attachments.url",
                    "attachments.error",
                ])
            #expect(
                try await place.garner("get", "animals", "1", "-f", "csv").output
                    == "id,photo,url,sha256\n1,/1.png,1,2\n")
        }
    }

    @Test func `get writes a file`() async throws {
        try await Self.withData { place in
            let get = try await place.garner("get", "animals", "1", "--attachment", "photo", "-o", "a.png")
            #expect(get.code == 0 && get.output == "" && get.errors == "")
            let written = try Data(contentsOf: URL(filePath: place.folder.path("a.png")))
            #expect(written == Data(Self.bytes))
            let text = try await place.garner("get", "animals", "2", "--attachment", "photo", "-o", "-")
            #expect(text.output == "<svg/>")
        }
    }

    @Test func `get replaces no file of the database`() async throws {
        try await Self.withData { place in
            for name in ["garner.db", "garner.db.lock"] {
                let get = try await place.garner("get", "animals", "1", "--attachment", "photo", "-o", name)
                #expect(get.code == 73)
                expectThreeParts(get.errors, beginning: "Error: \(name) belongs to the database itself")
                #expect(try place.integers("SELECT count(*) FROM animals") == [4])
            }
        }
    }

    private static let missing: [([String], String)] = [
        (["animals", "9"], "no record whose id is 9"), (["animals", "1", "2"], "has 1 part: id"),
        (["plants", "1"], "there is no table 'plants'"),
        (["animals", "1", "--attachment", "id", "-o", "x"], "no file of the field 'id'"),
        (["animals", "3", "--attachment", "photo", "-o", "x"], "HTTP 404"),
        (["animals", "1", "-o", "x"], "--attachment"), (["animals", "1", "--attachment", "photo"], "-o"),
        (["animals"], "key"),
    ]

    @Test func `what is not there is said`() async throws {
        try await Self.withData { place in
            for (arguments, words) in Self.missing {
                let get = try await place.start(["get"] + arguments).end()
                #expect(get.code == 64 && get.errors.contains(words), "\(arguments): \(get)")
                #expect(!place.names.contains("x"))
            }
        }
    }

    @Test func `export writes every file once, named by its content and type`() async throws {
        try await Self.withData { place in
            let export = try await place.garner("export", "animals", "--attachments", "files")
            #expect(export.code == 0 && export.output == "")
            #expect(export.errors == "2 files in files\n")
            let digests = try place.texts("SELECT sha256 FROM _garner_blobs ORDER BY media_type")
            let folder = place.folder.path("files")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.sorted() == ["\(digests[0]).png", "\(digests[1]).svg"].sorted())
            let written = try Data(contentsOf: URL(filePath: "\(folder)/\(digests[0]).png"))
            #expect(written == Data(Self.bytes))
            #expect(try await place.garner("export", "animals", "--attachments", "files", "-q").errors == "")
        }
    }

    @Test func `a file that no record leads to any longer is neither shown nor written`() async throws {
        let name = Watched("old")
        try await LoopbackServer.serve({ request in
            request.target == "/animals"
                ? .json(#"[{"id":1,"photo":"/\#(name.value).png"}]"#)
                : .response(headers: [("Content-Type", "image/png")], body: request.target)
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, attachments: [ { field: photo } ]")
            for photo in ["old", "new"] {
                name.value = photo
                #expect(try await place.garner("sync").code == 0)
            }
            #expect(try place.integers("SELECT count(*) FROM _garner_blobs") == [2])
            let get = try await place.garner("get", "animals", "1", "--attachment", "photo", "-o", "-")
            #expect(get.output == "/new.png")
            let export = try await place.garner("export", "animals", "--attachments", "files")
            #expect(export.errors == "1 file in files\n")
        }
    }

    @Test(arguments: [
        ("image/png", "png"), ("image/svg+xml", "svg"), ("application/pdf", "pdf"), ("image/../../x", "bin"),
        ("", "bin"),
    ])
    func `a type has one suffix`(type: String, suffix: String) {
        #expect(AttachmentFolder.suffix(of: type) == suffix)
    }

    /// Four animals with pictures: the second and the fourth have the same, the third's is gone.
    private static func withData(_ body: @escaping @Sendable (Workplace) async throws -> Void) async throws {
        let animals = (1...4).map { #"{"id":\#($0),"photo":"/\#($0).\#($0 == 1 ? "png" : "svg")","url":1,"sha256":2}"# }
        try await LoopbackServer.serve({ request in
            switch request.target {
            case "/animals": .json("[\(animals.joined(separator: ","))]")
            case "/1.png": .response(headers: [("Content-Type", "image/png")], body: bytes)
            case "/2.svg", "/4.svg": .response(headers: [("Content-Type", "image/svg+xml")], body: "<svg/>")
            default: .status(404)
            }
        }) { server in
            let place = try Workplace(api: server.url, "primary_key: id, attachments: [ { field: photo } ]")
            let sync = try await place.garner("sync")
            #expect(sync.code == 0, "\(sync.errors)")
            try await body(place)
        }
    }
}
