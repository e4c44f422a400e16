import Catalog

/// A count or a time in a header, such as `12` or `0.25`; a negative one is 0.
struct PlainNumber: Equatable {
    /// Without its fraction; what is too large for Int64 is its end.
    let whole: Int64
    /// Billionths; further digits are dropped.
    let billionths: Int64

    /// nil where the text is anything but digits with at most one minus before and one point between them.
    init?(_ text: some Sequence<UInt8>) {
        let bytes = Array(text)
        let isNegative = bytes.first == UInt8(ascii: "-")
        let parts = bytes.dropFirst(isNegative ? 1 : 0).split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(PercentEncoding.isDigit) }), let digits = parts.first
        else { return nil }
        let fraction = parts.count == 2 ? Array(parts[1].prefix(9)) : []
        let padding = Array(repeating: UInt8(ascii: "0"), count: 9 - fraction.count)
        whole = isNegative ? 0 : Self.value(of: digits)
        billionths = isNegative ? 0 : Self.value(of: fraction + padding)
    }

    var seconds: Duration { .seconds(whole) + .nanoseconds(billionths) }
    var milliseconds: Duration { .milliseconds(whole) + .nanoseconds(billionths / 1000) }

    private static func value(of digits: some Sequence<UInt8>) -> Int64 {
        var value: Int64 = 0
        for digit in digits {
            let (product, productOverflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflows) = product.addingReportingOverflow(Int64(digit) - Int64(UInt8(ascii: "0")))
            if productOverflows || sumOverflows { return .max }
            value = sum
        }
        return value
    }
}
