import Foundation
import GarnerSQLite
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExitCodeTests {
    static let replies: [(LoopbackReply, Int32, String)] = [
        (.response(status: 500, body: "{}"), 69, "status"), (.response(status: 401, body: "{}"), 77, "unauthorized"),
        (.json("{"), 65, "json"), (LoopbackReply(.close), 69, "connection_closed"),
    ]

    @Test(arguments: replies)
    func `what a server does wrong has three parts and a code`(reply: LoopbackReply, code: Int32, kind: String)
        async throws
    {
        try await LoopbackServer.serve({ _ in reply }) { server in
            let place = try Workplace(api: server.url)
            let sync = try await place.garner("sync")
            #expect(sync.code == code)
            #expect(sync.output == "")
            expectThreeParts(sync.errors, beginning: "Error: zoo.animals: ")
            #expect(sync.errors.contains("garner.yaml:7:"))
            #expect(sync.errors.contains("\(server.url)/animals"))

            let json = try await place.garner("sync", "--json")
            #expect(json.code == code)
            #expect(json.output.contains(#""error":{"code":\#(code),"kind":"\#(kind)","#))
        }
    }

    @Test(arguments: ["{}", "[{}]", #"{"data":[{},{}]}"#], [false, true])
    func `an answer of which no table can be made is bad content`(body: String, hasKey: Bool) async throws {
        try await LoopbackServer.serve({ _ in .json(body) }) { server in
            let place = try Workplace(
                api: server.url, hasKey ? "primary_key: id" : "paginator: { type: single_page }")
            let sync = try await place.garner("sync")
            #expect(sync.code == 65)
            expectThreeParts(
                sync.errors, beginning: "Error: zoo.animals: the records of the first page have no members")
            let json = try await place.garner("sync", "--json")
            #expect(json.code == 65)
            #expect(json.output.contains(#""error":{"code":65,"kind":"no_members","#))
        }
    }

    @Test func `a server that is not there is unavailable`() async throws {
        // A port that only a privileged server could have, and none does.
        let sync = try await Workplace(api: "http://127.0.0.1:1").garner("sync")
        #expect(sync.code == 69)
        expectThreeParts(sync.errors, beginning: "Error: zoo.animals: the connection was refused")
    }

    @Test func `a successful sync exits with 0`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            let sync = try await place.garner("sync")
            #expect(sync.code == 0)
            let created = "/garner.db is new.\nzoo.animals: succeeded, 1 page, 2 inserted, 0 updated, 0 unchanged, "
            #expect(sync.errors.hasPrefix("The database /") && sync.errors.contains(created), "\(sync)")
            #expect(try await !place.garner("sync").errors.contains("is new"))
            for option in ["--json", "--quiet"] {
                #expect(try await place.garner("sync", "-d", "\(option.dropFirst(2)).db", option).errors == "")
            }
        }
    }

    @Test func `a sync of which one of two streams fails exits with 2`() async throws {
        try await LoopbackServer.serve({
            $0.target == "/plants" ? .response(status: 500, body: "{}") : .page($0.page, of: 1)
        }) { server in
            let place = try Workplace(api: server.url, streams: ["animals", "plants"])
            #expect(try await place.garner("sync").code == 2)
            #expect(try await place.garner("sync", "plants").code == 69)
            #expect(try place.integers("SELECT count(*) FROM animals") == [2])
        }
    }

    @Test func `a failing or overdue stream is told by status`() async throws {
        let fails = Watched(false)
        try await LoopbackServer.serve({ fails.value ? .response(status: 500, body: "{}") : .page($0.page, of: 1) }) {
            server in
            let place = try Workplace(api: server.url, "primary_key: id, schedule: { every: 1h }")
            try await place.garner("sync")
            #expect(try await place.garner("status", "--check").code == 0)
            fails.value = true
            try await place.garner("sync")
            let status = try await place.garner("status", "--check")
            #expect(status.code == 3)
            #expect(status.output.contains("failed"))
            #expect(try await place.garner("status").code == 0)
        }
    }

    @Test func `a stream that is not to notice deletions is well without them`() async throws {
        let pages = Watched(2)
        try await LoopbackServer.serve({ .page($0.page, of: pages.value) }) { server in
            let place = try Workplace(api: server.url, "primary_key: id")
            try await place.garner("sync")
            pages.value = 1
            try await place.garner("sync")
            #expect(try place.integers("SELECT count(*) FROM animals") == [4])
            #expect(try await place.garner("status", "--check").code == 0)
        }
    }

    @Test func `a disk that is full is an error of input and output`() async throws {
        try #require(FileManager.default.fileExists(atPath: "/dev/full"))
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            let export = try await place.garner("export", "animals", output: .file("/dev/full"))
            #expect(export.code == 74)
            expectThreeParts(export.errors, beginning: "Error: cannot write standard output: ")
            let sync = try await place.garner("sync", "--json", output: .file("/dev/full"))
            #expect(sync.code == 74)
        }
    }

    @Test func `a database of something else stays as it is`() async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        try place.alter("CREATE TABLE mine (id INTEGER); INSERT INTO mine VALUES (7)")
        let sync = try await place.garner("sync")
        #expect(sync.code == 78)
        expectThreeParts(sync.errors, beginning: "Error: ")
        #expect(try place.integers("SELECT id FROM mine") == [7])
        #expect(try place.texts("SELECT name FROM sqlite_schema") == ["mine"])
    }

    @Test func `a foreign writer's lock is named`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            try await place.garner("sync")
            let connection = try Connection(path: place.database, mode: .readWrite)
            try connection.executeScript("BEGIN IMMEDIATE")
            let sync = try await place.garner("sync")
            connection.close()
            #expect(sync.code == 75)
            expectThreeParts(sync.errors, beginning: "Error: ")
        }
    }
}

/// Expects an error text that says what failed, where (in the message or on its own line), and what to do.
func expectThreeParts(_ text: String, beginning: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let lines = text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix(beginning) }, "\(text)", sourceLocation: sourceLocation)
    #expect(lines.last?.hasPrefix("Try: ") == true, "\(text)", sourceLocation: sourceLocation)
    #expect(text.hasSuffix("\n"), sourceLocation: sourceLocation)
}
