import Foundation
import TestSupport
import Testing

/// Values that `fields` drops or hashes are in no file of Garner's and in nothing that it prints, searched as bytes.
@Suite(.timeLimit(.minutes(5)))
struct DroppedFieldTests {
    /// The answer to the request for the third page.
    enum Third: String, CaseIterable {
        case good, unkeyed, misfit, broken, html, otherType, otherKeys, notAList, misshapen, large
        case status400, status403, status500Text, status500Page, refusal, failure, errors, link

        /// True for a page that is stored, or whose records are, each of them in its own way.
        var isStored: Bool { [.good, .unkeyed, .misfit, .misshapen, .large, .link].contains(self) }
    }

    /// The ways to store the pages.
    static let storing = [
        "primary_key: id, history: true, search: [note, home__city]", "primary_key: id, write_disposition: replace",
        "write_disposition: append", "dedupe: true", "primary_key: id, child_tables: true, delete_missing: soft",
        "primary_key: id, schema_contract: { columns: quarantine, data_types: quarantine }",
        "primary_key: id, schema_contract: { columns: freeze, data_types: freeze }",
    ]

    @Test(arguments: storing)
    func `nothing of a dropped or hashed value is left by a run, whatever its pages are`(storing: String) async throws {
        let way = Self.storing.firstIndex(of: storing) ?? 0
        // What is refused is refused before it is stored: each of those pages comes in one of the ways.
        for (number, third) in Third.allCases.enumerated() where third.isStored || number % Self.storing.count == way {
            try await LoopbackServer.serve({ Self.reply(to: $0, third) }) { server in
                let place = try Self.workplace(server.url, storing)
                for arguments in [
                    ["preview", "members"], ["sync", "--verbose"], ["sync", "--json"], ["runs", "--json"],
                ] {
                    try await Self.expectNoTrace(after: arguments, in: place, "\(third)")
                }
                try Self.expectNoTrace(inFilesOf: place, "\(third)")
                if third == .unkeyed, storing.contains("primary_key") {
                    #expect(try place.integers("SELECT count(*) FROM _garner_quarantine") == [1])
                }
            }
        }
    }

    @Test(arguments: storing)
    func `nothing of a dropped or hashed value is left when the program is killed between two pages`(
        storing: String
    ) async throws {
        let stalls = Watched(true)
        try await LoopbackServer.serve({ request in
            guard request.page == 3, stalls.value else { return Self.reply(to: request, .good) }
            // A body that is longer than what is kept in memory waits in a file.
            let start = #"{"data":[{"id":9,"phone":"\#(Canary.text)","note":""#
            return LoopbackReply(
                .bytes(
                    LoopbackReply.head(headers: [("Content-Type", "application/json"), ("Content-Length", "9000000")])
                        + Array(start.utf8) + Array(repeating: UInt8(ascii: "x"), count: 5 << 20)), .stall)
        }) { server in
            let place = try Self.workplace(server.url, storing)
            let sync = try place.start(["sync", "--verbose"], environment: Self.environment(of: place))
            try await eventually {
                try server.requests.contains { $0.page == 3 } && Self.storedPages(in: place) == 2
            }
            sync.send(SIGKILL)
            let ending = try await sync.end()
            #expect(Canary.trace(in: ending.output + ending.errors) == nil)
            // What is kept is there in the open: otherwise nothing would have been found for another reason.
            let contents = try Self.files(of: place).map(\.content)
            #expect(contents.contains { $0.range(of: Data("Note of 21".utf8)) != nil })
            if storing.contains("replace") {
                #expect(try place.integers("SELECT count(*) FROM _garner_staged") == [2])
            }
            try Self.expectNoTrace(inFilesOf: place, "killed")

            stalls.value = false
            try await Self.expectNoTrace(after: ["sync"], in: place, "next")
            try Self.expectNoTrace(inFilesOf: place, "next")
            #expect(try place.integers("SELECT count(*) FROM members") == [6])
        }
    }

