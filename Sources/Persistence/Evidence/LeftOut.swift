/// The number of values that were left out, with the reason for the first.
struct LeftOut {
    private(set) var count = 0
    private(set) var first: String?

    mutating func note(_ reason: String?) {
        count += 1
        first = first ?? reason
    }

    mutating func add(_ other: LeftOut) {
        guard other.count > 0 else { return }
        count += other.count
        first = first ?? other.first
    }
}
