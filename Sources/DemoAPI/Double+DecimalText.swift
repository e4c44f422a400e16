extension Double {
    /// Decimal digits without an exponent, such as `1.20` or `0.0006`.
    ///
    /// Rounded to four places; trailing zeros go, down to `minimumPlaces`. For measures of animals, so not negative
    /// and below a thousand million.
    func decimalText(minimumPlaces: Int) -> String {
        precondition(self >= 0 && self < 1e9 && (0...4).contains(minimumPlaces), "a measure out of bounds: \(self)")
        let tenThousandths = Int((self * 10_000).rounded())
        var places = String(10_000 + tenThousandths % 10_000).dropFirst()
        while places.count > minimumPlaces, places.last == "0" { places.removeLast() }
        let whole = String(tenThousandths / 10_000)
        return places.isEmpty ? whole : "\(whole).\(places)"
    }
}
