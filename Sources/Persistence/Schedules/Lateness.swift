/// How much later than they were due runs have started, as a histogram.
package struct Lateness: Sendable, Equatable {
    package struct Bucket: Sendable, Equatable {
        /// nil: without end.
        package let upTo: Duration?
        /// Those that no earlier bucket has.
        package let count: Int
    }

    package let count: Int
    package let buckets: [Bucket]
    /// What half of them did not exceed; nil where there are none.
    package let median: Duration?
    /// What 99 of a hundred did not exceed.
    package let p99: Duration?
    package let greatest: Duration?

    private static let bounds: [Duration] = [
        .milliseconds(10), .milliseconds(50), .milliseconds(100), .seconds(1), .seconds(10), .seconds(60),
    ]

    /// - Complexity: O(n log n).
    package init(of values: [Duration]) {
        let sorted = values.sorted()
        /// The smallest value that so many of a hundred do not exceed.
        func percentile(_ percent: Int) -> Duration? {
            sorted.isEmpty ? nil : sorted[max(0, (sorted.count * percent + 99) / 100 - 1)]
        }
        count = sorted.count
        median = percentile(50)
        p99 = percentile(99)
        greatest = sorted.last
        var rest = sorted[...]
        var buckets: [Bucket] = []
        for bound in Self.bounds {
            let within = rest.prefix { $0 <= bound }
            buckets.append(Bucket(upTo: bound, count: within.count))
            rest = rest.dropFirst(within.count)
        }
        self.buckets = buckets + [Bucket(upTo: nil, count: rest.count)]
    }
}
