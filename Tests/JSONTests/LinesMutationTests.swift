import GarnerJSON
import TestSupport
import Testing

struct LinesMutationTests {
    private static let samples = [
        #"{"id":1,"name":"T\u00e9\n😀","x":[true,null,-0.5e-3]}"#, #"{"id":12345678901234567890,"x":[{"a":1},{"a":2}]}"#,
        #"{"id":3,"name":"","extra":{"a":{"b":[]}},"x":[]}"#, #"{"id":4,"id":5,"n\u0061me":"\ud800"}"#, "[1e400,-0]",
        "1.5", #""a\\nb""#, "null", "  ", "",
    ]

    /// The document parser, line by line, is the measure.
    @Test(arguments: 0..<40)
    func `lines say what each says alone`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let bytes = Self.mutate(Self.lines(&random), &random)
            let expected = Expectation(of: bytes)
            do throws(JSONError) {
                let document = try Document(parsingLines: Bytes(bytes))
                #expect(expected.error == nil, "\(bytes)")
                document.withRoot { root in
                    #expect(root.elements.map(\.canonical) == expected.texts, "\(bytes)")
                    #expect(root.elements.map { document.offset(of: $0) } == expected.offsets, "\(bytes)")
                }
                #expect(document.notes == expected.notes, "\(bytes)")
            } catch {
                #expect(Refusal(error) == expected.error, "\(bytes)")
            }
        }
    }

    private static func lines(_ random: inout SplitMix64) -> [UInt8] {
        var text = ""
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            text += (samples.randomElement(using: &random) ?? "") + (Bool.random(using: &random) ? "\n" : "\r\n")
        }
        return Array(text.utf8)
    }

    private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 0...2, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeLast(min(bytes.count, Int.random(in: 1...40, using: &random)))
            case 1: bytes.insert(UInt8(ascii: "\n"), at: place)
            case 2: bytes.remove(at: place)
            default: bytes[place] = Array("\r\n []{},:\"\\1é".utf8).randomElement(using: &random) ?? 0
            }
        }
        return bytes
    }
}

/// The expected result for lines when each is parsed as a document.
private struct Expectation {
    var texts: [String] = []
    var offsets: [Int?] = []
    var notes: Document.Notes = []
    var error: Refusal?

    init(of bytes: [UInt8]) {
        var start = 0
        for (index, slice) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            defer { start += slice.count + 1 }
            let line = slice.last == UInt8(ascii: "\r") ? slice.dropLast() : slice
            do throws(JSONError) {
                let document = try Document(Array(line))
                texts.append(document.canonical)
                offsets.append(document.withRoot { document.offset(of: $0) }.map { $0 + start })
                notes.formUnion(document.notes)
            } catch {
                if error.kind == .empty { continue }
                self.error = Refusal(error)
                self.error?.offset += start
                self.error?.reason = "line \(index + 1): \(error.reason)"
                return
            }
        }
    }
}

private struct Refusal: Equatable {
    let kind: JSONError.Kind
    var offset: Int
    var reason: String

    init(_ error: JSONError) {
        kind = error.kind
        offset = error.offset
        reason = error.reason
    }
}
