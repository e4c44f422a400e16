/// What had to be changed of a value so that PostgreSQL holds it.
package enum Misfit: String, Sendable, CaseIterable {
    /// The column is NULL, since its type holds no such value. A column that was widened in the file has these.
    case otherType
    /// The column is NULL, since the text is no instant with an offset.
    case noInstant
    /// The column is NULL, since its type does not reach so far.
    case outOfRange
    /// The column is NULL, since `jsonb` takes no such JSON.
    case refusedJSON
    /// The column is NULL, since the value is no text in UTF-8, but bytes.
    case bytes
    /// The column has the nearest value.
    case rounded
    /// NUL, half of a surrogate pair, or what is not UTF-8, became U+FFFD.
    case replacedCharacter
    /// The column is NULL, and `_garner_rest` has the number of bytes only: it has no room for so long a value.
    case tooLong
}

/// How many values had to be changed, by columns and reasons.
package struct ConversionNotes: Sendable, Equatable {
    package struct Note: Sendable, Hashable {
        /// The column's name in the file.
        package let column: String
        package let misfit: Misfit
    }

    package private(set) var counts: [Note: Int] = [:]

    package init() {}

    package var isEmpty: Bool { counts.isEmpty }

    mutating func add(_ misfit: Misfit, of column: String) {
        counts[Note(column: column, misfit: misfit), default: 0] += 1
    }

    /// The notes in a fixed order.
    package var sorted: [(note: Note, count: Int)] {
        counts.map { ($0.key, $0.value) }.sorted {
            ($0.0.column, $0.0.misfit.rawValue) < ($1.0.column, $1.0.misfit.rawValue)
        }
    }
}

/// The key of a row is no value of its published column: the table stays behind until somebody changes its type.
package struct KeyMisfit: Error, Equatable, CustomStringConvertible {
    /// The column's name in the file.
    package let column: String
    package let type: PublishedType
    package let misfit: Misfit

    /// Never the value, which may be a secret.
    package var description: String { "a value of the key '\(column)' is no \(type.rawValue)" }
}

extension ConversionNotes {
    /// One sentence for each column and reason, such as `animals.age: 2 values are no bigint; the column is NULL there, and _garner_rest
    /// has them`. Values are never shown.
    package func sentences(of table: String, _ definition: TableDefinition) -> [String] {
        sorted.map { note, count in
            let type =
                definition.columns.first { $0.file.utf8.elementsEqual(note.column.utf8) }?.type ?? .jsonb
            return "\(table).\(note.column): \(note.misfit.words(count, type))"
        }
    }
}

extension Misfit {
    fileprivate func words(_ count: Int, _ type: PublishedType) -> String {
        let isOne = count == 1
        let (values, are, have) = isOne ? ("1 value", "is", "has") : ("\(count) values", "are", "have")
        let aside = "the column is NULL there, and _garner_rest has \(isOne ? "it" : "them")"
        return switch self {
        case .otherType: "\(values) \(are) no \(type.rawValue), which PostgreSQL's column is; \(aside)"
        case .noInstant: "\(values) \(are) no time with an offset that PostgreSQL's timestamptz holds; \(aside)"
        case .outOfRange: "\(values) \(are) beyond what PostgreSQL's \(type.rawValue) holds; \(aside)"
        case .refusedJSON: "\(values) \(are) JSON that PostgreSQL does not take; _garner_rest has the text"
        case .bytes: "\(values) \(are) no text, but bytes; \(aside)"
        case .rounded:
            "\(values) \(have) another spelling or more digits than PostgreSQL's \(type.rawValue); the nearest is there, and _garner_rest has the exact \(isOne ? "one" : "ones")"
        case .replacedCharacter:
            "\(values) \(have) NUL or another character that PostgreSQL does not hold; it is U+FFFD there"
        case .tooLong:
            "\(values) \(are) too long for _garner_rest in PostgreSQL; only the file has \(isOne ? "it" : "them")"
        }
    }
}
