/// A mistake that a slip of indentation or punctuation may have made.
struct Slip {
    /// The line where it was noticed, which may be one of the next.
    let line: Int
    /// The line where what YAML was reading began.
    var context: Int?
    /// True if the text is no YAML.
    var isYAML = false
    /// True if a value is empty, perhaps because YAML takes it for a comment.
    var isEmpty = false
}

/// An edit of one line, or of a few that move together, which may mend a slip.
struct LineEdit {
    /// The number of the first line.
    let line: Int
    let problem: String
    let hint: String
    /// The text of the file with the edit.
    let text: String

    /// Returns the edits that may mend a slip, the likeliest first.
    static func edits(for slip: Slip, in text: String) -> [LineEdit] {
        LineEdits(slip, text).all
    }
}

private struct LineEdits {
    private static let most = 150
    private static let mostTogether = 8
    /// Keys whose mappings have any names.
    private static let open: Set = [
        "params", "headers", "json", "form", "partitions", "rename", "types", "add", "hooks",
    ]

    private let slip: Slip
    private let lines: [String]
    /// The lines that are neither empty nor comments.
    private let rows: [Int]

    init(_ slip: Slip, _ text: String) {
        self.slip = slip
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        rows = lines.indices.filter { [lines] index in
            lines[index].first { $0 != " " }.map { $0 != "#" } ?? false
        }
    }

    var all: [LineEdit] {
        let starts = starts
        if slip.isEmpty { return starts.compactMap(comment) }
        // A quote that is not closed is noticed at the next one, or at the end of the file.
        let closed = slip.isYAML ? rows.flatMap(quotes) : []
        return Array((noBreakSpaces + starts.flatMap(punctuation) + closed + moves(from: starts)).prefix(Self.most))
    }

    /// The edit that writes spaces where lines begin with no-break spaces, which nobody sees; none if no line does.
    private var noBreakSpaces: [LineEdit] {
        let found = rows.filter { lines[$0].prefix { $0.isWhitespace || $0 == "-" }.contains("\u{A0}") }
        guard let first = found.first else { return [] }
        var edited = lines
        for row in found { edited[row] = lines[row].replacing("\u{A0}", with: " ") }
        let numbers = found.map { String($0 + 1) }.joined(separator: ", ")
        return [
            LineEdit(
                line: first + 1,
                problem: found.count == 1
                    ? "line \(numbers) has a no-break space" : "lines \(numbers) have no-break spaces",
                hint: "write spaces in line\(found.count == 1 ? "" : "s") \(numbers)",
                text: edited.joined(separator: "\n"))
        ]
    }

    private func indent(_ row: Int) -> Int { lines[row].prefix { $0 == " " }.count }

    private func isDashed(_ row: Int) -> Bool { lines[row].drop { $0 == " " }.prefixMatch(of: /-[^\s-]/) != nil }

    private func parent(of row: Int, indent: Int) -> Int? {
        rows.last { $0 < row && self.indent($0) < indent }
    }

    /// The lines that may be wrong: the one where it was noticed, and those around it.
    private var starts: [Int] {
        guard let focus = rows.lastIndex(where: { $0 < slip.line }) else { return [] }
        let row = rows[focus]
        let parent = parent(of: row, indent: indent(row))
        let around = [focus - 1, focus + 1, focus - 2].filter(rows.indices.contains).map { rows[$0] }
        let outer = [parent, parent.flatMap { self.parent(of: $0, indent: indent($0)) }, slip.context.map { $0 - 1 }]
        var seen: Set<Int> = []
        return ([row] + around + outer.compactMap(\.self)).filter { rows.contains($0) && seen.insert($0).inserted }
    }

    private func edit(_ row: Int, _ new: String, _ problem: String, _ hint: String) -> LineEdit {
        var edited = lines
        edited[row] = new
        return LineEdit(line: row + 1, problem: problem, hint: hint, text: edited.joined(separator: "\n"))
    }

