/// An instant of the wall clock in UTC, to the millisecond.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let millisecondsSince1970: Int64

    package init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }

    /// Saturates at the ends of Int64.
    package func advanced(by duration: Duration) -> Timestamp {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(millisecondsSince1970: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    package func duration(to other: Timestamp) -> Duration {
        let (difference, overflow) = other.millisecondsSince1970.subtractingReportingOverflow(millisecondsSince1970)
        return .milliseconds(overflow ? (other > self ? .max : .min) : difference)
    }
}

extension Duration {
    /// Rounded towards zero; saturates at the ends of Int64.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, productOverflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return productOverflows || sumOverflows ? (seconds < 0 ? .min : .max) : sum
    }
}
