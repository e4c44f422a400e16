import TestSupport
import Testing

@testable import GarnerJSON

struct SelectorMutationTests {
    private static let selectors = [
        "$.data[*]", "$['odd key'][0].rows", #"$["a","b\u00e9\uD83D\uDE00\n"]"#, "$..id", "$.items[1:-1:2]", "$[::-1]",
        "$ [ 0 , -1 , 'x' , * ] .@odata.nextLink", "$..[0, ?@.a]", "$[9007199254740991:-9007199254740991]",
        "$[?@.a[?@.b > 1] && !($.c == 'd')]", "$..[*,0]..*", "$[0,0,*].*..[::2,1]..*",
    ]
    private static let expressions = [
        "@.type == 'order' && !(@.n > 3 || @.tags[0])", "count(@..*) >= 2 || length(@.name) != 1.5e-3",
        "value($..a) == null && @['x','y'][?@.b > 1]", #"@.a == "\u00e9\uD83D\uDE00" || true != @.b"#,
        "@[::-2] || @.n <= 12345678901234567890", "((@.a)) && !!@.b", "match(@.a, 'b') || length(value(@[*])) < 1e400",
    ]
    private static let document = #"""
        {"data":[{"id":1,"a":[{"b":2},{"b":null}]},{"id":1e400,"type":"order","n":3,"tags":[]}],"a":{"a":"é😀"},
         "items":[1,[2,[3,[4]]],{},"x"],"c":"d","name":"n","x":{"b":2.5},"x":12345678901234567890}
        """#

    /// Whatever is parsed can be evaluated, and whatever is not is refused at a place within the text.
    @Test(.timeLimit(.minutes(5)), arguments: 0..<40)
    func `changed selectors and expressions are read or refused`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        try Document(Self.document).withRoot { root in
            for _ in 0..<150 {
                let text = Self.mutate(Self.selectors, &random)
                for parse in [Self.parse, Self.parseStrictly] {
                    guard let selector = parse(text) else { continue }
                    let elements = selector.elements(in: root)
                    #expect(selector.first(in: root)?.raw == elements.first?.raw, "\(text)")
                    #expect(!selector.isSingular || elements.count <= 1, "\(text)")
                    // A filter counts what it does not list.
                    if let filter = try? FilterExpression(parsing: "count(\(text)) == \(elements.count)") {
                        #expect((try? filter.matches(root, root: root)) == true, "\(text)")
                    }
                    #expect(selector.way(in: root).count <= selector.segments.count + 1, "\(text)")
                }
                let expression = Self.mutate(Self.expressions, &random)
                do throws(SelectorError) {
                    let filter = try FilterExpression(parsing: expression)
                    var evaluation = FilterEvaluation(filter, root: root)
                    for node in [root] + root.children {
                        let verdict = try? evaluation.matches(node)
                        #expect(verdict != nil && verdict == (try? filter.matches(node, root: root)), "\(expression)")
                    }
                } catch {
                    #expect((0...expression.utf8.count).contains(error.offset), "\(expression)")
                }
            }
        }
    }

    /// What the RFC accepts, a configuration may contain, and it selects the same.
    private static func parseStrictly(_ text: String) -> Selector? {
        guard let selector = try? Selector(strict: text, allowingFilters: true) else { return nil }
        if (try? Selector(strict: text)) != nil {
            #expect(
                selector.multipliesValues || (try? Selector(parsing: text))?.segments == selector.segments, "\(text)")
        }
        return selector
    }

    private static func parse(_ text: String) -> Selector? {
        do throws(SelectorError) {
            return try Selector(parsing: text)
        } catch {
            #expect((0...text.utf8.count).contains(error.offset), "\(text)")
            return nil
        }
    }

    private static func mutate(_ samples: [String], _ random: inout SplitMix64) -> String {
        var bytes = Array((samples.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2, 3:
                bytes.insert(
                    Array(#"[]()?@$.*,:'"\u-0129eE+!=<>&| a"#.utf8).randomElement(using: &random) ?? 0, at: place)
            case 4: bytes.removeLast(min(bytes.count, Int.random(in: 1...20, using: &random)))
            default:
                let other = Array((samples.randomElement(using: &random) ?? "").utf8)
                bytes.insert(contentsOf: other.suffix(Int.random(in: 0...30, using: &random)), at: place)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
