/// Sizes as people read them.
enum ByteText {
    /// Such as `980 B`, `12.3 MiB`.
    static func format(_ bytes: Int) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (Double(bytes), "B")
        for larger in units where value >= 1024 { (value, unit) = (value / 1024, larger) }
        guard unit != "B" else { return "\(bytes) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
