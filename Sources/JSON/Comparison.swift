/// A value that a filter compares.
enum ComparedValue {
    case node(Node)
    /// The result of a function.
    case integer(Int64)

    /// The result of `length()`; nil for a value that has none.
    var length: Int? {
        guard case .node(let node) = self else { return nil }
        switch node.kind {
        // This counts scalars: all bytes of a scalar but its first begin with the bits 10.
        case .string:
            return node.utf8.reduce(0) { count, byte in byte & 0b1100_0000 == 0b1000_0000 ? count : count + 1 }
        case .array, .object: return node.children.count
        case .null, .true, .false, .integer, .real, .number: return nil
        }
    }
}

// The work of reading values, in steps of `QueryEvaluation`.
extension ComparedValue {
    /// The steps of `length`.
    var lengthSteps: Int {
        guard case .node(let node) = self else { return 1 }
        return node.isContainer ? node.children.count + 1 : node.textSteps
    }

    /// Returns at least the steps of a comparison.
    static func steps(_ left: ComparedValue?, _ right: ComparedValue?) -> Int {
        guard case .node(let one) = left, case .node(let other) = right else {
            return (left?.numberSteps ?? 1) + (right?.numberSteps ?? 1)
        }
        if one.isContainer, one.kind == other.kind {
            return one.nodeCount + one.textSteps + other.nodeCount + other.textSteps
        }
        return one.kind == other.kind && one.kind == .string
            ? min(one.textSteps, other.textSteps)
            : (left?.numberSteps ?? 1) + (right?.numberSteps ?? 1)
    }

    private var numberSteps: Int {
        guard case .node(let node) = self, node.kind == .number || node.kind == .real else { return 1 }
        // A digit takes longer than a byte of a text.
        return node.utf8.count + 1
    }
}

extension Node {
    fileprivate var textSteps: Int { utf8.count / 16 + 1 }
}

extension ComparisonOperator {
    /// Compares two values as RFC 9535, section 2.3.5.2.2, says. Nil is Nothing.
    func holds(_ left: ComparedValue?, _ right: ComparedValue?) -> Bool {
        switch self {
        case .equal: Self.areEqual(left, right)
        case .notEqual: !Self.areEqual(left, right)
        case .less: Self.isLess(left, right)
        case .lessOrEqual: Self.isLess(left, right) || Self.areEqual(left, right)
        case .greater: Self.isLess(right, left)
        case .greaterOrEqual: Self.isLess(right, left) || Self.areEqual(left, right)
        }
    }

    private static func areEqual(_ left: ComparedValue?, _ right: ComparedValue?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if case .node(let one) = left, case .node(let other) = right { return one.isEqual(to: other) }
        guard let one = ExactNumber(left), let other = ExactNumber(right) else { return false }
        return one.compare(other) == .equal
    }

    private static func isLess(_ left: ComparedValue?, _ right: ComparedValue?) -> Bool {
        guard let left, let right else { return false }
        if case .node(let one) = left, case .node(let other) = right, one.kind == .string, other.kind == .string {
            // The order of UTF-8 is that of Unicode scalars.
            return one.utf8.lexicographicallyPrecedes(other.utf8)
        }
        guard let one = ExactNumber(left), let other = ExactNumber(right) else { return false }
        return one.compare(other) == .less
    }
}

extension Node {
    /// Returns true if the values are equal: numbers by value, objects by their last values of each name. O(n log n).
    func isEqual(to other: Node) -> Bool {
        // A list instead of recursion: values may be 512 levels deep.
        var open = [(self, other)]
        while let (one, other) = open.popLast() {
            if one.raw == other.raw { continue }
            switch (one.kind, other.kind) {
            case (.null, .null), (.true, .true), (.false, .false): continue
            case (.string, .string): guard one.utf8.elementsEqual(other.utf8) else { return false }
            case (.array, .array):
                guard one.children.count == other.children.count else { return false }
                open.append(contentsOf: zip(one.elements, other.elements))
            case (.object, .object):
                let members = CanonicalText.sortedMembers(of: one)
                let others = CanonicalText.sortedMembers(of: other)
                guard members.count == others.count else { return false }
                for (member, other) in zip(members, others) {
                    guard member.key.utf8.elementsEqual(other.key.utf8) else { return false }
                    open.append((member.value, other.value))
                }
            default:
                guard let one = ExactNumber(.node(one)), let other = ExactNumber(.node(other)),
                    one.compare(other) == .equal
                else { return false }
            }
        }
        return true
    }
}
