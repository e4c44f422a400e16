/// How CSV and TSV are written where other programs need them otherwise.
package struct DelimitedStyle: Sendable, Equatable {
    /// A `'` goes before what begins as formulas do and is no number.
    package var isExcelSafe = false
    package var endsLinesWithCRLF = false
    /// The file begins with U+FEFF.
    package var beginsWithMark = false

    package init() {}
}
