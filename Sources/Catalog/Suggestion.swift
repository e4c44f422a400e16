/// What someone who mistyped a word may have meant.
package enum Suggestion {
    /// The candidate nearest to `word`, or nil when none is near enough to be worth a question.
    ///
    /// Case, `_` and `-` do not count, a transposition counts once, and about a third of the letters may be wrong.
    package static func closest(to word: String, among candidates: some Sequence<String>) -> String? {
        let folded = fold(word)
        guard (1...64).contains(folded.count) else { return nil }
        let tolerance = max(1, folded.count / 3)
        var best: (candidate: String, distance: Int)?
        var beginnings: [String] = []
        for candidate in candidates {
            let other = fold(candidate)
            if folded.count >= 3, other.starts(with: folded) { beginnings.append(candidate) }
            guard other.count > 1 || other == folded, abs(other.count - folded.count) <= tolerance else { continue }
            let distance = distance(folded, other)
            guard distance <= tolerance, distance < folded.count else { continue }
            if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
        }
        if let best { return best.candidate }
        return beginnings.count == 1 ? beginnings.first : nil
    }

    private static func fold(_ word: String) -> [Character] {
        word.lowercased().filter { $0 != "_" && $0 != "-" }.map { $0 }
    }

    /// The optimal string alignment distance; O(n·m) time, O(m) space.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for i in left.indices {
            var current = [i + 1]
            for j in right.indices {
                var cost = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforePrevious[j - 1] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
