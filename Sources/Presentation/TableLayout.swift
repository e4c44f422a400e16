package struct TableLayout: Sendable {
    package enum Form: Sendable, Equatable {
        /// The main fields, cut to the terminal's width in cells; with nil nothing is cut.
        case columns(width: Int?)
        /// All fields, uncut.
        case wide
        /// All fields, a line for each.
        case vertical
    }

    package let form: Form
    package let style: ANSIStyle

    package init(_ form: Form, _ style: ANSIStyle) {
        self.form = form
        self.style = style
    }

    /// The cells of a line; nil if nothing is cut.
    package var width: Int? {
        if case .columns(let width) = form { width } else { nil }
    }

    var showsAll: Bool { form == .wide || form == .vertical }
}

/// The widths of a table's columns, which shrink if there is too little room.
struct ColumnWidths {
    /// The cells between two columns.
    static let gap = 2
    /// The width below which a column of text does not shrink; its header may make it wider.
    private static let leastCells = 8
    /// The same for a column that is kept, which says more than others.
    private static let leastKeptCells = 24

    /// The widths of the columns with enough room.
    var natural: [Int]
    /// The widths below which columns do not shrink while columns further to the right can be left out.
    private let least: [Int]
    private let numeric: Set<Int>
    private let kept: Set<Int>

    /// - Parameters:
    ///   - instants: the columns of times, which stay wide enough to show the minute.
    ///   - kept: the columns that are left out last.
    init(natural: [Int], headers: [Int], numeric: Set<Int>, instants: Set<Int>, kept: Set<Int> = []) {
        self.natural = natural
        self.numeric = numeric
        self.kept = kept
        least = natural.indices.map { column in
            if numeric.contains(column) { return natural[column] }
            let cells =
                instants.contains(column)
                ? "2026-01-31T08:05…".count : kept.contains(column) ? Self.leastKeptCells : Self.leastCells
            return min(natural[column], max(headers[column], cells))
        }
    }

    /// Returns the columns that have room in a line, in their order: those from the left, and those that are kept. At least one.
    func shown(in width: Int) -> [Int] {
        var shown = Array(least.indices)
        var cells = least.reduce(0) { $0 + $1 + Self.gap } - Self.gap
        while cells > width, shown.count > 1 {
            let place = shown.lastIndex { !kept.contains($0) } ?? shown.count - 1
            cells -= least[shown.remove(at: place)] + Self.gap
        }
        return shown
    }

    /// Returns the widths of these columns in a line. The widest shrink first, and numbers shrink last.
    func fitted(_ columns: [Int], in width: Int) -> [Int] {
        let room = width - Self.gap * (columns.count - 1)
        let natural = columns.map { self.natural[$0] }
        let cut = columns.map { numeric.contains($0) ? self.natural[$0] : 1 }
        let floors = [columns.map { least[$0] }, cut].first { $0.reduce(0, +) <= room }
        return Self.shrunk(natural, to: room, floors: floors ?? natural.map { _ in 1 })
    }

    private static func shrunk(_ natural: [Int], to room: Int, floors: [Int]) -> [Int] {
        func widths(below cap: Int) -> [Int] { zip(natural, floors).map { max($1, min($0, cap)) } }
        var cap = natural.max() ?? 0
        while cap > 1, widths(below: cap).reduce(0, +) > room { cap -= 1 }
        var widths = widths(below: cap)
        var spare = room - widths.reduce(0, +)
        // The cells that the cap took away in excess go to the first columns.
        for column in widths.indices where spare > 0 && widths[column] < natural[column] {
            widths[column] += 1
            spare -= 1
        }
        return widths
    }
}
