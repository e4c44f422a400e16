/// Numbers of rows, as ranges.
struct RowRanges {
    private(set) var ranges: [ClosedRange<Int64>] = []
    /// The number of ranges from which they are put in order again.
    private var limit = 1000

    var isEmpty: Bool { ranges.isEmpty }
    /// The number of ranges that are held.
    var count: Int { ranges.count }

    /// Adds a row. Rows that come in their order, or in the opposite one, take no memory each.
    @inline(__always)
    mutating func add(_ row: Int64) {
        if let last = ranges.last {
            if last.contains(row) { return }
            if last.upperBound &+ 1 == row, row > last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...row
                return
            }
            if last.lowerBound &- 1 == row, row < last.lowerBound {
                ranges[ranges.count - 1] = row...last.upperBound
                return
            }
        }
        ranges.append(row...row)
        if ranges.count > limit {
            ranges = ranges.joined
            limit = max(1000, 2 * ranges.count)
        }
    }

    /// Rising, without common or neighbouring numbers.
    mutating func takeJoined() -> [ClosedRange<Int64>] {
        defer { self = RowRanges() }
        return ranges.joined
    }

    mutating func removeAll() { self = RowRanges() }
}

extension [ClosedRange<Int64>] {
    /// The same numbers, rising, without common or neighbouring ones.
    var joined: [ClosedRange<Int64>] {
        guard count > 1 else { return self }
        var joined: [ClosedRange<Int64>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, last.upperBound == .max || range.lowerBound <= last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound...Swift.max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    /// The numbers that `others` lack. Both rise, without common numbers.
    func without(_ others: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var rest: [ClosedRange<Int64>] = []
        var place = 0
        for range in self {
            while place < others.count, others[place].upperBound < range.lowerBound { place += 1 }
            var (next, isOver) = (range.lowerBound, false)
            var other = place
            while !isOver, other < others.count, others[other].lowerBound <= range.upperBound {
                if others[other].lowerBound > next { rest.append(next...others[other].lowerBound - 1) }
                isOver = others[other].upperBound >= range.upperBound
                if !isOver { next = others[other].upperBound + 1 }
                other += 1
            }
            if !isOver { rest.append(next...range.upperBound) }
        }
        return rest
    }
}
