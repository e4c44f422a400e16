import GarnerModel
import GarnerPersistence

/// The latest runs of a stream in one line: bars up for changed rows, marks below for failures, so that a failure is a place
/// and not only a colour.
struct Sparkline {
    private static let width = 150
    private static let base = 17
    private static let maximumRuns = 30

    private let runs: [RunBrief]
    private let name: String

    /// - Parameter runs: The runs, newest first.
    init(_ runs: [RunBrief], of name: String) {
        self.runs = runs.prefix(Self.maximumRuns).reversed()
        self.name = name
    }

    var html: HTML {
        guard !runs.isEmpty else { return "" }
        let most = runs.map(\.changes).max() ?? 0
        let failed = runs.filter { $0.status == .failed }.count
        let title =
            "Last \(Component.counted(runs.count, "run")) of \(name): \(failed == 0 ? "none" : Component.grouped(failed)) failed; "
            + "at most \(Component.counted(most, "row")) changed in one"
        let start = Self.width - runs.count * 5
        let marks = runs.enumerated().map { index, run -> HTML in
            let x = start + index * 5
            guard run.status != .failed else { return "<path class=\"c-fail\" d=\"M\(x) 19h4v7h-4z\"/>" }
            let height = Self.height(of: run.changes, among: most)
            return "<path class=\"c-ok\" d=\"M\(x) \(Self.base - height)h4v\(height)h-4z\"/>"
        }
        return "<svg class=\"spark\" viewBox=\"0 0 150 26\" role=\"img\"><title>\(title)</title>\(marks)</svg>"
    }

    /// The height of a bar from 2 to 16, which grows with the logarithm of the count.
    private static func height(of count: Int, among most: Int) -> Int {
        guard count > 0, most > 0 else { return 2 }
        let digits = { (number: Int) in Int.bitWidth - number.leadingZeroBitCount }
        return 3 + 13 * digits(count) / max(1, digits(most))
    }
}
