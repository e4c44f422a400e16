/// The name of an unfinished file: `NAME.DIGITS.garner.part`.
enum PartName {
    static let ending = ".part"
    /// Without it, only who knows `NAME` knows whose file it is.
    static let mark = ".garner"
    /// The endings of the files that SQLite puts beside a database.
    static let siblings = ["-journal", "-wal", "-shm"]
    private static let mostDigits = 12

    /// The name of the file on its way, the place that it has in mind and whether it is marked; nil for other files.
    static func parsed(_ entry: String) -> (part: Substring.UTF8View, place: Substring.UTF8View, isMarked: Bool)? {
        let part = siblings.lazy.compactMap { entry.utf8.dropping(suffix: $0) }.first ?? entry[...].utf8
        guard let numbered = part.dropping(suffix: ending) else { return nil }
        let unmarked = numbered.dropping(suffix: mark)
        let name = unmarked ?? numbered
        let place = name.reversed().drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard 1...mostDigits ~= name.count - place.count, place.first == UInt8(ascii: "."), place.count > 1 else {
            return nil
        }
        return (part, name.prefix(place.count - 1), unmarked != nil)
    }
}

extension BidirectionalCollection<UInt8> {
    /// The name without the suffix; nil where it has another one.
    fileprivate func dropping(suffix: String) -> SubSequence? {
        let isThere = reversed().starts(with: suffix.utf8.reversed())
        return isThere ? dropLast(suffix.utf8.count) : nil
    }
}
