import CGarnerSimdJSON

/// Evaluates queries and their filters in one document. It remembers what it would evaluate again, and counts its steps.
struct QueryEvaluation {
    private let root: Node
    /// The number of steps that are still allowed. A step is a value that is visited, a digit, or 16 bytes of a text.
    private var budget: Int
    /// The number of steps that were allowed.
    private let limit: Int
    /// The results of the nested filters. They are kept so that each filter is evaluated once for a value.
    private var verdicts: [Judged: Bool] = [:]
    /// The nodes that each query from the root selected. The key is the number of the query.
    private var fromRoot: [Int: FoundNodes] = [:]

    /// A filter and a value.
    private struct Judged: Hashable {
        let filter: Int
        let value: UnsafePointer<garner_json_node>
    }

    /// Creates an evaluation.
    ///
    /// - Parameter limit: the number of steps that all its evaluations may take together.
    init(root: Node, limit: Int = .max) {
        self.root = root
        self.limit = limit
        budget = limit
    }

    /// Frees the memory of what nested filters found.
    mutating func forgetVerdicts() {
        if !verdicts.isEmpty { verdicts = [:] }
    }

    /// Returns the values that a query selects, in the order of RFC 9535 and with duplicates.
    mutating func nodes(
        from start: Node, along segments: [Selector.Segment]
    ) throws(FilterLimitError) -> [Node] {
        var nodes = [start]
        for segment in segments {
            var selected: [Node] = []
            for node in nodes {
                if segment.isDescendant {
                    for container in Containers(from: node) { try append(segment, of: container, to: &selected) }
                } else {
                    try append(segment, of: node, to: &selected)
                }
            }
            nodes = selected
        }
        return nodes
    }

    private mutating func append(
        _ segment: Selector.Segment, of node: Node, to selected: inout [Node]
    ) throws(FilterLimitError) {
        for selector in segment.selectors {
            switch selector {
            case .name, .index: if let child = try child(selector, of: node) { selected.append(child) }
            case .slice(let slice):
                try spend(node.children.count)
                selected.append(contentsOf: node.children(slice))
            case .wildcard:
                let count = selected.count
                selected.append(contentsOf: node.children)
                try spend(selected.count - count)
            case .filter(let filter):
                for child in node.children where try isTrue(filter, at: child) { selected.append(child) }
            }
        }
    }

    /// Returns the child with this name or index, as `Node.child(_:)` does.
    private mutating func child(
        _ selector: Selector.ChildSelector, of node: Node
    ) throws(FilterLimitError) -> Node? {
        switch selector {
        case .index(let index) where index >= 0: try spend(min(index, node.nodeCount) + 1)
        // Small objects are not walked twice.
        default: try spend(node.nodeCount <= 64 ? node.nodeCount : node.children.count + 1)
        }
        return node.child(selector)
    }

    /// Takes steps off the budget.
    private mutating func spend(_ steps: Int) throws(FilterLimitError) {
        guard steps <= budget else { throw FilterLimitError(steps: limit) }
        budget -= steps
    }
}

/// The error of a filter expression that would take more steps in a document than it may.
package struct FilterLimitError: Error, Equatable, Sendable {
    /// The number of steps that are allowed: it grows with the length of the document.
    package let steps: Int
}

/// A value and how often a query selects it.
struct CountedNode {
    let node: Node
    /// How often, or `Int.max` for more.
    var count: Int
}

/// The values that a query selects, without an order.
struct FoundNodes {
    let nodes: [CountedNode]
    /// How often it selects any value.
    let count: Int
}

/// Queries whose results need no order. `$[0,0][0,0]…` selects one value 2ⁿ times; here it stands once, with its count.
extension QueryEvaluation {
    /// Returns the values that a query of a filter selects.
    private mutating func countedNodes(
        _ query: FilterQuery, at current: Node
    ) throws(FilterLimitError) -> FoundNodes {
        if let number = query.rootNumber, let known = fromRoot[number] { return known }
        let nodes = try countedNodes(from: query.rootNumber == nil ? current : root, along: query.segments)
        try spend(nodes.count)
        let found = FoundNodes(nodes: nodes, count: nodes.reduce(0) { Self.sum($0, $1.count) })
        if let number = query.rootNumber { fromRoot[number] = found }
        return found
    }

    private mutating func countedNodes(
        from start: Node, along segments: [Selector.Segment]
    ) throws(FilterLimitError) -> [CountedNode] {
        var nodes = [CountedNode(node: start, count: 1)]
        for segment in segments where !nodes.isEmpty {
            var selected: [CountedNode] = []
            if segment.isDescendant { nodes = try containers(from: nodes) }
            for node in nodes {
                var children: [Node] = []
                try append(segment, of: node.node, to: &children)
                selected.append(contentsOf: children.map { CountedNode(node: $0, count: node.count) })
            }
            // A value has one parent, so only two selectors can select it twice.
            nodes = segment.selectors.count > 1 ? Self.merged(selected) : selected
        }
        return nodes
    }