    /// Returns the edits that add a character to a line, or that make a comment of it. They show nothing of it, since it may hold a secret.
    private func punctuation(_ row: Int) -> [LineEdit] {
        let line = lines[row]
        var edits: [LineEdit] = []
        if let match = line.wholeMatch(of: /( *)\/\/(.*)/) {
            edits.append(
                edit(
                    row, "\(match.1)#\(match.2)", "a comment begins with '#', not with '//'",
                    "write # in place of // in line \(row + 1)"))
        }
        if isDashed(row) { edits.append(spacedDashes(indent(row))) }
        if let match = line.wholeMatch(of: /( *(?:- )?[A-Za-z_][\w-]*:)([^\s\/:].*|\/[^\/].*)/) {
            edits.append(
                edit(
                    row, "\(match.1) \(match.2)", "there is no space after the colon",
                    "put a space after the first ':' of line \(row + 1)"))
        }
        if let match = line.wholeMatch(of: /( *(?:- )?[A-Za-z_][\w-]*)( .*)?/) {
            edits.append(
                edit(
                    row, "\(match.1):\(match.2 ?? "")", "there is no colon after the key",
                    "put ':' after the first word of line \(row + 1)"))
        }
        if let match = line.wholeMatch(
            of: /(.*?)\b(cron|schedule): +(\*[\/ ,-][*0-9A-Za-z\/,? -]*?|@[a-z]+)( *(?:#.*|\}.*|, *[a-z_]+:.*)?)/)
        {
            let cron = "cron: \"\(match.3)\""
            let written = match.2 == "cron" ? cron : "schedule: { \(cron) }"
            edits.append(
                edit(
                    row, "\(match.1)\(written)\(match.4)",
                    "a text that begins with '\(match.3.prefix(1))' needs quotes",
                    "write \(written) in line \(row + 1)"))
        }
        if let before = rows.last(where: { $0 < row }), let dash = lines[before].wholeMatch(of: /( *- ).*/)?.1 {
            let content = line.drop { $0 == " " }
            edits.append(
                edit(
                    row, "\(dash)\(content)", "there is no dash before an element of the list",
                    "put '- ' before the text of line \(row + 1), in the column of the one on line \(before + 1)"))
        }
        return edits
    }

    /// Returns the edit that puts a space behind each dash of a list, which is a part of a text without it.
    private func spacedDashes(_ column: Int) -> LineEdit {
        let found = rows.filter { indent($0) == column && isDashed($0) }
        var edited = lines
        for row in found { edited[row] = "\(lines[row].prefix(column))- \(lines[row].dropFirst(column + 1))" }
        let numbers = found.map { String($0 + 1) }.joined(separator: ", ")
        return LineEdit(
            line: (found.first ?? 0) + 1, problem: "there is no space after the dash of a list",
            hint: "put a space after the '-' of line\(found.count == 1 ? "" : "s") \(numbers)",
            text: edited.joined(separator: "\n"))
    }

    /// Returns the edit that puts quotes around a value which is a comment to YAML. A '#' with a space behind it is one to people, too.
    private func comment(_ row: Int) -> LineEdit? {
        guard let match = lines[row].wholeMatch(of: /( *(?:- )?[A-Za-z_][\w-]*: +)(#[^\s"\\](?:[^"\\]*[^\s"\\])?) */)
        else { return nil }
        return edit(
            row, "\(match.1)\"\(match.2)\"", "the value is a comment to YAML, as it begins with '#'",
            "put quotes around the value of line \(row + 1)")
    }

    /// Returns the edits that close a quote: before a comment, at the end of the line, or before brackets there.
    private func quotes(_ row: Int) -> [LineEdit] {
        let line = lines[row]
        func withoutSpaces(_ text: Substring) -> Substring {
            text.lastIndex { $0 != " " }.map { text[...$0] } ?? text
        }
        var beginnings: [(text: Substring, place: String)] = []
        if let comment = line.firstRange(of: " #") {
            beginnings.append((withoutSpaces(line[..<comment.lowerBound]), "before the comment"))
        }
        var rest = withoutSpaces(line[...])
        beginnings.append((rest, "at the end"))
        for count in 1...3 {
            guard let last = rest.last, "]}".contains(last) else { break }
            rest = withoutSpaces(rest.dropLast())
            beginnings.append((rest, count == 1 ? "before the last bracket" : "before the last \(count) brackets"))
        }
        func isOpen(_ quote: String) -> Bool {
            let parts = line.replacing("\\\"", with: "").split(separator: quote, omittingEmptySubsequences: false)
            return parts.count.isMultiple(of: 2)
        }
        return ["\"", "'"].filter(isOpen).flatMap { quote in
            beginnings.map { text, place in
                edit(
                    row, "\(text)\(quote)\(line[text.endIndex...])", "a quote is not closed",
                    "put \(quote) \(place) of line \(row + 1)")
            }
        }
    }

    /// Returns the moves of lines to the left or to the right. Those of few lines by few columns come first.
    private func moves(from starts: [Int]) -> [LineEdit] {
        var moves: [(start: Int, end: Int, column: Int)] = []
        for start in starts {
            let before = rows.last { $0 < start }.map { indent($0) + 2 }
            let columns = Set(rows.map(indent) + [before].compactMap(\.self)).filter { $0 != indent(start) }.sorted()
            for end in ends(of: start) {
                moves += columns.map { (start, end, $0) }
            }
        }
        let order = moves.enumerated().map { index, move in
            (cost: (move.end - move.start, abs(move.column - indent(move.start)), index), move: move)
        }.sorted { $0.cost < $1.cost }
        return order.compactMap { move($0.move.start...$0.move.end, to: $0.move.column) }
    }

    /// Returns the last lines of what may move together with a line: it alone, what is below it, and what stands beside it.
    private func ends(of start: Int) -> [Int] {
        var ends = [start]
        var last = start
        for row in rows where row > start {
            guard indent(row) >= indent(start), ends.count < Self.mostTogether else { break }
            if indent(row) == indent(start), last != start { ends.append(last) }
            last = row
        }
        return ends.contains(last) ? ends : ends + [last]
    }

    private func move(_ range: ClosedRange<Int>, to column: Int) -> LineEdit? {
        let start = range.lowerBound
        let distance = column - indent(start)
        guard mayMove(start, to: column), rows.allSatisfy({ !range.contains($0) || indent($0) + distance >= 0 }) else {
            return nil
        }
        var edited = lines
        for row in rows where range.contains(row) {
            edited[row] = String(repeating: " ", count: indent(row) + distance) + lines[row].drop { $0 == " " }
        }
        let isOne = range.count == 1
        let size = abs(distance) == 1 ? "1 space" : "\(abs(distance)) spaces"
        return LineEdit(
            line: start + 1,
            problem: (isOne ? "this line is" : "these lines are") + " indented too "
                + (distance > 0 ? "little" : "much"),
            hint: "move line" + (isOne ? " \(start + 1)" : "s \(start + 1) to \(range.upperBound + 1)")
                + " to the \(distance > 0 ? "right" : "left") by \(size)",
            text: edited.joined(separator: "\n"))
    }

    /// Returns false if a line would come into a mapping that takes any name, where no key is wrong.
    private func mayMove(_ row: Int, to column: Int) -> Bool {
        guard !slip.isYAML || StreamKey.all.contains(where: { $0.name == key(of: row) }) else { return true }
        var (row, column) = (row, column)
        while let outer = parent(of: row, indent: column) {
            if Self.open.contains(key(of: outer)) { return false }
            (row, column) = (outer, indent(outer))
        }
        return true
    }

    private func key(of row: Int) -> String {
        String(lines[row].drop { $0 == " " || $0 == "-" }.prefix { $0 != ":" })
    }
}
