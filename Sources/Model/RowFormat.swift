/// A format of rows and records, for commands, files and pages.
package enum RowFormat: String, CaseIterable, Sendable {
    case table, json, ndjson, csv, tsv, markdown

    /// The formats of files. A table is laid out for a terminal.
    package static let ofFiles: [RowFormat] = [.csv, .tsv, .json, .ndjson, .markdown]

    /// The formats that pages of the dashboard have beside HTML.
    package static let ofPages: [RowFormat] = [.json, .csv]

    package var isJSON: Bool { self == .json || self == .ndjson }

    /// True if values are separated by a character.
    package var isDelimited: Bool { self == .csv || self == .tsv }

    /// The endings of file names.
    package var endings: [String] {
        switch self {
        case .table: []
        case .json: ["json"]
        case .ndjson: ["ndjson", "jsonl"]
        case .csv: ["csv"]
        case .tsv: ["tsv", "tab"]
        case .markdown: ["md", "markdown"]
        }
    }
}