    /// Returns the containers among these values and all below them, in one walk through the document.
    private mutating func containers(from nodes: [CountedNode]) throws(FilterLimitError) -> [CountedNode] {
        var found: [CountedNode] = []
        var open: [(end: UnsafePointer<garner_json_node>, count: Int)] = []
        // In the document's order, a value follows those that contain it.
        var sorted = nodes.sorted { $0.node.raw < $1.node.raw }[...]
        while let first = sorted.first {
            try spend(first.node.nodeCount)
            for container in Containers(from: first.node) {
                while let last = open.last, last.end <= container.raw { open.removeLast() }
                // Scalars that were selected have nothing below them.
                while let next = sorted.first, next.node.raw <= container.raw {
                    sorted.removeFirst()
                    guard next.node.raw == container.raw else { continue }
                    let count = Self.sum(open.last?.count ?? 0, next.count)
                    open.append((end: garner_json_next(container.raw), count: count))
                }
                if let last = open.last { found.append(CountedNode(node: container, count: last.count)) }
            }
            // The remaining descendants of this value are scalars.
            let end: UnsafePointer = garner_json_next(first.node.raw)
            while let next = sorted.first, next.node.raw < end { sorted.removeFirst() }
        }
        return found
    }

    private static func merged(_ nodes: [CountedNode]) -> [CountedNode] {
        var merged: [CountedNode] = []
        for node in nodes.sorted(by: { $0.node.raw < $1.node.raw }) {
            if let last = merged.indices.last, merged[last].node.raw == node.node.raw {
                merged[last].count = sum(merged[last].count, node.count)
            } else {
                merged.append(node)
            }
        }
        return merged
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}

/// Filters. They recur as deep as the expression, whose depth is limited.
extension QueryEvaluation {
    private mutating func isTrue(
        _ filter: Selector.NestedFilter, at node: Node
    ) throws(FilterLimitError) -> Bool {
        let judged = Judged(filter: filter.number, value: node.raw)
        if let known = verdicts[judged] {
            try spend(1)
            return known
        }
        let verdict = try isTrue(filter.expression, at: node)
        verdicts[judged] = verdict
        return verdict
    }

    mutating func isTrue(_ expression: LogicalExpression, at current: Node) throws(FilterLimitError) -> Bool {
        try spend(1)
        switch expression {
        case .any(let parts):
            for part in parts where try isTrue(part, at: current) { return true }
            return false
        case .all(let parts):
            for part in parts where try !isTrue(part, at: current) { return false }
            return true
        case .not(let negated): return try !isTrue(negated, at: current)
        case .exists(let query) where query.isSingular: return try node(query, at: current) != nil
        case .exists(let query): return try !countedNodes(query, at: current).nodes.isEmpty
        case .comparison(let left, let comparison, let right):
            let values = (try value(left, at: current), try value(right, at: current))
            try spend(ComparedValue.steps(values.0, values.1))
            return comparison.holds(values.0, values.1)
        }
    }

    /// Returns the value that a singular query selects.
    private mutating func node(_ query: FilterQuery, at current: Node) throws(FilterLimitError) -> Node? {
        var node = query.rootNumber == nil ? current : root
        for segment in query.segments {
            guard let selector = segment.selectors.first, let next = try child(selector, of: node) else { return nil }
            node = next
        }
        return node
    }

    /// Returns the value of an operand; nil for Nothing.
    private mutating func value(
        _ operand: Operand, at current: Node
    ) throws(FilterLimitError) -> ComparedValue? {
        switch operand {
        case .literal(let literal): return .node(literal.node)
        case .query(let query): return try node(query, at: current).map { .node($0) }
        case .length(let argument):
            let value = try value(argument, at: current)
            try spend(value?.lengthSteps ?? 1)
            return value?.length.map { .integer(Int64($0)) }
        case .count(let query):
            return .integer(Int64(try countedNodes(query, at: current).count))
        case .value(let query):
            let nodes = try countedNodes(query, at: current).nodes
            guard let only = nodes.first, nodes.count == 1, only.count == 1 else { return nil }
            return .node(only.node)
        }
    }
}

/// Whether an expression holds for a value, and what tells that.
struct Word {
    let holds: Bool
    let source: Source

