import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerSync
import TestSupport
import Testing

/// Files that the records of a stream point to.
@Suite(.timeLimit(.minutes(5)))
struct AttachmentSyncTests {
    @Test func `files are stored once for each content, and found from each record`() async throws {
        try await Self.run(pictures: ["/a.png": "same", "/b.png": "same", "/c.png": "other"]) { rig, _ in
            let outcome = try await rig.sync(Self.stream(rig))
            #expect(outcome.status == .succeeded)
            #expect(outcome.record?.warning == nil)
            #expect([outcome.counts.inserted, outcome.counts.requests, outcome.counts.pages] == [3, 4, 1])
            let found = try rig.texts(
                """
                SELECT id || ' ' || media_type || ' ' || length || ' ' || content FROM animals
                JOIN _garner_attachments ON url = photo JOIN _garner_blobs USING (sha256) ORDER BY id
                """)
            #expect(found == ["1 image/png 4 same", "2 image/png 4 same", "3 image/png 5 other"])
            // What `printf same | sha256sum` says.
            let digest = "0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5"
            #expect(try rig.texts("SELECT sha256 FROM _garner_blobs WHERE length = 4") == [digest])
            #expect(try rig.integers("SELECT count(*) FROM _garner_requests") == [4])
        }
    }

    @Test func `the next run asks whether they have changed`() async throws {
        try await Self.run(pictures: ["/a.png": "one", "/b.png": "two"]) { rig, pictures in
            _ = try await rig.sync(Self.stream(rig))
            pictures.change { $0["/b.png"] = "new" }
            let second = try await rig.sync(Self.stream(rig))
            #expect([second.counts.notModified, second.counts.requests] == [1, 3])
            let stored = try rig.texts(
                "SELECT content FROM _garner_attachments JOIN _garner_blobs USING (sha256) ORDER BY url")
            #expect(stored == ["one", "new"])
            let full = try await rig.sync(Self.stream(rig), RunOptions(scope: RunScope(restarts: true)))
            #expect(full.counts.notModified == 0)
        }
    }

