extension Selector {
    /// A step of a selector. It selects children of each value that the step before it selected.
    struct Segment: Sendable, Equatable {
        /// True for `..`, which also selects children of all values below.
        let isDescendant: Bool
        let selectors: [ChildSelector]

        /// True for one name or index, which selects at most one value.
        var isSingular: Bool {
            guard !isDescendant, selectors.count == 1, let only = selectors.first else { return false }
            switch only {
            case .name, .index: return true
            case .slice, .wildcard, .filter: return false
            }
        }

        /// The shortest text of a singular segment; nothing for any other.
        var text: String {
            guard isSingular else { return "" }
            return switch selectors.first {
            case .name(let name): Selector.shortSegment(named: name)
            case .index(let index): "[\(index)]"
            default: ""
            }
        }
    }

    /// A choice among the children of one value.
    enum ChildSelector: Sendable, Equatable {
        case name(String)
        /// An index from the start, or from the end if it is negative: -1 is the last.
        case index(Int)
        case slice(Slice)
        case wildcard
        case filter(NestedFilter)

        var name: String? { if case .name(let name) = self { name } else { nil } }
    }

    /// Every `step`-th value of an array from `start` up to `end`, or down to it if the step is negative.
    struct Slice: Sendable, Equatable {
        let start: Int?
        let end: Int?
        /// 1 if it is left out. 0 selects nothing.
        let step: Int

        /// Returns the indices of the values that it selects in an array of so many. RFC 9535, section 2.3.4.2.2.
        ///
        /// All three numbers are within ±(2^53-1) and a document has fewer values, so nothing here can overflow.
        func indices(count: Int) -> StrideTo<Int> {
            func fromStart(_ index: Int) -> Int { index >= 0 ? index : count + index }
            if step > 0 {
                let lower = min(max(fromStart(start ?? 0), 0), count)
                let upper = min(max(fromStart(end ?? count), 0), count)
                return stride(from: lower, to: upper, by: step)
            }
            guard step < 0 else { return stride(from: 0, to: 0, by: 1) }
            let upper = min(max(start.map(fromStart) ?? count - 1, -1), count - 1)
            let lower = min(max(end.map(fromStart) ?? -1, -1), count - 1)
            return stride(from: upper, to: lower, by: step)
        }
    }

    /// A filter inside a selector: `?@.price > 10`.
    struct NestedFilter: Sendable, Equatable {
        /// The place of the filter among those of one text, by which its results are remembered.
        let number: Int
        let expression: LogicalExpression
    }
}

extension Node {
    /// Returns the value at the end of singular segments; nil if it is missing.
    func descendant(along segments: some Sequence<Selector.Segment>) -> Node? {
        var node = self
        for segment in segments {
            guard let selector = segment.selectors.first, let next = node.child(selector) else { return nil }
            node = next
        }
        return node
    }

    /// Returns the child with this name or index; nil if there is none, or for a selector of another kind.
    func child(_ selector: Selector.ChildSelector) -> Node? {
        switch selector {
        case .name(let name): return self[name]
        case .index(let index) where kind == .array:
            var skipped = index < 0 ? children.count + index : index
            guard skipped >= 0 else { return nil }
            for element in elements {
                if skipped == 0 { return element }
                skipped -= 1
            }
            return nil
        case .index, .slice, .wildcard, .filter: return nil
        }
    }

    /// Returns the values of an array that a slice selects; none for any other kind.
    func children(_ slice: Selector.Slice) -> [Node] {
        guard kind == .array else { return [] }
        let all = Array(elements)
        return slice.indices(count: all.count).map { all[$0] }
    }
}
