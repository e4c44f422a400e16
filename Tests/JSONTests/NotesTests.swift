import GarnerJSON
import TestSupport
import Testing

struct NotesTests {
    @Test(
        arguments: [
            ("{}", []), ("{\"a\":1,\"b\":1}", []), ("[{\"a\":1},{\"a\":1}]", []), ("{\"a\":{\"a\":{\"a\":1}}}", []),
            ("[\"a\",\"a\"]", []), ("{\"a\":\"b\",\"b\":\"a\"}", []), ("{\"a\":1,\"A\":2,\"aa\":3,\"\":4}", []),
            ("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}", []), ("\"\u{FFFD}\"", []), ("\"\\ufffd\"", []),
            ("{\"a\":1,\"a\":1}", .duplicateKeys), ("{\"\":1,\"\":2}", .duplicateKeys),
            ("{\"a\":1,\"b\":2,\"a\":3}", .duplicateKeys), ("[[{\"x\":{\"a\":1,\"a\":2}}]]", .duplicateKeys),
            ("{\"ab\":1,\"a\\u0062\":2}", .duplicateKeys), ("{\"a\\u0062\":1,\"ab\":2}", .duplicateKeys),
            ("{\"created_at\":1,\"created_by\":2,\"created_at\":3}", .duplicateKeys),
            // After a like object, in its order and not
            ("[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2}]", []), ("[{\"a\":1,\"b\":2},{\"b\":1,\"a\":2}]", []),
            ("[{\"a\":1},{\"a\":1,\"a\":2}]", .duplicateKeys),
            ("[{\"a\":1,\"b\":2},{\"a\":1,\"b\":2,\"a\":3}]", .duplicateKeys),
            ("[{\"a\":1,\"b\":2},{\"b\":1,\"b\":2}]", .duplicateKeys), ("[{},{\"a\":1,\"a\":2}]", .duplicateKeys),
            ("[{\"x\":{\"a\":1}},{\"x\":{\"a\":1,\"a\":2}}]", .duplicateKeys),
            ("[{\"x\":[{\"a\":1}]},{\"x\":[{\"b\":1,\"b\":2}]}]", .duplicateKeys),
            ("[{\"a\":1,\"b\":2,\"c\":3},{\"c\":1},{\"a\":1,\"c\":2,\"c\":3}]", .duplicateKeys),
            ("[{\"a\":1},null,5,[],{\"a\":1,\"b\":2,\"b\":3}]", .duplicateKeys),
            ("[{\"a\\\\\":1},{\"a\\\\\":2,\"a\\\\\":3}]", .duplicateKeys),
            ("[{\"a\\\"b\":1},{\"a\":2}]", []), ("[{\"a\\\\\":1},{\"a\\\"\":2,\"a\\\\\":3}]", []),
            // Surrogates
            ("\"\\ud800\"", .replacedSurrogates), ("{\"\\udc00\":1}", .replacedSurrogates),
            ("\"\\ud83d\\ude00\"", []), ("[1,{\"a\":[\"x\\ud800\"]}]", .replacedSurrogates),
            ("{\"\\ud800\":1,\"\\ud801\":2}", [.duplicateKeys, .replacedSurrogates]),
        ] as [(String, Document.Notes)])
    func `notes report every value that is not kept as written`(source: String, notes: Document.Notes) throws {
        #expect(try Document(source).notes == notes)
        #expect(try Document(lines: "{\"a\":1,\"b\":2}\n\(source)\n7").notes == notes)
    }

    /// The counts lie on both sides of the limit up to which every key is compared with every other.
    @Test(arguments: [2, 3, 15, 16, 17, 18, 100, 5000])
    func `a duplicate is found among any number of keys`(count: Int) throws {
        let keys = (0..<count).map { "\"key_\($0)_\($0 % 7)\":\($0)" }
        #expect(try Document("{\(keys.joined(separator: ","))}").notes == [])
        for place in Set([0, 1, count / 2, count - 1]) {
            let text = (keys + [keys[place]]).joined(separator: ",")
            #expect(try Document("{\(text)}").notes == .duplicateKeys)
            #expect(try Document("[{\(keys.joined(separator: ","))},{\(text)}]").notes == .duplicateKeys)
        }
    }

    /// Few names in any order, so that objects are alike in part.
    @Test(arguments: 0..<20)
    func `duplicates are what a set of the keys says`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            var hasDuplicates = false
            let objects = (0..<6).map { _ in
                let keys = (0..<6).filter { _ in Bool.random(using: &random) }.map { key in
                    Int.random(in: 0..<60, using: &random) == 0 ? Int.random(in: 0..<6, using: &random) : key
                }
                let ordered = Int.random(in: 0..<3, using: &random) == 0 ? keys.shuffled(using: &random) : keys
                if Set(ordered).count < ordered.count { hasDuplicates = true }
                return "{" + ordered.map { "\"key\($0)\":{\"a\":\($0)}" }.joined(separator: ",") + "}"
            }
            let text = "[\(objects.joined(separator: ","))]"
            let document = try Document(text)
            #expect(document.notes == (hasDuplicates ? .duplicateKeys : []), "\(text)")
            #expect(document.withRoot { $0.elements.map(\.text) } == objects)
        }
    }
}
