/// A condition on a value: a filter expression of JSONPath (RFC 9535), without the `?` before it.
///
/// `@` is the value and `$` the root of its document:
///
///     let filter = try FilterExpression(parsing: "@.type == 'order' && !(@.n > 3 || @.tags[0])")
///     document.withRoot { root in
///         for record in root["data"]?.elements ?? root.elements where filter.matches(record, root: root) { … }
///     }
///
/// A query that stands alone asks if it selects anything, whatever that is: `@.deleted` is true for
/// `{"deleted": false}`. Compared queries select at most one value; one that selects none equals another such, and
/// nothing else. `<` and its like compare numbers with numbers and texts with texts, and are false for all else.
/// Numbers are compared exactly, also those that neither Int64 nor Double holds. Texts are in the order of their
/// Unicode scalars.
///
/// `length(…)` is the number of scalars of a text, of values of an array or of members of an object, `count(…)` the
/// number of values that a query selects, and `value(…)` the value that a query selects if it is only one.
///
/// Names may be written as in `Selector.init(parsing:)`. `match()` and `search()` are not supported.
package struct FilterExpression: Sendable, Equatable, CustomStringConvertible {
    /// The expression as it is written.
    package let description: String
    let expression: LogicalExpression

    /// Parses an expression. Throws `SelectorError` if it is malformed, compares or passes what RFC 9535 forbids, nests
    /// parentheses and filters deeper than 32 levels, or calls a function that is not supported.
    package init(parsing text: String) throws(SelectorError) {
        var reader = SelectorReader(text, allowsFilters: true)
        expression = try reader.readFilterExpression()
        description = text
    }

    /// True if it is one query alone, which asks only whether there is anything, whatever its value.
    package var asksForPresence: Bool { if case .exists = expression { true } else { false } }

    /// The members of `@` that it names, each by its names from `@` on, with true for one that is only asked to be there.
    package var memberPaths: [(names: [String], isAskedFor: Bool)] {
        expression.queries.compactMap { query, isAskedFor in
            let names = query.segments.prefix { $0.isSingular }.map { $0.selectors.first?.name }.prefix { $0 != nil }
            return query.rootNumber == nil && !names.isEmpty ? (names.compactMap(\.self), isAskedFor) : nil
        }
    }

    /// A member of a record whose comparison with a literal is what makes a condition false.
    package struct Mismatch {
        /// The path from the record, such as `@.price`.
        package let path: String
        package let value: Node
        /// True if a text is compared with a number, which is never equal, less or greater.
        package let isOfOtherKind: Bool
    }

    /// Returns the first of its comparisons that is false for a record, with the value there; nil if none is, or if the member is missing.
    package func mismatch(in record: Node) -> Mismatch? {
        for (comparison, query, literal) in expression.comparisons {
            var evaluation = QueryEvaluation(root: record)
            guard (try? evaluation.isTrue(comparison, at: record)) == false,
                let value = record.descendant(along: query.segments)
            else { continue }
            let numbers: [Node.Kind] = [.integer, .real, .number]
            let (kind, other) = (value.kind, literal.node.kind)
            return Mismatch(
                path: "@" + query.segments.map(\.text).joined(), value: value,
                isOfOtherKind: kind == .string && numbers.contains(other) || other == .string && numbers.contains(kind))
        }
        return nil
    }

    /// Returns true if the expression holds for `node` of the document with this root.
    ///
    /// Throws `FilterLimitError` above the steps of one `FilterEvaluation`, which is for many values of one document.
    package func matches(_ node: Node, root: Node) throws(FilterLimitError) -> Bool {
        var evaluation = FilterEvaluation(self, root: root)
        return try evaluation.matches(node)
    }
}