    /// Settings, a body that has another form, and the words about it.
    private static let named = [
        ("primary_key: id", #"{"NAME":{"id":1}}"#, "$.data[*] selects nothing; the keys at the top are …"),
        (
            "record_shape: { type: columns }, record_selector: $", #"{"id":[1],"NAME":{"id":1}}"#,
            "the records do not have the configured form: '…' is no array"
        ),
        (
            "record_shape: { type: columns }, record_selector: $", #"{"id":[1],"NAME":[1,2],"id":[1]}"#,
            "the records do not have the configured form: '…' 2"
        ),
        (
            "record_shape: { type: rows, names: first }, record_selector: $", #"[["NAME","NAME"]]"#,
            "the records do not have the configured form: two values of a row have the name '…'"
        ),
    ]

    @Test(arguments: named)
    private func `names of members are not quoted where they may be what is dropped`(
        settings: String, body: String, words: String
    ) async throws {
        try await LoopbackServer.serve({ _ in .json(body.replacing("NAME", with: Canary.text)) }) { server in
            let place = try Self.workplace(server.url, settings)
            let sync = try await place.start(["sync"], environment: Self.environment(of: place)).end()
            #expect(sync.code == 65)
            #expect(sync.errors.contains(words), "\(sync.errors)")
            #expect(Canary.trace(in: sync.errors) == nil)
            try Self.expectNoTrace(inFilesOf: place, settings)
        }
    }

    @Test func `a refusal whose body is not quoted tells its status, its media type and its length`() async throws {
        try await LoopbackServer.serve({ Self.reply(to: $0, .status400) }) { server in
            let place = try Self.workplace(server.url, "primary_key: id")
            let sync = try await place.start(["sync"], environment: Self.environment(of: place)).end()
            let length = #"{"message":"no \#(Canary.text)"}"#.utf8.count
            #expect(
                sync.errors.contains("HTTP 400; its body (application/json, \(length) bytes) is not quoted")
                    || sync.output.contains("HTTP 400; its body (application/json, \(length) bytes) is not quoted"),
                "\(sync.errors) \(sync.output)")
        }
    }

    // MARK: - The API

