import GarnerCatalog
import GarnerModel
import NIOCore
import Testing

@testable import GarnerControl

struct ControlRequestTests {
    private static let animals = StreamName(source: "zoo", stream: "animals")

    static let requests: [(ControlRequest, String)] = [
        (.pause(animals), #"{"command":"pause","stream":"zoo.animals"}"#),
        (.resume(animals), #"{"command":"resume","stream":"zoo.animals"}"#),
        (
            .trigger(RunRequest("r/1", of: animals), waits: false),
            #"{"command":"trigger","full_refresh":false,"request_id":"r/1","stream":"zoo.animals","wait":false}"#
        ),
        (
            .trigger(RunRequest("2", of: animals, restarts: true, maximumPages: 3), waits: true),
            #"{"command":"trigger","full_refresh":true,"max_pages":3,"request_id":"2","stream":"zoo.animals","wait":true}"#
        ),
        (
            .publish(tables: ["animals"], takesOver: false),
            #"{"command":"publish","tables":["animals"],"take_over":false}"#
        ),
        (.notices(file: nil), #"{"command":"notices"}"#),
        (.notices(file: "a"), #"{"command":"notices","file":"a"}"#),
    ]

    @Test(arguments: requests)
    func `a request is one line, and is understood again`(request: ControlRequest, text: String) throws {
        #expect(try String(buffer: ControlLine.encoded(request)) == text + "\n")
        #expect(try ControlLine.decoded(ControlRequest.self, ByteBuffer(string: text)) == request)
    }

    static let replies: [(ControlReply, String)] = [
        (.accepted, #"{"event":"accepted"}"#), (.joined(run: nil), #"{"event":"joined"}"#),
        (.joined(run: 7), #"{"event":"joined","run_id":7}"#), (.ended(run: 8), #"{"event":"ended","run_id":8}"#),
        (.done, #"{"event":"done"}"#),
        (
            .refused(ControlError(.busy, kind: "busy", message: "a\nb", hint: "c")),
            #"{"code":75,"event":"refused","hint":"c","kind":"busy","message":"a\nb"}"#
        ),
        (
            .refused(ControlError(.failed, kind: "k", message: "m")),
            #"{"code":1,"event":"refused","kind":"k","message":"m"}"#
        ),
        (
            .published(
                PublicationAnswer(
                    tables: [.init(name: "a", inserted: 1, updated: 2, deleted: 3, isMade: false, behind: nil)],
                    otherTables: 0, rows: 6, warnings: ["w"], failure: nil)),
            #"{"event":"published","publication":{"otherTables":0,"rows":6,"tables":[{"deleted":3,"inserted":1,"isMade":false,"name":"a","updated":2}],"warnings":["w"]}}"#
        ),
    ]

    @Test(arguments: replies)
    func `a reply is one line, and is understood again`(reply: ControlReply, text: String) throws {
        #expect(try String(buffer: ControlLine.encoded(reply)) == text + "\n")
        #expect(try ControlLine.decoded(ControlReply.self, ByteBuffer(string: text)) == reply)
    }

    @Test func `what a later version adds is passed over`() throws {
        let line = ByteBuffer(string: #"{"command":"pause","stream":"zoo.animals","until":"tomorrow"}"#)
        #expect(try ControlLine.decoded(ControlRequest.self, line) == .pause(Self.animals))
    }

    static let hostile: [(String, String)] = [
        ("", "not a JSON object"), ("{", "not a JSON object"), ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        (#""trigger""#, "not a JSON object"), ("\u{0}", "not a JSON object"), ("GET / HTTP/1.1", "not a JSON object"),
        (#"{"stream":"zoo.animals"}"#, "'command' is missing"),
        (#"{"command":"pause"}"#, "'stream' is missing"),
        (#"{"command":"stop","stream":"zoo.animals"}"#, "'command' is not what it must be"),
        (#"{"command":"pause","stream":"animals"}"#, "'stream' is not what it must be"),
        (#"{"command":"pause","stream":".animals"}"#, "'stream' is not what it must be"),
        (#"{"command":"pause","stream":"zoo."}"#, "'stream' is not what it must be"),
        (#"{"command":"pause","stream":7}"#, "'stream' is not what it must be"),
        (#"{"command":"trigger","stream":"a.b"}"#, "'request_id' is missing"),
        (#"{"command":"trigger","stream":"a.b","request_id":""}"#, "'request_id' is not what it must be"),
        (#"{"command":"trigger","stream":"a.b","request_id":"a b"}"#, "'request_id' is not what it must be"),
        (#"{"command":"trigger","stream":"a.b","request_id":"é"}"#, "'request_id' is not what it must be"),
        (
            #"{"command":"trigger","stream":"a.b","request_id":"\#(String(repeating: "x", count: 129))"}"#,
            "'request_id' is not what it must be"
        ),
        (#"{"command":"trigger","stream":"a.b","request_id":"1","wait":1}"#, "'wait' is not what it must be"),
        (#"{"command":"trigger","stream":"a.b","request_id":"1","max_pages":0}"#, "'max_pages' is not what it must be"),
        (
            #"{"command":"trigger","stream":"a.b","request_id":"1","max_pages":"3"}"#,
            "'max_pages' is not what it must be"
        ),
    ]

    @Test(arguments: hostile)
    func `what is no request is refused with what is wrong`(line: String, reason: String) {
        #expect(throws: ControlError.misunderstood(reason)) {
            try ControlLine.decoded(ControlRequest.self, ByteBuffer(string: line))
        }
    }

    @Test func `brackets without an end are refused`() {
        let line = ByteBuffer(repeating: UInt8(ascii: "["), count: 64 << 10)
        #expect(throws: ControlError.misunderstood("not a JSON object")) {
            try ControlLine.decoded(ControlRequest.self, line)
        }
    }

    @Test func `bytes that are no text are refused`() {
        #expect(throws: ControlError.self) {
            try ControlLine.decoded(ControlRequest.self, ByteBuffer(bytes: [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D]))
        }
    }
}
