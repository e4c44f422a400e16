import Testing

@testable import GarnerJSON

struct ComplianceTests {
    @Test func `all cases are run, except those of match and search`() {
        let run = ComplianceSuite.run
        #expect(ComplianceSuite.all.count == 703)
        #expect(run.count == 647)
        #expect(run.filter(\.hasFilter).count == 326)
        #expect(run.filter(\.isInvalid).count == 241)
        #expect(run.allSatisfy { $0.isInvalid != ($0.results.count > 0) })
    }

    @Test(arguments: ComplianceSuite.run.filter { !$0.isInvalid })
    func `a valid selector selects what the RFC says`(test: ComplianceSuite.Case) throws {
        let document = try Document(test.document ?? "")
        let selector = try Selector(strict: test.selector, allowingFilters: true)
        #expect(test.results.contains(Self.result(of: selector, in: document)))
        let first = document.withRoot { selector.first(in: $0)?.canonical }
        #expect(first == Self.result(of: selector, in: document).values.first)
    }

    @Test(arguments: ComplianceSuite.run.filter(\.isInvalid))
    func `an invalid selector is refused`(test: ComplianceSuite.Case) {
        #expect(throws: SelectorError.self) { try Selector(strict: test.selector, allowingFilters: true) }
    }

    @Test(arguments: ComplianceSuite.run.filter { !$0.isInvalid && !$0.hasFilter })
    func `a configuration's selector does as the RFC says`(test: ComplianceSuite.Case) throws {
        let document = try Document(test.document ?? "")
        #expect(try test.results.contains(Self.result(of: Selector(parsing: test.selector), in: document)))
    }

    @Test(arguments: ComplianceSuite.run.filter { !$0.isInvalid && $0.hasFilter })
    func `a configuration's selector has no filters`(test: ComplianceSuite.Case) throws {
        let error = try #require(throws: SelectorError.self) { try Selector(parsing: test.selector) }
        #expect(error.reason.contains("'record_filter'"))
    }

    @Test func `a configuration's selector may be what was always accepted`() {
        let accepted = ComplianceSuite.run.filter { $0.isInvalid && (try? Selector(parsing: $0.selector)) != nil }
        let digits = accepted.filter { $0.name.contains("leading 0") || $0.name.contains("-0") }
        let controls = accepted.filter { $0.name.contains("embedded U+00") }
        let others = accepted.map(\.name).filter { name in !(digits + controls).contains { $0.name == name } }
        #expect(digits.count == 12)
        #expect(controls.count == 64)
        #expect(others == ["basic, no trailing whitespace", "basic, name shorthand, number"])
    }

    /// The cases that are nothing but a filter of the root's children.
    static let expressions = ComplianceSuite.run.filter {
        $0.hasFilter && $0.selector.wholeMatch(of: /\$\[\?.*\]/) != nil
    }

    @Test(arguments: expressions)
    func `an expression does what it does inside a selector`(test: ComplianceSuite.Case) throws {
        let expression = String(test.selector.dropFirst(3).dropLast())
        guard let text = test.document else {
            #expect(throws: SelectorError.self) { try FilterExpression(parsing: expression) }
            return
        }
        // These are not one filter, but several selectors.
        guard (try? Selector(strict: test.selector, allowingFilters: true))?.segments.count == 1,
            let filter = try? FilterExpression(parsing: expression)
        else { return #expect(test.name.contains("multiple") || test.name.contains("multi-")) }
        try Document(text).withRoot { root in
            let kept = try root.children.filter { try filter.matches($0, root: root) }.map(\.canonical)
            #expect(test.results.contains { $0.values == kept })
        }
    }

    private static func result(of selector: Selector, in document: Document) -> ComplianceSuite.Result {
        document.withRoot { root in
            let paths = paths(in: root)
            let elements = selector.elements(in: root)
            return ComplianceSuite.Result(
                values: elements.map(\.canonical),
                paths: elements.map { paths[document.index(of: $0)] ?? "" })
        }
    }

    /// The normalized paths of all values of a document, by their index.
    private static func paths(in root: Node) -> [Int: String] {
        var paths: [Int: String] = [:]
        func visit(_ node: Node, at path: String) {
            paths[node.raw - root.raw] = path
            for (index, element) in node.elements.enumerated() { visit(element, at: "\(path)[\(index)]") }
            for (key, value) in node.members { visit(value, at: "\(path)['\(normalized(key.text))']") }
        }
        visit(root, at: "$")
        return paths
    }

    private static func normalized(_ name: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "\u{8}": "\\b", "\u{9}": "\\t", "\u{A}": "\\n", "\u{C}": "\\f", "\u{D}": "\\r", "'": "\\'", "\\": "\\\\",
        ]
        return name.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}
