import GarnerModel
import GarnerYAML

/// Lines that belong to no YAML, which other programs and documents leave in a file.
struct ForeignLine {
    /// The number of the first of them.
    let line: Int
    let problem: String
    let hint: String

    /// Returns the first such lines of a text that is no mapping of YAML; nil if there are none.
    static func first(in text: String) -> ForeignLine? {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        func rows(_ isMeant: (String) -> Bool) -> [Int] {
            lines.indices.filter { isMeant(String(lines[$0])) }
        }
        let content = rows { line in line.first { $0 != " " }.map { $0 != "#" } ?? false }
        guard let first = content.first else { return nil }
        let marks = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"]
        let conflict = rows { line in marks.contains { line == $0 || line.hasPrefix("\($0) ") } }
        if let row = conflict.first, lines[row].hasPrefix("<") {
            return ForeignLine(
                line: row + 1, problem: "the marks of a merge conflict stand in the file",
                hint: "keep one of the versions between them, and remove \(Self.names(of: conflict))")
        }
        let fences = rows { $0.hasPrefix("```") }
        if let row = fences.first {
            return ForeignLine(
                line: row + 1, problem: "``` is a mark of Markdown around the file",
                hint: "remove \(Self.names(of: fences))")
        }
        if lines[first].wholeMatch(of: /\[[\w.-]+\]\s*|[A-Za-z_][\w-]* *=.*/) != nil {
            return ForeignLine(
                line: first + 1, problem: "the file is written in TOML or the like",
                hint: "write 'version: 1' for 'version = 1', and 'api:' with what belongs to it indented below for "
                    + "'[api]'; 'garner init URL --config api.yaml' writes a file to begin with")
        }
        if lines[first].wholeMatch(of: /<[!?A-Za-z].*/) != nil {
            return ForeignLine(
                line: first + 1, problem: "the file is a page of HTML or XML",
                hint: "save the text of the file itself, which begins with 'version: 1'")
        }
        if lines[first].prefixMatch(of: /curl |(?:GET|POST|PUT) |https?:\/\//) != nil {
            return ForeignLine(
                line: first + 1, problem: "the file is a request",
                hint: "'garner init URL --config api.yaml' writes a file from a URL, and "
                    + "'garner init --config api.yaml -- curl …' from a command")
        }
        let dots = rows { line in ["...", "…"].contains(line.trimming { $0 == " " }) }
        let rest = lines.indices.filter { !dots.contains($0) }.map { lines[$0] }.joined(separator: "\n")
        guard let row = dots.first, (try? YAMLComposer.root(of: rest)) != nil else { return nil }
        return ForeignLine(
            line: row + 1, problem: "'...' stands where something is left out",
            hint: "remove \(Self.names(of: dots)), or write what belongs there")
    }

    /// Returns the lines with a key that begin with a byte order mark, which joined files have amid them; nil if there are none.
    static func mark(in text: String) -> ForeignLine? {
        guard text.utf8.contains(0xEF) else { return nil }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let rows = lines.indices.filter { row in
            lines[row].utf8.contains(0xEF) && lines[row].prefixMatch(of: /[ -]*\u{FEFF}[ -]*(?:[\w"'-]+:|#|$)/) != nil
        }
        guard let row = rows.first else { return nil }
        let names = names(of: rows)
        return ForeignLine(
            line: row + 1,
            problem: "\(names) begin\(rows.count == 1 ? "s" : "") with a byte order mark (U+FEFF), which nobody sees",
            hint: "remove it: write the beginning of \(names) anew")
    }

    /// `line 3`, or `lines 3, 5 and 9`
    private static func names(of rows: [Int]) -> String {
        let numbers = rows.map { "\($0 + 1)" }
        guard let last = numbers.last, numbers.count > 1 else { return "line \(numbers.first ?? "1")" }
        return "lines \(numbers.dropLast().joined(separator: ", ")) and \(last)"
    }
}