    @Test func `a URL that several records share is asked for once`() async throws {
        try await SyncRig.run({ request in
            request.target == "/animals"
                ? .json(#"[{"id":1,"photo":"/a.png"},{"id":2,"photo":"/a.png"},{"id":3,"photo":"/a.png"}]"#)
                : Self.picture("x")
        }) { rig in
            let outcome = try await rig.sync(Self.stream(rig))
            #expect(outcome.counts.requests == 2)
            let found = "SELECT id FROM animals JOIN _garner_attachments ON url = photo WHERE sha256 IS NOT NULL"
            #expect(try rig.integers(found).sorted() == [1, 2, 3])
        }
    }

    /// The advice is followed: the first file of each list comes.
    @Test func `a field of lists is told of, and leads to a column of their first elements`() async throws {
        try await SyncRig.run({ request in
            request.target == "/animals"
                ? .json(#"[{"id":1,"photo":["/a.png","/b.png"]},{"id":2,"photo":["/c.png"]},{"id":3,"photo":null}]"#)
                : Self.picture(request.target)
        }) { rig in
            let told = try await rig.sync(Self.stream(rig)).record?.warning
            #expect(
                told?.contains(
                    "the field 'photo' of attachments holds a list in 2 records, and files are taken from texts alone; for the "
                        + "first of each write fields: { add: { photo_1: \"{record.photo.0}\" } }") == true)
            #expect(rig.server.requests.map(\.target) == ["/animals"])
        }
    }

    /// The value of the field, and what is advised; nil where nothing is told.
    @Test(
        arguments: [
            (
                "101",
                "holds no text in 2 records, and files are taken from texts alone; name the field with the URL, such as link, or"
            ),
            (#"{"id":7,"href":"https://zoo.example/a.png"}"#, "name the field with the URL, such as photo__href, or"),
            ("false", nil), ("null", nil), (#""""#, nil),
        ] as [(String, String?)])
    func `a field without any text is told of, with the one that has URLs`(value: String, advice: String?) async throws
    {
        try await SyncRig.run({ _ in
            .json(
                "[\((1...2).map { #"{"id":\#($0),"photo":\#(value),"link":"https://zoo.example"}"# }.joined(separator: ","))]"
            )
        }) { rig in
            let told = try await rig.sync(Self.stream(rig)).record?.warning
            #expect((told?.contains(advice ?? "of attachments holds") == true) == (advice != nil), "\(told ?? "")")
            #expect(rig.server.requests.map(\.target) == ["/animals"])
        }
    }

    @Test func `URLs that differ by Unicode form only are asked for each`() async throws {
        try await SyncRig.run({ request in
            request.target == "/animals"
                ? .json("[{\"id\":1,\"photo\":\"/\u{E9}.png\"},{\"id\":2,\"photo\":\"/e\u{301}.png\"}]")
                : Self.picture(request.target)
        }) { rig in
            let outcome = try await rig.sync(Self.stream(rig))
            #expect(outcome.counts.requests == 3)
            #expect(Set(rig.server.requests.map(\.target)) == ["/animals", "/%C3%A9.png", "/e%CC%81.png"])
        }
    }

    @Test func `what came in with another credential is not asked about`() async throws {
        try await Self.run(pictures: ["/a.png": "one"]) { rig, _ in
            for token in ["first-token", "second-token"] {
                let outcome = try await rig.sync(
                    Self.stream(rig) { $0.request.authentication = .bearer(token: Secret(token)) })
                #expect(outcome.counts.notModified == 0)
            }
            let conditions = rig.server.requests.filter { $0.target == "/a.png" }.map { $0["If-None-Match"] }
            #expect(conditions == [nil, nil])
        }
    }

    @Test(arguments: ["text/html", "text/html; charset=utf-8", "Text/HTML;charset=\"utf-8\""])
    func `a file of another type is told with what takes it`(sent: String) async throws {
        try await SyncRig.run({ request in
            request.target.hasPrefix("/animals")
                ? .json(#"[{"id":1,"photo":"/a.png"}]"#)
                : .response(headers: [("Content-Type", sent)], body: "<p>")
        }) { rig in
            let outcome = try await rig.sync(Self.stream(rig))
            let warning = try #require(outcome.record?.warning)
            #expect(warning.hasPrefix("an attachment of 'photo' could not be fetched"), "\(warning)")
            let told = try #require(
                warning.firstMatch(of: /; write (\{.*\}) in attachments if such files are meant, else it may be/))
            let written = try Configuration(
                parsing: """
                    version: 1
                    sources: { zoo: { base_url: "https://zoo.example/", streams: { animals: { attachments: [ \(told.1) ] } } } }
                    """, file: "garner.yaml", environment: [:])
            let second = try await rig.sync(Self.stream(rig) { $0.attachments = written.streams[0].attachments })
            #expect(second.record?.warning == nil, "\(second)")
        }
    }

    @Test func `a file in a private network is told with what reaches it`() async throws {
        try await SyncRig.run({ _ in .json(#"[{"id":1,"photo":"http://10.0.0.1/a.png"}]"#) }) { rig in
            let outcome = try await rig.sync(Self.stream(rig) { $0.allowsPrivateNetwork = nil })
            let warning = try #require(outcome.record?.warning)
            #expect(warning.hasSuffix("; set allow_private_network: true if this host is meant"), "\(warning)")
        }
    }

    @Test func `a failed attachment is reported, stops nothing else, and is retried`() async throws {
        try await Self.run(pictures: ["/b.png": "two"], records: 3) { rig, pictures in
            let first = try await rig.sync(Self.stream(rig))
            #expect(first.status == .succeeded)
            let warning = try #require(first.record?.warning)
            #expect(
                warning.hasPrefix(
                    "2 attachments could not be fetched, which the next run tries again; the first, of 'photo': HTTP 404"
                ))
            #expect(warning.hasSuffix("; remove 'photo' from attachments if it holds no URLs of files"), "\(warning)")
            #expect(try rig.integers("SELECT count(*) FROM animals") == [3])
            #expect(
                try rig.texts("SELECT error_kind FROM _garner_requests WHERE error_kind IS NOT NULL")
                    == ["status", "status"])
            #expect(
                try rig.texts("SELECT url FROM _garner_attachments WHERE error_kind = 'status' ORDER BY 1")
                    == ["/a.png", "/c.png"])
            pictures.change { ($0["/a.png"], $0["/c.png"]) = ("one", "three") }
            let latest = try await rig.sync(Self.stream(rig))
            #expect(latest.record?.warning == nil)
            #expect(try rig.integers("SELECT count(*) FROM _garner_attachments WHERE error_kind IS NULL") == [3])
        }
    }

    @Test(arguments: [DeleteMissing.soft, .hard])
    func `a file of a record that the same run deletes is no failure`(deletion: DeleteMissing) async throws {
        let records = Watched([1, 2, 3])
        try await SyncRig.run({ request in
            guard request.target == "/animals" else { return .status(404) }
            return .json("[\(records.value.map { #"{"id":\#($0),"photo":"/\#($0).png"}"# }.joined(separator: ","))]")
        }) { rig in
            let stream = Self.stream(rig) {
                ($0.deleteMissing, $0.maxDeleteRatio, $0.paginator) = (deletion, 0.5, Paginator(.singlePage))
            }
            #expect(try await rig.sync(stream).record?.warning?.hasPrefix("3 attachments could not") == true)
            records.value = [1, 2]
            let second = try await rig.sync(stream)
            #expect(second.counts.deleted == 1)
            #expect(second.record?.warning?.hasPrefix("2 attachments could not") == true)
            #expect(
                try rig.texts("SELECT url FROM _garner_attachments WHERE error_kind IS NOT NULL ORDER BY 1")
                    == ["/1.png", "/2.png"])
        }
    }

    @Test func `a file that can no longer be had stays as it was`() async throws {
        try await Self.run(pictures: ["/a.png": "one"]) { rig, pictures in
            _ = try await rig.sync(Self.stream(rig))
            pictures.value = [:]
            let second = try await rig.sync(Self.stream(rig))
            #expect(second.record?.warning?.hasPrefix("an attachment of 'photo' could not be fetched") == true)
            #expect(
                try rig.texts("SELECT content FROM _garner_attachments JOIN _garner_blobs USING (sha256)") == ["one"])
        }
    }

    @Test func `a run that is stopped among them goes on with the rest`() async throws {
        let stop = StopRequest()
        let pictures = ["/a.png": "one", "/b.png": "two", "/c.png": "three"]
        // Each file is committed, and told, before the next one is requested.
        try await Self.run(pictures: pictures, synchronous: .full) { rig, _ in
            let stream = Self.stream(rig) { $0.maxConcurrency = 1 }
            let first = try await rig.sync(stream, stop: stop) { if $0.requests == 2 { stop.request() } }
            #expect(first.status == .cancelled)
            let second = try await rig.sync(stream)
            #expect([second.counts.requests, second.counts.pages] == [2, 0])
            #expect(second.status == .succeeded)
            #expect(rig.server.requests.map(\.target) == ["/animals", "/a.png", "/b.png", "/c.png"])
        }
    }

    @Test func `a server that is not there is asked no more than a few times`() async throws {
        let records = (1...90).map { #"{"id":\#($0),"photo":"http://127.0.0.1:1/\#($0)"}"# }
        try await SyncRig.run({ _ in .json("[\(records.joined(separator: ","))]") }) { rig in
            let outcome = try await rig.sync(Self.stream(rig) { $0.maxConcurrency = 1 })
            #expect(outcome.record?.warning?.hasPrefix("90 attachments could not be fetched") == true)
            #expect(outcome.counts.requests == 21)
        }
    }

    @Test func `a server that has none of them is asked for each`() async throws {
        let records = (1...30).map { #"{"id":\#($0),"photo":"/\#($0).png"}"# }
        try await SyncRig.run({
            $0.target == "/animals" ? .json("[\(records.joined(separator: ","))]") : .status(404)
        }) { rig in
            let outcome = try await rig.sync(Self.stream(rig) { $0.maxConcurrency = 1 })
            #expect(outcome.counts.requests == 31)
        }
    }

    @Test func `a table with columns of the same names as ours is read all the same`() async throws {
        try await SyncRig.run({ request in
            request.target == "/animals"
                ? .json(#"[{"id":1,"photo":"/a.png","url":"u","sha256":"s","validator":"v","field":"f","scope":"s"}]"#)
                : Self.picture("x")
        }) { rig in
            let latest = try await rig.sync(Self.stream(rig))
            #expect(latest.record?.warning == nil)
            #expect(try rig.integers("SELECT count(*) FROM _garner_blobs") == [1])
        }
    }

    @Test func `values that are no text, and records without one, are left alone`() async throws {
        try await SyncRig.run({ _ in
            .json(#"[{"id":1,"photo":null},{"id":2,"photo":""},{"id":3},{"id":4}]"#)
        }) { rig in
            let outcome = try await rig.sync(Self.stream(rig))
            #expect(outcome.record?.warning == nil)
            #expect(outcome.counts.requests == 1)
        }
    }

    @Test func `numbers, booleans and lists in a column of texts are no URLs, and a relative path is one`() async throws
    {
        let values = ["7", "-1.5e3", "true", "false", "[1]", "{}", #""7""#, #""img/7.png""#]
        let records = values.enumerated().map { #"{"id":\#($0),"photo":\#($1)}"# }
        try await SyncRig.run({ request in
            request.target == "/animals" ? .json("[\(records.joined(separator: ","))]") : Self.picture("x")
        }) { rig in
            let photo = try #require(FieldPath("photo"))
            let outcome = try await rig.sync(
                Self.stream(rig) { $0.fields.types = [.init(field: photo, type: .text)] })
            #expect(outcome.record?.warning == nil)
            #expect(rig.server.requests.map(\.target) == ["/animals", "/img/7.png"])
        }
    }

    @Test func `rows that went missing are not asked about`() async throws {
        let count = Watched(2)
        try await SyncRig.run({ request in
            guard request.target == "/animals" else { return Self.picture("x") }
            let records = (1...count.value).map { #"{"id":\#($0),"photo":"/\#($0).png"}"# }
            return .json("[\(records.joined(separator: ","))]")
        }) { rig in
            let stream = Self.stream(rig) {
                $0.deleteMissing = .soft; $0.maxDeleteRatio = 0.5; $0.paginator = Paginator(.singlePage)
            }
            _ = try await rig.sync(stream)
            count.value = 1
            #expect(try await rig.sync(stream).counts.deleted == 1)
            #expect(try await rig.sync(stream).counts.requests == 2)
        }
    }

    private static func stream(
        _ rig: SyncRig, _ change: (inout StreamConfiguration) -> Void = { _ in }
    ) -> StreamConfiguration {
        rig.stream {
            $0.attachments = [Attachment(field: "photo")]
            change(&$0)
        }
    }

    private static func picture(_ text: String) -> LoopbackReply {
        .response(headers: [("Content-Type", "image/png"), ("ETag", "\"\(text)\"")], body: text)
    }

    /// A server with animals 1, 2, …, whose pictures are `/a.png`, `/b.png`, ….
    private static func run(
        pictures: [String: String], records: Int? = nil, synchronous: Synchronous = .normal,
        _ body: @escaping @Sendable (SyncRig, Watched<[String: String]>) async throws -> Void
    ) async throws {
        let stored = Watched(pictures)
        let names = ["/a.png", "/b.png", "/c.png"].prefix(records ?? pictures.count)
        let animals = names.enumerated().map { #"{"id":\#($0 + 1),"photo":"\#($1)"}"# }.joined(separator: ",")
        try await SyncRig.run(
            { request in
                if request.target == "/animals" { return .json("[\(animals)]") }
                guard let text = stored.value[request.target] else { return .status(404) }
                return request["If-None-Match"] == "\"\(text)\"" ? .response(status: 304) : picture(text)
            }, synchronous: synchronous
        ) { rig in try await body(rig, stored) }
    }
}
