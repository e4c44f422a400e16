import Testing

/// The argument of docs/decisions/0047 as a model that is checked exhaustively: short lists on pages of two, with every interleaving of
/// one insertion or deletion with the evaluation of the pages, in order and several at a time.
struct SecondLookModelTests {
    private enum Change: Hashable {
        case insertion(at: Int)
        case deletion(at: Int)
    }

    /// A list before and after one change.
    private struct Source {
        let before: [Int]
        let after: [Int]

        init(_ count: Int, _ change: Change) {
            before = Array(1...count)
            var changed = before
            switch change {
            case .insertion(let place): changed.insert(100, at: place)
            case .deletion(let place): changed.remove(at: place)
            }
            after = changed
        }

        func page(_ number: Int, isAfter: Bool) -> [Int] {
            Array((isAfter ? after : before).dropFirst(number * 2).prefix(2))
        }
    }

    private struct Look {
        var seen: Set<Int> = []
        /// True if a record came on two pages.
        var repeats = false
        var totals: Set<Int> = []
        var count = 0

        /// - Parameter isAfter: tells of each page whether it was evaluated after the change.
        init(at source: Source, _ isAfter: [Bool]) {
            for (number, isAfter) in isAfter.enumerated() {
                let page = source.page(number, isAfter: isAfter)
                repeats = repeats || !seen.isDisjoint(with: page)
                seen.formUnion(page)
                count += page.count
                totals.insert((isAfter ? source.after : source.before).count)
                if page.isEmpty { return }
            }
        }
    }

    /// The rows that the rule deletes.
    private static func deleted(from rows: Set<Int>, _ first: Look, _ source: Source, hasTotals: Bool) -> Set<Int> {
        if first.repeats || hasTotals && first.totals.count > 1 { return [] }
        let missing = rows.subtracting(first.seen)
        if missing.isEmpty || hasTotals && first.totals == [first.count] { return missing }
        // One request at a time, behind the change.
        let second = Look(at: source, Array(repeating: true, count: 5))
        let stillMissing = rows.subtracting(second.seen)
        return stillMissing.isSubset(of: missing) ? stillMissing : []
    }

    @Test(arguments: [1, 2, 3, 4], [false, true])
    func `no interleaving with one change deletes a live row`(atOnce: Int, hasTotals: Bool) {
        var interleavings = 0
        var lostWithOneLook = 0
        for count in 1...6 {
            let changes = (0...count).map { Change.insertion(at: $0) } + (0..<count).map { Change.deletion(at: $0) }
            for change in changes {
                let source = Source(count, change)
                for pattern in 0..<32 {
                    let isAfter = (0..<5).map { pattern >> $0 & 1 == 1 }
                    // A page is evaluated before one in front of it only where both are under way at the same time.
                    let isPossible = (0..<5).allSatisfy { first in
                        (first..<5).allSatisfy { isAfter[$0] || !isAfter[first] || $0 - first < atOnce }
                    }
                    guard isPossible else { continue }
                    interleavings += 1
                    let rows = Set(source.before)
                    let live = rows.intersection(source.after)
                    let look = Look(at: source, isAfter)
                    let gone = Self.deleted(from: rows, look, source, hasTotals: hasTotals)
                    #expect(gone.isDisjoint(with: live), "\(source) \(isAfter) \(gone)")
                    if !look.repeats, !rows.subtracting(look.seen).isDisjoint(with: live) { lostWithOneLook += 1 }
                }
            }
        }
        #expect(interleavings > 200)
        #expect(lostWithOneLook > 0, "one look would do")
    }
}
