/// The manual requests that came lately, so that the same one twice is one.
struct Requests: Sendable {
    static let capacity = 10_000

    private var known: Set<String> = []
    /// In the order they came, as a ring.
    private var order: [String] = []
    private var oldest = 0

    /// False if it came before.
    mutating func admit(_ request: String) -> Bool {
        guard known.insert(request).inserted else { return false }
        if order.count < Self.capacity {
            order.append(request)
        } else {
            known.remove(order[oldest])
            order[oldest] = request
            oldest = (oldest + 1) % Self.capacity
        }
        return true
    }

    /// Those that were refused may be asked for again.
    mutating func forget(_ requests: [String]) {
        known.subtract(requests)
    }
}
