import GarnerCatalog
import Foundation
import Logging
import GarnerModel
import TestSupport
import Testing

@testable import garner

struct LogLineTests {
    private static let time = Timestamp(millisecondsSince1970: 1_700_000_000_123)

    private static func line(_ message: String, _ metadata: Logger.Metadata = [:]) -> LogLine {
        LogLine(time: time, level: .warning, message: message, metadata: metadata)
    }

    @Test func `a line of text has time, level, message and members in their order`() {
        let line = Self.line("Run ended", ["stream": "zoo.animals", "pages": "3", "error": "no answer", "at": ""])
        #expect(
            line.text(as: .text)
                == #"2023-11-14T22:13:20.123Z warning Run ended at="" error="no answer" pages=3 stream=zoo.animals"#
                + "\n")
    }

    @Test func `a line of JSON has them as members`() {
        let line = Self.line(
            "Run ended", ["stream": "zoo.animals", "counts": ["a": "1"], "list": ["x", "y\"z"], "error": "no\\way"])
        #expect(
            line.text(as: .json)
                == #"{"time":"2023-11-14T22:13:20.123Z","level":"warning","message":"Run ended","counts":{"a":"1"},"#
                + #""error":"no\\way","list":["x","y\"z"],"stream":"zoo.animals"}"# + "\n")
    }

    @Test func `members do not take the place of the line's own`() throws {
        let text = Self.line("m", ["time": "a", "level": "b", "message": "c"]).text(as: .json)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        #expect(
            object == [
                "time": "2023-11-14T22:13:20.123Z", "level": "warning", "message": "m", "time_": "a", "level_": "b",
                "message_": "c",
            ])
    }

    @Test func `whatever stands in it, it is one line that moves no cursor and says what it was`() throws {
        var generator = SplitMix64(seed: 7)
        let nasty: [Unicode.Scalar] = [
            "\n", "\r", "\t", "\0", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{202E}", "\u{200B}",
            "\u{FEFF}",
            "\u{E0001}", "\u{F8FF}", "\u{301}", "\u{200D}", "\"", "\\", "=", " ", "a", "é", "🐘", "{", ",",
        ]
        for _ in 0..<2000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int(generator.next() % 12) { text.append(nasty[Int(generator.next() % UInt64(nasty.count))]) }
            let metadata: Logger.Metadata = ["key": "\(String(text))", "other": ["\(String(text))"]]
            for format in LogFormat.allCases {
                let line = Self.line(String(text), metadata).text(as: format)
                #expect(line.hasSuffix("\n"))
                #expect(
                    line.unicodeScalars.dropLast().allSatisfy { scalar in
                        scalar == "\u{200D}"
                            || ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
                                scalar.properties.generalCategory)
                    })
            }
            let json = Self.line(String(text), metadata).text(as: .json)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            #expect((object["message"] as? String)?.unicodeScalars.elementsEqual(text) == true)
            #expect((object["key"] as? String)?.unicodeScalars.elementsEqual(text) == true)
        }
    }

    @Test func `the handler's own members are there too, and the event's win`() {
        let pipe = LogPipe()
        let writer = LogWriter(pipe.writing)
        var logger = Logger(label: "garner") { _ in LineLogHandler(format: .text, writer: writer, now: { Self.time }) }
        logger[metadataKey: "a"] = "1"
        logger[metadataKey: "b"] = "1"
        logger.debug("not shown")
        logger.error("Gone", error: CancellationError(), metadata: ["b": "2"])
        #expect(writer.flush(within: .seconds(30)))
        #expect(pipe.read() == "2023-11-14T22:13:20.123Z error Gone a=1 b=2 error=CancellationError()\n")
    }
}