/// Evaluates one filter expression for values of one document. Queries from the root are evaluated only once.
///
/// An expression of length e takes O(e · n) steps for the n values below the one that it is asked about. Filters inside
/// queries, and queries from the root, may take O(e · n²). So the steps of all evaluations together are limited: their
/// number is proportional to the length of the document. Sorting, for equal objects or selectors with lists, adds a
/// factor of log n to the time of a step.
package struct FilterEvaluation {
    private let filter: FilterExpression
    private var evaluation: QueryEvaluation

    package init(_ filter: FilterExpression, root: Node) {
        self.filter = filter
        // A value takes two bytes at least. The source of JSON Lines is no single text.
        let length = max(root.utf8.count, 2 * root.nodeCount)
        let (product, isTooLarge) = length.multipliedReportingOverflow(
            by: Self.stepsPerByte + filter.description.utf8.count)
        evaluation = QueryEvaluation(root: root, limit: isTooLarge ? .max : max(Self.stepsOfAnyDocument, product))
    }

    /// The number of steps for each byte of a document, to which the length of the expression is added.
    private static let stepsPerByte = 32
    /// The number of steps that are allowed in the shortest document, which take some milliseconds.
    private static let stepsOfAnyDocument = 1_000_000

    /// Returns true if the expression holds for `node`. Throws `FilterLimitError` if there are no steps left.
    package mutating func matches(_ node: Node) throws(FilterLimitError) -> Bool {
        evaluation.forgetVerdicts()
        // The expression owns the documents of its literals.
        defer { withExtendedLifetime(filter) {} }
        return try evaluation.isTrue(filter.expression, at: node)
    }

    /// Returns the part of the expression of which `node` says nothing, where what the expression is for it hangs on that part; nil if a value
    /// of the node says it. Throws `FilterLimitError` if there are no steps left.
    package mutating func unsaid(by node: Node) throws(FilterLimitError) -> UnsaidCondition? {
        evaluation.forgetVerdicts()
        defer { withExtendedLifetime(filter) {} }
        guard try evaluation.word(on: filter.expression, at: node).source != .value else { return nil }
        for source in [Word.Source.otherKind, .nothing, .absence] {
            for part in filter.expression.parts where try evaluation.word(on: part, at: node).source == source {
                return UnsaidCondition(of: filter, at: evaluation.member(of: part, at: node))
            }
        }
        return nil
    }

    /// Returns true if the expression does not hold for `node` by values of other kinds than those that it compares them with, and by nothing
    /// else. Throws `FilterLimitError` if there are no steps left.
    package mutating func leavesOutOtherKind(_ node: Node) throws(FilterLimitError) -> Bool {
        evaluation.forgetVerdicts()
        defer { withExtendedLifetime(filter) {} }
        let word = try evaluation.word(on: filter.expression, at: node)
        return !word.holds && word.source == .otherKind
    }
}

/// The condition of a filter.
indirect enum LogicalExpression: Sendable, Equatable {
    /// `||`: true if any of these is.
    case any([LogicalExpression])
    /// `&&`: true if all of these are.
    case all([LogicalExpression])
    case not(LogicalExpression)
    /// True if the query selects anything.
    case exists(FilterQuery)
    case comparison(Operand, ComparisonOperator, Operand)
}

extension LogicalExpression {
    /// The comparisons of a member of `@` with a literal, each of which must be true, or one of them.
    fileprivate var comparisons: [(whole: LogicalExpression, query: FilterQuery, literal: Literal)] {
        switch self {
        case .any(let parts), .all(let parts): parts.flatMap(\.comparisons)
        case .comparison(.query(let query), _, .literal(let literal)),
            .comparison(.literal(let literal), _, .query(let query)):
            query.rootNumber == nil ? [(self, query, literal)] : []
        case .not, .exists, .comparison: []
        }
    }

    /// The queries outside of other queries, with true for those that stand alone.
    fileprivate var queries: [(query: FilterQuery, standsAlone: Bool)] {
        switch self {
        case .any(let parts), .all(let parts): parts.flatMap(\.queries)
        case .not(let part): part.queries
        case .exists(let query): [(query, true)]
        case .comparison(let left, _, let right): [left.query, right.query].compactMap { $0 }.map { ($0, false) }
        }
    }
}

enum ComparisonOperator: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// One side of a comparison: the value of a literal, of a query or of a function, or Nothing.
indirect enum Operand: Sendable, Equatable {
    case literal(Literal)
    /// A singular query.
    case query(FilterQuery)
    case length(Operand)
    case count(FilterQuery)
    case value(FilterQuery)

    /// The query that gives its value; nil for a literal.
    var query: FilterQuery? {
        switch self {
        case .literal: nil
        case .query(let query), .count(let query), .value(let query): query
        case .length(let operand): operand.query
        }
    }
}

struct FilterQuery: Sendable, Equatable {
    /// The number of a query from the root, `$`, by which its result is remembered; nil for one from the current node.
    let rootNumber: Int?
    let segments: [Selector.Segment]
    let isSingular: Bool

    init(rootNumber: Int?, segments: [Selector.Segment]) {
        self.rootNumber = rootNumber
        self.segments = segments
        isSingular = segments.allSatisfy(\.isSingular)
    }
}

/// A number, text, `true`, `false` or `null` of an expression, as a document, so that values are compared as with others.
struct Literal: Sendable, Equatable {
    private let document: Document

    init(json: some Sequence<UInt8>) throws(JSONError) {
        document = try Document(parsing: Bytes(json))
    }

    init(text: [UInt8]) throws(JSONError) {
        var json = CanonicalText()
        text.withUnsafeBufferPointer { json.append(string: $0) }
        try self.init(json: json.bytes)
    }

    /// The value, which is valid while the literal lives.
    var node: Node { document.element(at: 0) }

    /// Returns true for literals of one spelling.
    static func == (left: Literal, right: Literal) -> Bool {
        left.document.withRoot { one in
            right.document.withRoot { other in one.kind == other.kind && one.utf8.elementsEqual(other.utf8) }
        }
    }
}
