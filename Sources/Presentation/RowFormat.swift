/// A format of rows and records, for commands, files and pages.
///
/// A new one is a case with its `facts`, and perhaps a `TableMarkup` of its own. Outputs differ by the family.
package enum RowFormat: String, CaseIterable, Sendable {
    case table, json, ndjson, csv, tsv, markdown

    package enum Family: Sendable {
        /// Cells for people. A `table` has these marks only where nothing aligns it for a terminal.
        case table(any TableMarkup)
        /// JSON objects: an array of them, or one per line.
        case objects(inLines: Bool)
        /// Values with a character between them, a row per line.
        case delimited(Delimiter)
    }

    package enum Delimiter: Character, Sendable {
        case comma = ","
        case tab = "\t"
    }

    private struct Facts {
        /// The name in a sentence.
        let title: String
        let family: Family
        /// The endings of file names. A format without any is for the terminal only.
        var endings: [String] = []
        /// The type of the data beside a page of the dashboard; nil if pages are not given in this format.
        var mediaType: String?
        /// Lines of at most 69 characters for `garner help formats`.
        let help: String
    }

    private var facts: Facts {
        switch self {
        case .table:
            Facts(
                title: "Table", family: .table(MarkdownTable()),
                help: """
                    the default, for people: aligned columns, cut to fit a terminal;
                    --wide shows all columns in full, --vertical one field per line
                    """)
        case .json:
            Facts(
                title: "JSON", family: .objects(inLines: false), endings: ["json"], mediaType: "application/json",
                help: "an array of objects; 'garner sync' prints one object for each stream")
        case .ndjson:
            Facts(
                title: "NDJSON", family: .objects(inLines: true), endings: ["ndjson", "jsonl"],
                help: "one JSON object per line")
        case .csv:
            Facts(
                title: "CSV", family: .delimited(.comma), endings: ["csv"], mediaType: "text/csv; charset=utf-8",
                help: "RFC 4180 with LF: NULL is an empty field, an empty text is \"\"")
        case .tsv:
            Facts(
                title: "TSV", family: .delimited(.tab), endings: ["tsv", "tab"],
                help: #"""
                    tab, line feed, carriage return and backslash as \t \n \r \\;
                    NULL and an empty text are both empty fields
                    """#)
        case .markdown:
            Facts(
                title: "Markdown", family: .table(MarkdownTable()), endings: ["md", "markdown"],
                help: "a table for a README or an issue")
        }
    }

    package var title: String { facts.title }
    package var family: Family { facts.family }
    package var endings: [String] { facts.endings }
    package var mediaType: String? { facts.mediaType }
    package var help: String { facts.help }

    package var isForPeople: Bool { if case .table = family { true } else { false } }
    package var isJSON: Bool { if case .objects = family { true } else { false } }
    /// True if values are separated by a character.
    package var isDelimited: Bool { if case .delimited = family { true } else { false } }

    /// The formats of files: those for other programs, from spreadsheets on, and then those for people.
    package static let ofFiles: [RowFormat] = {
        let formats = RowFormat.allCases.filter { !$0.endings.isEmpty }
        return formats.filter(\.isDelimited) + formats.filter(\.isJSON) + formats.filter(\.isForPeople)
    }()

    /// The names and the first endings of `ofFiles` as choices, such as `CSV, TSV or Markdown`.
    package static let titlesOfFiles = choice(ofFiles.map(\.title))
    package static let endingsOfFiles = choice(ofFiles.map { ".\($0.endings.first ?? "")" })

    /// The formats that pages of the dashboard have beside HTML.
    package static let ofPages: [RowFormat] = RowFormat.allCases.filter { $0.mediaType != nil }

    private static func choice(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
