import Foundation
import GarnerJSON

/// The compliance test suite of RFC 9535: https://github.com/jsonpath-standard/jsonpath-compliance-test-suite
enum ComplianceSuite {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let selector: String
        /// The JSON text to select from; nil if the selector is invalid.
        let document: String?
        /// The permitted results.
        let results: [Result]
        let usesRegularExpression: Bool

        var isInvalid: Bool { document == nil }
        var hasFilter: Bool { selector.contains("?") && !name.hasPrefix("name selector") }
        var description: String { "\(name): \(selector)" }

        init(_ test: Node) {
            name = test["name"]?.text ?? ""
            selector = test["selector"]?.text ?? ""
            document = test["invalid_selector"] == nil ? test["document"]?.source : nil
            let values = test["result"].map { [$0] } ?? test["results"]?.elements.map(\.self) ?? []
            let paths = test["result_paths"].map { [$0] } ?? test["results_paths"]?.elements.map(\.self) ?? []
            results = zip(values, paths).map { values, paths in
                Result(values: values.elements.map(\.canonical), paths: paths.elements.map(\.text))
            }
            let tags = test["tags"]?.elements.map(\.text) ?? []
            usesRegularExpression = tags.contains("match") || tags.contains("search")
        }
    }

    struct Result: Sendable, Equatable {
        var values: [String] = []
        /// The normalized paths of the values.
        var paths: [String] = []
    }

    /// All cases; none if the file cannot be read.
    static let all: [Case] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Resources/jsonpath-compliance/cts.json")
        guard let bytes = try? Data(contentsOf: file), let suite = try? Document(Array(bytes)) else { return [] }
        return suite.withRoot { $0["tests"]?.elements.map { Case($0) } ?? [] }
    }()

    static let run = all.filter { !$0.usesRegularExpression }
}
