/// The number of a row in one of our own tables. Each table has its own type, so that numbers are not mistaken.
///
///     let run: RunID = 12
package protocol RowID: Hashable, Comparable, Codable, Sendable, ExpressibleByIntegerLiteral,
    LosslessStringConvertible
{
    var number: Int64 { get }
    init(_ number: Int64)
}

extension RowID {
    package init?(_ text: String) {
        guard let number = Int64(text) else { return nil }
        self.init(number)
    }

    package init(integerLiteral number: Int64) { self.init(number) }

    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Int64.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    package var description: String { String(number) }
}

/// Identifies a run: `_garner_runs.run_id`. Later runs have greater numbers.
package struct RunID: RowID {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }
}

/// Identifies a read by the run that began it.
package struct ReadID: RowID {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }

    package init(begunBy run: RunID) { self.init(run.number) }

    /// The run that began the read.
    package var run: RunID { RunID(number) }
}

/// Identifies a stream, and its table: `_garner_streams.stream_id`. A child table has one, too.
package struct StreamID: RowID {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }
}

/// Identifies a slice of an unfinished read: `_garner_slices.slice_id`.
package struct SliceID: RowID {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }
}

/// Identifies a stored page: `_garner_pages.page_id`.
package struct PageID: RowID {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }
}
