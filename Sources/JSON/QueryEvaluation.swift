import CSimdJSON

/// Evaluates queries and their filters in one document. It remembers what it would evaluate again.
struct QueryEvaluation {
    private let root: Node
    /// The results of the nested filters. They are kept so that each filter is evaluated once for a value.
    private var verdicts: [Judged: Bool] = [:]
    /// The nodes that each query from the root selected. The key is the number of the query.
    private var fromRoot: [Int: [CountedNode]] = [:]

    /// A filter and a value.
    private struct Judged: Hashable {
        let filter: Int
        let value: UnsafePointer<garner_json_node>
    }

    init(root: Node) { self.root = root }

    /// Frees the memory of what nested filters found.
    mutating func forgetVerdicts() {
        if !verdicts.isEmpty { verdicts = [:] }
    }

    /// Returns the values that a query selects, in the order of RFC 9535 and with duplicates.
    mutating func nodes(from start: Node, along segments: [Selector.Segment]) -> [Node] {
        var nodes = [start]
        for segment in segments {
            var selected: [Node] = []
            for node in nodes {
                if segment.isDescendant {
                    for container in Containers(from: node) { append(segment, of: container, to: &selected) }
                } else {
                    append(segment, of: node, to: &selected)
                }
            }
            nodes = selected
        }
        return nodes
    }

    private mutating func append(_ segment: Selector.Segment, of node: Node, to selected: inout [Node]) {
        for selector in segment.selectors {
            switch selector {
            case .name, .index: node.child(selector).map { selected.append($0) }
            case .slice(let slice): selected.append(contentsOf: node.children(slice))
            case .wildcard: selected.append(contentsOf: node.children)
            case .filter(let filter):
                for child in node.children where isTrue(filter, at: child) { selected.append(child) }
            }
        }
    }
}

/// A value and how often a query selects it.
struct CountedNode {
    let node: Node
    /// How often, or `Int.max` for more.
    var count: Int
}

/// Queries whose results need no order. `$[0,0][0,0]…` selects one value 2ⁿ times; here it stands once, with its count.
extension QueryEvaluation {
    /// Returns the values that a query of a filter selects.
    private mutating func countedNodes(_ query: FilterQuery, at current: Node) -> [CountedNode] {
        guard let number = query.rootNumber else { return countedNodes(from: current, along: query.segments) }
        if let known = fromRoot[number] { return known }
        let nodes = countedNodes(from: root, along: query.segments)
        fromRoot[number] = nodes
        return nodes
    }

    private mutating func countedNodes(from start: Node, along segments: [Selector.Segment]) -> [CountedNode] {
        var nodes = [CountedNode(node: start, count: 1)]
        for segment in segments where !nodes.isEmpty {
            var selected: [CountedNode] = []
            if segment.isDescendant { nodes = Self.containers(from: nodes) }
            for node in nodes {
                var children: [Node] = []
                append(segment, of: node.node, to: &children)
                selected.append(contentsOf: children.map { CountedNode(node: $0, count: node.count) })
            }
            // A value has one parent, so only two selectors can select it twice.
            nodes = segment.selectors.count > 1 ? Self.merged(selected) : selected
        }
        return nodes
    }

    /// Returns the containers among these values and all below them, in one walk through the document.
    private static func containers(from nodes: [CountedNode]) -> [CountedNode] {
        var found: [CountedNode] = []
        var open: [(end: UnsafePointer<garner_json_node>, count: Int)] = []
        // In the document's order, a value follows those that contain it.
        var sorted = nodes.sorted { $0.node.raw < $1.node.raw }[...]
        while let first = sorted.first {
            for container in Containers(from: first.node) {
                while let last = open.last, last.end <= container.raw { open.removeLast() }
                // Scalars that were selected have nothing below them.
                while let next = sorted.first, next.node.raw <= container.raw {
                    sorted.removeFirst()
                    guard next.node.raw == container.raw else { continue }
                    let count = sum(open.last?.count ?? 0, next.count)
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
    private mutating func isTrue(_ filter: Selector.NestedFilter, at node: Node) -> Bool {
        let judged = Judged(filter: filter.number, value: node.raw)
        if let known = verdicts[judged] { return known }
        let verdict = isTrue(filter.expression, at: node)
        verdicts[judged] = verdict
        return verdict
    }

    /// Returns true if the expression holds for the current node.
    mutating func isTrue(_ expression: LogicalExpression, at current: Node) -> Bool {
        switch expression {
        case .any(let parts):
            for part in parts where isTrue(part, at: current) { return true }
            return false
        case .all(let parts):
            for part in parts where !isTrue(part, at: current) { return false }
            return true
        case .not(let negated): return !isTrue(negated, at: current)
        case .exists(let query) where query.isSingular: return node(query, at: current) != nil
        case .exists(let query): return !countedNodes(query, at: current).isEmpty
        case .comparison(let left, let comparison, let right):
            return comparison.holds(value(left, at: current), value(right, at: current))
        }
    }

    /// Returns the value that a singular query selects.
    private func node(_ query: FilterQuery, at current: Node) -> Node? {
        (query.rootNumber == nil ? current : root).descendant(along: query.segments)
    }

    /// Returns the value of an operand; nil for Nothing.
    private mutating func value(_ operand: Operand, at current: Node) -> ComparedValue? {
        switch operand {
        case .literal(let literal): return .node(literal.node)
        case .query(let query): return node(query, at: current).map { .node($0) }
        case .length(let argument): return value(argument, at: current)?.length.map { .integer(Int64($0)) }
        case .count(let query):
            return .integer(Int64(countedNodes(query, at: current).reduce(0) { Self.sum($0, $1.count) }))
        case .value(let query):
            let nodes = countedNodes(query, at: current)
            guard let only = nodes.first, nodes.count == 1, only.count == 1 else { return nil }
            return .node(only.node)
        }
    }
}