    /// From the weakest on.
    enum Source: Comparable {
        /// A member of another kind than the literal that it differs from.
        case otherKind
        /// A member that is missing or says nothing.
        case nothing
        /// The absence of a member for which the expression asks, as `!@.restored` does.
        case absence
        /// A member's value.
        case value
    }
}

/// What values say of expressions. `@.deleted_at != null` holds for a record without `deleted_at`, which says nothing of its deletion.
extension QueryEvaluation {
    /// Returns what a value says of an expression.
    mutating func word(on expression: LogicalExpression, at current: Node) throws(FilterLimitError) -> Word {
        switch expression {
        case .any(let parts): return try word(on: parts, at: current, decidedBy: true)
        case .all(let parts): return try word(on: parts, at: current, decidedBy: false)
        case .not(let negated):
            let found = try word(on: negated, at: current)
            return Word(holds: !found.holds, source: found.source)
        case .exists(let query):
            guard let value = place(of: query, at: current) else { return Word(holds: false, source: .absence) }
            let isNothing = value.isNull || query.isSingular && value.isHollow
            return Word(holds: try isTrue(expression, at: current), source: isNothing ? .nothing : .value)
        case .comparison(let left, let comparison, let right):
            let holds = try isTrue(expression, at: current)
            // What is equal, less or greater is of the right kind.
            let differs = holds == (comparison == .notEqual)
            let isOrder = comparison != .equal && comparison != .notEqual
            let isSaid =
                says(left, besides: right, differs, isOrder, at: current)
                && says(right, besides: left, differs, isOrder, at: current)
            if isSaid { return Word(holds: holds, source: .value) }
            let isOdd =
                differs
                && (isOfOtherKind(left, than: right, at: current) || isOfOtherKind(right, than: left, at: current))
            return Word(holds: holds, source: isOdd ? .otherKind : .nothing)
        }
    }

    /// Returns the word on several expressions: the strongest that is `decisive`; without any, none may be open.
    private mutating func word(
        on parts: [LogicalExpression], at current: Node, decidedBy decisive: Bool
    ) throws(FilterLimitError) -> Word {
        var deciding: Word.Source?
        var (weakest, strongest) = (Word.Source.absence, Word.Source.absence)
        for part in parts {
            let found = try word(on: part, at: current)
            if found.holds == decisive {
                if found.source == .value { return found }
                deciding = max(deciding ?? .otherKind, found.source)
            } else {
                weakest = min(weakest, found.source)
                strongest = max(strongest, found.source)
            }
        }
        if let deciding { return Word(holds: decisive, source: deciding) }
        return Word(holds: !decisive, source: weakest < .absence ? weakest : strongest)
    }

    /// Returns true if an operand is known: a literal, or a member that tells, where it differs from the other one, that it does.
    private func says(
        _ operand: Operand, besides other: Operand, _ differs: Bool, _ isOrder: Bool, at current: Node
    ) -> Bool {
        guard let query = operand.query else { return true }
        guard let value = place(of: query, at: current) else { return false }
        guard differs else { return !isVacuous(operand, of: value, isOrder) }
        if value.isNull || value.kind == .string && value.utf8.isEmpty { return false }
        guard case .query = operand, case .literal(let literal) = other else { return true }
        let isSame = value.isOfKind(of: literal.node)
        // Nothing is less or greater than what is of another kind.
        guard !isOrder else { return isSame }
        return literal.node.isHollow ? !value.isHollow || isSame && value.kind != .string : isSame
    }

    /// Returns true if an operand is a member with a value that no literal of the other one's kind can equal. A no such as 0 and `[]` is none,
    /// unless the literal is the same no in another kind, as false is for 0.
    private func isOfOtherKind(_ operand: Operand, than other: Operand, at current: Node) -> Bool {
        guard case .query(let query) = operand, case .literal(let literal) = other, !literal.node.isNull,
            let value = place(of: query, at: current), !value.isOfKind(of: literal.node)
        else { return false }
        guard value.isHollow else { return true }
        let (isNumber, text) = (
            [.integer, .real, .number].contains(value.kind), value.kind == .string ? value.text : ""
        )
        switch literal.node.kind {
        case .false: return isNumber || text == "0" || text == "false"
        case .integer, .real, .number: return literal.node.isHollow && Double(text) != nil
        case .string: return isNumber && Double(literal.node.text) != nil
        case .null, .true, .array, .object: return false
        }
    }

    /// Returns true if what holds for an operand holds by a value that says nothing: `""` and `"0000-00-00"` are less than any time, and
    /// null or an empty text in the place of a list has no values.
    private func isVacuous(_ operand: Operand, of value: Node, _ isOrder: Bool) -> Bool {
        switch operand {
        case .query: isOrder && value.kind == .string && value.isHollow
        case .length, .count: value.isNull || value.kind == .string && value.utf8.isEmpty
        case .literal, .value: false
        }
    }

    /// Returns the member that a comparison or a query looks at, rather the missing one of two, with its path; nil for none.
    func member(of part: LogicalExpression, at current: Node) -> (path: String, value: Node?)? {
        let queries: [FilterQuery] =
            switch part {
            case .exists(let query): [query]
            case .comparison(let left, _, let right): [left.query, right.query].compactMap(\.self)
            case .any, .all, .not: []
            }
        guard let query = queries.first(where: { place(of: $0, at: current) == nil }) ?? queries.first else {
            return nil
        }
        let names = query.segments.prefix(while: \.isSingular).map(\.text).joined()
        return ((query.rootNumber == nil ? "@" : "$") + names, place(of: query, at: current))
    }

    /// Returns the value at the end of a query's names and indices; nil if it is missing.
    private func place(of query: FilterQuery, at current: Node) -> Node? {
        (query.rootNumber == nil ? current : root).descendant(along: query.segments.prefix(while: \.isSingular))
    }
}
