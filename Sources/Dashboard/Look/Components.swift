import GarnerModel
import GarnerPersistence
import GarnerPresentation

/// The parts that pages are made of.
enum Component {
    /// A number with its thousands grouped: `1,284,310`.
    static func number(_ number: some BinaryInteger) -> HTML { HTML(grouped(number)) }

    static func grouped(_ number: some BinaryInteger) -> String {
        let digits = Array(String(number.magnitude).utf8)
        var text: [UInt8] = number < 0 ? Array("\u{2212}".utf8) : []
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(UInt8(ascii: ",")) }
            text.append(digit)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `1 row`, `1,204 rows`.
    static func counted(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    static func number(_ count: RowCount) -> HTML { HTML(count.text { grouped($0) }) }

    static func rows(_ count: RowCount) -> HTML {
        count.deleted > 0 ? "\(number(count)) rows" : "\(counted(count.all, "row"))"
    }

    /// A time relative to now, with the exact one on hover. The script keeps it current.
    static func time(_ instant: Timestamp, now: Timestamp) -> HTML {
        """
        <time datetime="\(instant)" data-rel title="\(exact(instant))">\(relative(instant, now: now))</time>
        """
    }

    /// A time of its own: `2026-11-22 22:04:05 UTC`.
    static func exactTime(_ instant: Timestamp) -> HTML { "<time datetime=\"\(instant)\">\(exact(instant))</time>" }

    static func exact(_ instant: Timestamp) -> String {
        let text = instant.description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }

    /// `2 h 4 min ago`, `in 12 s`: two units at most, the second only below a day.
    static func relative(_ instant: Timestamp, now: Timestamp) -> String {
        let milliseconds = now.duration(to: instant).wholeMilliseconds
        let words = duration(seconds: (milliseconds.magnitude + 500) / 1000)
        if words.isEmpty { return "now" }
        return milliseconds < 0 ? "\(words) ago" : "in \(words)"
    }

    /// `2 h 4 min`; empty below a second.
    static func duration(seconds: UInt64) -> String {
        var (rest, parts): (UInt64, [String]) = (seconds, [])
        for (unit, size) in [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] as [(String, UInt64)] {
            let (count, remainder) = rest.quotientAndRemainder(dividingBy: size)
            rest = remainder
            if count > 0 { parts.append("\(count) \(unit)") }
            if !parts.isEmpty, unit == "d" || unit == "min" || parts.count == 2 { break }
        }
        return parts.joined(separator: " ")
    }

    /// A short time that something took: `0.42 s`, `2 min 5 s`.
    static func took(_ duration: Duration) -> String {
        let milliseconds = max(0, duration.wholeMilliseconds)
        guard milliseconds < 60_000 else { return self.duration(seconds: UInt64(milliseconds / 1000)) }
        let hundredths = (milliseconds + 5) / 10
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    }

    static func bytes(_ count: Int) -> HTML { HTML(ByteCount.format(count)) }

    /// An icon with its word, in the colour of its meaning.
    static func badge(_ icon: Icon, _ word: String, _ tone: Tone) -> HTML {
        "<span class=\"state \(tone.rawValue)\">\(icon.html)<span>\(word)</span></span>"
    }

    enum Tone: String { case fail, warn, ok, run, quiet }

    /// The rows that a run added, updated and deleted: `+3 ~4 −2`.
    static func changes(added: Int, updated: Int, deleted: Int) -> HTML {
        func part(_ sign: String, _ count: Int) -> HTML {
            "<span\(count == 0 ? " class=\"zero\"" as HTML : "")>\(sign)\(number(count))</span>"
        }
        return """
            <span class="sr">\(grouped(added)) added, \(grouped(updated)) updated, \(grouped(deleted)) deleted</span>\
            <span class="delta" aria-hidden="true">\(part("+", added))\(part("~", updated))\(part("\u{2212}", deleted))</span>
            """
    }

    static func changes(_ counts: RunCounts) -> HTML {
        changes(added: counts.inserted, updated: counts.updated, deleted: counts.deleted)
    }

    /// Advice below what is wrong; nil if there is none.
    static func tried(_ advice: HTML?) -> HTML? { advice.map { "<p class=\"try\"><b>Try:</b> \($0).</p>" } }

    /// A part of a page with its heading.
    static func section(_ id: String, _ heading: HTML, _ content: HTML) -> HTML {
        "<section aria-labelledby=\"\(id)\"><h2 id=\"\(id)\">\(heading)</h2>\(content)</section>"
    }

    /// Figures with their names.
    static func facts(_ facts: [(String, HTML)], areSmall: Bool = false) -> HTML {
        """
        <dl class="facts\(areSmall ? " small" : "")">\(facts.map { "<div><dt>\($0)</dt><dd>\($1)</dd></div>" as HTML })</dl>
        """
    }

