import GarnerFetcher
import GarnerModel

/// The latest year that a cursor may name, if nothing but its digits says which moment it means.
///
/// Sources write `9999-12-31 00:00:00` for "never". A cursor that went there would leave out all that changes later.
struct CursorHorizon: Sendable {
    private let lastYear: Int64

    init(_ signpost: Timestamp) {
        let day = signpost.millisecondsSince1970.flooredDivision(by: 86_400_000).quotient
        lastYear = CivilDate(daysSince1970: day).year + 1
    }

    /// Returns true if the value is no time in a known format, and is later than the next year for all that it shows.
    ///
    /// A number is only if it is one of those that stand for the end of the year 9999: 5000 may well be the id of a record.
    /// In another text, its first group of four digits from 1900 on is a year, if there are other digits beside it.
    func excludes(_ cursor: CursorValue) -> Bool {
        guard cursor.instant == nil else { return false }
        var (year, first, value, digits, groups) = (Int64?.none, Int64?.none, Int64(0), 0, 0)
        var (isNumber, points) = (true, 0)
        func endGroup() {
            guard digits > 0 else { return }
            groups += 1
            first = first ?? value
            if digits == 4, value >= 1900, year == nil { year = value }
            (value, digits) = (0, 0)
        }
        for byte in cursor.text.utf8 {
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
                digits += 1
                if digits <= 18 { value = value * 10 + Int64(byte - UInt8(ascii: "0")) }
                continue
            }
            points += byte == UInt8(ascii: ".") ? 1 : 0
            isNumber = isNumber && byte == UInt8(ascii: ".") && points == 1
            endGroup()
        }
        endGroup()
        if isNumber { return first.map { number in Self.never.contains { $0.contains(number) } } ?? false }
        return groups > 1 && year.map { $0 > lastYear } ?? false
    }

    /// Returns true if the value of a record stands for "never": if it is excluded, or is a time in the year 9999 in a known format.
    func isNever(_ cursor: CursorValue) -> Bool {
        excludes(cursor) || cursor.instant.map { $0 >= Self.lastOfYears } ?? false
    }

    /// The beginning of the year 9999.
    private static let lastOfYears = Timestamp(millisecondsSince1970: 253_370_764_800_000)

    /// The numbers for the last day or the last second of the year 9999.
    private static let never: [ClosedRange<Int64>] = [
        99_991_231...99_991_231, 253_402_300_799...253_402_300_799, 253_402_300_799_000...253_402_300_799_999,
    ]
}

extension SliceCursor {
    /// Returns the first cursor of the page that no change can have reached, if all are such; nil otherwise.
    func farCursor(on page: Page) throws -> String? {
        guard let field else { return nil }
        var (latest, far) = (CursorValue?.none, String?.none)
        try page.forEachPiece { records in
            latest = latest ?? field.latest(in: records)
            if latest == nil, far == nil { far = field.firstFar(in: records) }
        }
        return latest == nil ? far : nil
    }
}