    private static func reply(to request: LoopbackRequest, _ third: Third) -> LoopbackReply {
        guard request.page == 3 else { return .json(page(request.page)) }
        let member = #"{"id":31,"phone":"\#(Canary.text)","email":"\#(Canary.text)","note":"third"}"#
        switch third {
        case .good: return .json(page(3))
        case .unkeyed: return .json(page(3).replacing(#""id":31"#, with: #""id":null"#))
        case .misfit: return .json(page(3).replacing(#""id":31"#, with: #""id":31,"new":1,"note":{"a":[1]}"#))
        case .broken: return .json(#"{"data":[\#(member),{"\#(Canary.text)"#)
        case .html: return .response(headers: [("Content-Type", "text/plain")], body: "<p>\(Canary.text)")
        case .otherType: return .response(headers: [("Content-Type", "text/csv")], body: "[\(member)]")
        case .otherKeys: return .json(#"{"\#(Canary.text)":\#(member)}"#)
        case .notAList: return .json(#"{"data":"\#(Canary.text)"}"#)
        // Refusals repeat what they are about.
        case .status400: return .response(status: 400, headers: json, body: #"{"message":"no \#(Canary.text)"}"#)
        case .status403: return .response(status: 403, headers: json, body: #"{"phone":"\#(Canary.text)"}"#)
        case .status500Text: return .response(status: 500, headers: [("Content-Type", "text/plain")], body: Canary.text)
        case .status500Page:
            let page = "<html><title>\(Canary.text)</title></html>"
            return .response(status: 500, headers: [("Content-Type", "text/html")], body: page)
        case .refusal: return .json(#"{"success":false,"message":"\#(Canary.text) is unknown"}"#)
        case .failure: return .json(#"{"data":[],"error":{"message":"\#(Canary.text)"}}"#)
        case .errors: return .json(#"{"data":null,"errors":[{"message":"\#(Canary.text)"}]}"#)
        case .link: return .json(page(3).replacing(#""next":null"#, with: #""next":"http://[\#(Canary.text)""#))
        case .misshapen: return .json(#"{"data":[[\#(member)],{"id":32,"home":[[{"street":"\#(Canary.text)"}]]}]}"#)
        // A body of more than 4 MiB waits in a file.
        case .large:
            let text = String(repeating: "\(Canary.text) ", count: 200_000)
            return .json(page(3).replacing(#":"third""#, with: #":"\#(text)""#))
        }
    }

    private static let json = [("Content-Type", "application/json")]

    /// Two members with their addresses and their children, whose values are dropped or hashed.
    private static func page(_ number: Int) -> String {
        let members = [1, 2].map { place -> String in
            let id = number * 10 + place
            let secret = #""\#(Canary.text) \#(id)""#
            return #"{"id":\#(id),"note":"Note of \#(id)","phone":\#(secret),"email":\#(secret),"#
                + #""home":{"city":"Bern","street":\#(secret)},"children":[{"age":\#(id),"name":\#(secret)}]}"#
        }
        let next = number < 3 ? #""?page=\#(number + 1)""# : "null"
        return #"{"data":[\#(members.joined(separator: ","))],"next":\#(next),"third":"third"}"#
    }

    // MARK: - The command line

    private static func workplace(_ url: String, _ storing: String) throws -> Workplace {
        let selector = storing.contains("record_selector") ? "" : #"record_selector: "$.data[*]", "#
        let place = try Workplace(
            """
            version: 1
            sources:
              zoo:
                base_url: \(url)/
                retry: { max_attempts: 1 }
                limits: { body: 16MiB }
                response: { media_types: [application/json, text/plain] }
                streams:
                  members:
                    path: members
                    fields:
                      drop: [phone, $.home.street, $.children.name]
                      rename: { email: mail }
                      hash: { fields: [mail], key: "${CANARY}" }
                    <<: { \(selector)\(storing) }

            """)
        try FileManager.default.createDirectory(
            atPath: place.folder.path("temporary"), withIntermediateDirectories: true)
        return place
    }

    private static func environment(of place: Workplace) -> [String: String] {
        ["CANARY": Canary.text, "TMPDIR": place.folder.path("temporary")]
    }

    private static func storedPages(in place: Workplace) throws -> Int64 {
        (try? place.integers("SELECT pages FROM _garner_runs").first) ?? 0
    }

    private static func expectNoTrace(after arguments: [String], in place: Workplace, _ scenario: String) async throws {
        let ending = try await place.start(arguments, environment: environment(of: place)).end()
        #expect(Canary.trace(in: ending.output) == nil, "\(scenario) \(arguments): \(ending.output)")
        #expect(Canary.trace(in: ending.errors) == nil, "\(scenario) \(arguments): \(ending.errors)")
        #expect(ending.code < 128 && ending.code != 64, "\(scenario) \(arguments): \(ending.errors)")
    }

    /// All files in the folder and below it, but the configuration.
    private static func files(of place: Workplace) throws -> [(name: String, content: Data)] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: place.path).filter { $0 != "garner.yaml" }
        return try names.compactMap { name in
            var isFolder: ObjCBool = false
            let path = place.folder.path(name)
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                return nil
            }
            return (name, try Data(contentsOf: URL(filePath: path)))
        }
    }

    private static func expectNoTrace(inFilesOf place: Workplace, _ scenario: String) throws {
        let files = try files(of: place)
        #expect(files.contains { $0.name == "garner.db" })
        for (name, content) in files { #expect(Canary.trace(in: content) == nil, "\(scenario): \(name)") }
    }
}
