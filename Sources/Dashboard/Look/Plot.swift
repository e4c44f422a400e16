import GarnerModel

/// A plot of a query's result: bars or a line of one column of numbers along another.
struct Plot {
    private enum Kind: String, CaseIterable {
        case bars = "Bars"
        case line = "Line"
    }

    private static let maximumBars = 50

    private let result: QueryResult
    private let kind: Kind
    /// The column of the labels, and the one of the heights.
    private let (x, y): (Int, Int)
    private let request: WebRequest

    /// Returns nil if the result has no two columns of which one has numbers.
    init?(of result: QueryResult, _ request: WebRequest) {
        guard result.columns.count > 1, result.rows.count > 1 else { return nil }
        let numeric = result.columns.indices.filter(result.isNumeric)
        func chosen(_ name: String) -> Int? {
            request.value(of: name).flatMap { wanted in
                result.columns.firstIndex { $0.utf8.elementsEqual(wanted.utf8) }
            }
        }
        let x = chosen("x") ?? result.columns.indices.first { !numeric.contains($0) } ?? 0
        guard let y = chosen("y").flatMap({ numeric.contains($0) ? $0 : nil }) ?? numeric.first(where: { $0 != x })
        else { return nil }
        self.result = result
        self.request = request
        (self.x, self.y) = (x, y)
        kind = request.value(of: "plot").flatMap(Kind.init(rawValue:)) ?? (result.isNumeric(x) ? .line : .bars)
    }

    var html: HTML {
        let chips = Kind.allCases.map { other -> HTML in
            let isHere: HTML = other == kind ? " aria-current=\"true\"" : ""
            return "<li><a class=\"chip\" href=\"\(link(to: other))\"\(isHere)>\(other.rawValue)</a></li>"
        }
        return """
            <section aria-labelledby="plot"><div class="bar"><h2 id="plot">Plot</h2><ul class="chips" aria-label="Kind of plot">\(chips)</ul></div>
            <form action="/query" class="inline"><input type="hidden" name="sql" value="\(request.value(of: "sql") ?? "")">\
            <input type="hidden" name="plot" value="\(kind.rawValue)">
            <label for="x">Along</label>\(choice("x", of: Array(result.columns.indices), chosen: x))
            <label for="y">Height</label>\(choice("y", of: result.columns.indices.filter(result.isNumeric), chosen: y))
            <button>Draw</button></form>
            <figure><figcaption class="sr">\(result.columns[y]) by \(result.columns[x]); the numbers are in the table above</figcaption>
            \(kind == .bars ? bars : line)</figure></section>
            """
    }

    private func link(to kind: Kind) -> Link {
        var link = request.link
        link.query.removeAll { $0.name == "plot" }
        return link.adding("plot", kind.rawValue)
    }

    private func choice(_ name: String, of columns: [Int], chosen: Int) -> HTML {
        let options = columns.map { column -> HTML in
            "<option\(column == chosen ? " selected" as HTML : "")>\(result.columns[column])</option>"
        }
        return "<select id=\"\(name)\" name=\"\(name)\">\(options)</select>"
    }

    private var bars: HTML {
        let rows = result.rows.prefix(Self.maximumBars)
        let most = rows.compactMap { $0[y].number }.map(abs).max() ?? 0
        let bars = rows.map { row -> HTML in
            let value = row[y].number ?? 0
            let width = most > 0 ? Self.hundredths(abs(value) / most * 100) : "0"
            return """
                <li><span>\(Component.foreign((row[x].text ?? "null").prefix(60)))</span>\
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">\
                <rect class="\(value < 0 ? "c-warn" : "c-data")" width="\(width)" height="10"/></svg>\
                <span class="num">\(row[y].text ?? "null")</span></li>
                """
        }
        let rest = result.count - rows.count
        return """
            <ul class="bars">\(bars)</ul>\(rest > 0 ? "<p class=\"muted\">The first \(Self.maximumBars) of \(Component.counted(result.count, "row"))</p>" as HTML : "")
            """
    }

    private var line: HTML {
        let points = points
        let heights = points.compactMap(\.height)
        guard let first = points.first, let last = points.last, let low = heights.min(), let high = heights.max() else {
            return ""
        }
        func scaled(_ value: Double, _ from: Double, _ to: Double) -> Double {
            to > from ? (value - from) / (to - from) * 100 : 50
        }
        // A row without a height ends a line.
        let lines = points.split { $0.height == nil }.map { line in
            line.map { point in
                "\(Self.hundredths(scaled(point.place, first.place, last.place))) "
                    + Self.hundredths(100 - scaled(point.height ?? low, low, high))
            }
        }
        // A point that stands alone is a line without length, which shows by its round ends.
        let path = lines.map { "M" + $0.joined(separator: "L") + ($0.count == 1 ? "h0" : "") }.joined()
        return """
            <div class="plot"><span class="num">\(Self.short(high))</span>\
            <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img"><title>\(result.columns[y]) from \(Self.short(low)) to \(Self.short(high))</title>\
            <path class="curve" d="\(path)"/></svg><span class="num">\(Self.short(low))</span></div>
            <p class="bar muted plot-x"><span>\(first.label.prefix(40))</span><span>\(last.label.prefix(40))</span></p>
            """
    }

    private struct Point {
        let place: Double
        let label: String
        /// The height; nil where there is no value.
        let height: Double?
    }

    /// The rows that have a place along the axis, in the order of their places. Numbers and moments stand where their values are,
    /// other texts at the same distance from each other.
    private var points: [Point] {
        let rows = result.rows
        let moments = rows.map { $0[x].text.flatMap(Self.moment) }
        let isOfTime =
            moments.contains { $0 != nil } && zip(rows, moments).allSatisfy { $0[x].text == nil || $1 != nil }
        let isNumeric = result.isNumeric(x)
        let places = isNumeric ? rows.map { $0[x].number } : isOfTime ? moments : rows.indices.map { Double($0) }
        let points = zip(rows, places).compactMap { row, place in
            place.map { Point(place: $0, label: isNumeric ? Self.short($0) : row[x].text ?? "", height: row[y].number) }
        }
        return points.sorted { $0.place < $1.place }
    }

    /// Returns the milliseconds to a moment, a day or a month; nil for another text.
    private static func moment(_ text: String) -> Double? {
        (Timestamp(written: text) ?? Timestamp(rfc3339: "\(text)-01")).map { Double($0.millisecondsSince1970) }
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? Component.grouped(Int64(value)) : "\(value)"
    }

    /// A number between -10,000 and 10,000 with two digits behind the point; others are cut.
    private static func hundredths(_ value: Double) -> String {
        guard value.isFinite else { return "0" }
        let whole = Int((min(max(value, -10_000), 10_000) * 100).rounded())
        return "\(Double(whole) / 100)"
    }
}