    static func link(_ link: Link, _ text: some StringProtocol) -> HTML { "<a href=\"\(link)\">\(text)</a>" }
    static func link(_ link: Link, _ content: HTML) -> HTML { "<a href=\"\(link)\">\(content)</a>" }

    /// Links to rows in the formats of pages, with the files to save first.
    static func formats(of rows: Link) -> HTML {
        RowFormat.ofPages.reversed().map { link(rows.as($0), $0.title) }.joined(" ")
    }

    static func link(to run: RunID) -> HTML {
        link(Link("runs", run.description), "run \(number(run.number))" as HTML)
    }

    /// The word for what a run did to a record.
    static func operation(_ operation: RecordChange.Operation) -> HTML {
        let (icon, word, look): (Icon, HTML, HTML) =
            switch operation {
            case .insert: (.added, "added", "ok")
            case .update: (.updated, "updated", "")
            case .delete: (.deleted, "deleted", "fail")
            }
        return "<span class=\"op \(look)\">\(icon.html)<span>\(word)</span></span>"
    }

    /// A name that may break after its dots and underscores.
    static func breakable(_ name: String) -> HTML {
        var parts: [HTML] = []
        var part = ""
        for scalar in name.unicodeScalars {
            part.unicodeScalars.append(scalar)
            guard scalar == "." || scalar == "_" else { continue }
            parts.append(HTML(part))
            part = ""
        }
        return (parts + [HTML(part)]).joined("<wbr>")
    }

    /// A button that asks for an action. The page that it stands on comes again afterwards.
    static func button(_ label: String, _ action: Link, of subject: String? = nil, isMain: Bool = false) -> HTML {
        """
        <form method="post" action="\(action)"><button\(isMain ? " class=\"main\"" as HTML : "")>\(label)\
        \(subject.map { "<span class=\"sr\"> \($0)</span>" as HTML })</button></form>
        """
    }

    /// Text of the source: kept as it came, and isolated in its direction.
    static func foreign(_ text: some StringProtocol) -> HTML { "<bdi dir=\"auto\">\(text)</bdi>" }

    /// A place that is empty, why, and what changes that.
    static func empty(_ what: HTML, try advice: HTML? = nil) -> HTML {
        "<div class=\"empty\"><p>\(what)</p>\(tried(advice))</div>"
    }
}

/// A table of data. On narrow pages it scrolls within itself, or becomes a list.
struct DataTable {
    struct Column {
        let name: HTML
        var isNumber = false
        /// The label in a list; nil for the column's name.
        var label: String?
        /// The direction if the rows are sorted by the column.
        var order: Order?

        enum Order: String { case ascending, descending }

        init(_ name: HTML, isNumber: Bool = false, label: String? = nil, order: Order? = nil) {
            (self.name, self.isNumber, self.label, self.order) = (name, isNumber, label, order)
        }
    }

    /// A cell. The one that names the row is its header.
    struct Cell {
        let content: HTML
        var isHeader = false
        var kind: String?

        init(_ content: HTML, isHeader: Bool = false, kind: String? = nil) {
            (self.content, self.isHeader, self.kind) = (content, isHeader, kind)
        }
    }

    let id: String
    let caption: HTML
    let columns: [Column]
    var rows: [[Cell]] = []
    /// True if a narrow page shows each row as a list.
    var isStacked = false
    /// True if the rows are records of a source: as wide as their values, under a first column that stays.
    var isRecords = false

    var html: HTML {
        let heads = columns.map { column -> HTML in
            let order = column.order.map { " aria-sort=\"\($0.rawValue)\"" as HTML }
            return "<th scope=\"col\"\(column.isNumber ? " class=\"num\"" as HTML : "")\(order)>\(column.name)</th>"
        }
        return """
            <div class="scroll" role="region" aria-labelledby="\(id)" tabindex="0"><table\
            \(isStacked ? " class=\"stack\"" as HTML : isRecords ? " class=\"records\"" as HTML : "")>
            <caption id="\(id)">\(caption)</caption>
            <thead><tr>\(heads)</tr></thead>
            <tbody>\(rows.map(row))</tbody></table></div>

            """
    }

    private func row(_ cells: [Cell]) -> HTML {
        let html = zip(columns, cells).map { column, cell -> HTML in
            let classes = [column.isNumber ? "num" : nil, cell.kind].compactMap(\.self).joined(separator: " ")
            let attributes: HTML =
                (classes.isEmpty ? "" : " class=\"\(classes)\"")
                + (isStacked ? column.label.map { " data-label=\"\($0)\"" as HTML } ?? "" : "")
            return cell.isHeader
                ? "<th scope=\"row\"\(attributes)>\(cell.content)</th>" : "<td\(attributes)>\(cell.content)</td>"
        }
        return "<tr>\(html)</tr>\n"
    }
}
