/// Parses the text of a selector or of a filter expression by RFC 9535.
struct SelectorReader {
    private let text: String
    let bytes: [UInt8]
    /// True for the RFC's letter, false for what configurations may contain. See `Selector.init(parsing:)`.
    let isStrict: Bool
    let allowsFilters: Bool
    var place = 0
    /// How many parentheses, functions and filters are open here.
    private var depth = 0
    /// How many filters and queries from the root have a number.
    private var numbered = 0

    init(_ text: String, isStrict: Bool = false, allowsFilters: Bool = false) {
        self.text = text
        bytes = Array(text.utf8)
        self.isStrict = isStrict
        self.allowsFilters = allowsFilters
    }

    mutating func readSelector() throws(SelectorError) -> [Selector.Segment] {
        guard take("$") else { throw error("a selector begins with '$', as in $.data[*]") }
        let segments = try readSegments()
        if !isStrict { skipSpace() }
        guard place == bytes.count else { throw error("'.name' or '[…]' expected") }
        return segments
    }

    /// Reads the segments of a query up to the first character that belongs to none, such as a space at the end.
    mutating func readSegments() throws(SelectorError) -> [Selector.Segment] {
        var segments: [Selector.Segment] = []
        while true {
            let end = place
            skipSpace()
            if take("[") {
                segments.append(Selector.Segment(isDescendant: false, selectors: try readBracket()))
            } else if take(".") {
                let isDescendant = take(".")
                let selectors = isDescendant && take("[") ? try readBracket() : [try readShorthand()]
                segments.append(Selector.Segment(isDescendant: isDescendant, selectors: selectors))
            } else {
                place = end
                return segments
            }
        }
    }

    private mutating func readShorthand() throws(SelectorError) -> Selector.ChildSelector {
        if take("*") { return .wildcard }
        let start = place
        while let byte = peek, isNameByte(byte, first: place == start) { place += 1 }
        guard place > start else { throw error("a name expected; write an odd one as ['odd name']") }
        return .name(String(decoding: bytes[start..<place], as: UTF8.self))
    }

    private func isNameByte(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): !first || !isStrict
        case UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "$"): !isStrict
        default: false
        }
    }

    private mutating func readBracket() throws(SelectorError) -> [Selector.ChildSelector] {
        var selectors: [Selector.ChildSelector] = []
        repeat {
            skipSpace()
            selectors.append(try readChildSelector())
            skipSpace()
        } while take(",")
        guard take("]") else { throw error("',' or ']' expected") }
        return selectors
    }

    private mutating func readChildSelector() throws(SelectorError) -> Selector.ChildSelector {
        if let name = try readQuoted() { return .name(String(decoding: name, as: UTF8.self)) }
        if take("*") { return .wildcard }
        if peek == UInt8(ascii: "?") { return .filter(try readNestedFilter()) }
        let expected = error("an index, a slice, a quoted name or '*' expected")
        let start = try readInteger()
        skipSpace()
        guard take(":") else {
            guard let start else { throw expected }
            return .index(start)
        }
        skipSpace()
        let end = try readInteger()
        skipSpace()
        guard take(":") else { return .slice(Selector.Slice(start: start, end: end, step: 1)) }
        skipSpace()
        return .slice(Selector.Slice(start: start, end: end, step: try readInteger() ?? 1))
    }

    private mutating func readNestedFilter() throws(SelectorError) -> Selector.NestedFilter {
        guard allowsFilters else {
            throw error("a filter here would end reads early; use the key 'record_filter' instead")
        }
        place += 1
        let number = nextNumber()
        let expression = try nested { reader throws(SelectorError) in try reader.readDisjunction() }
        return Selector.NestedFilter(number: number, expression: expression)
    }

    private mutating func readInteger() throws(SelectorError) -> Int? {
        let start = place
        let isNegative = take("-")
        let digits = place
        while let byte = peek, Self.isDigit(byte) { place += 1 }
        guard place > digits else {
            place = start
            if isNegative { throw error("a digit expected after '-'") }
            return nil
        }
        let limit = (1 << 53) - 1
        guard let integer = Int(String(decoding: bytes[start..<place], as: UTF8.self)),
            (-limit...limit).contains(integer)
        else {
            place = start
            throw error("an index or step is between -(2^53-1) and 2^53-1")
        }
        if isStrict, bytes[digits] == UInt8(ascii: "0"), place - start > 1 {
            place = start
            throw error("an index or step has no leading zeros, and 0 no sign")
        }
        return integer
    }
}

extension SelectorReader {
    /// The deepest nesting of parentheses, functions and filters. It bounds the recursion of reading and evaluating, so
    /// that half of the 512 KiB of a thread's stack on macOS is enough without optimisation too.
    static let maximumDepth = 32

    /// Reads what stands inside parentheses or a filter.
    mutating func nested<Result>(
        _ read: (inout SelectorReader) throws(SelectorError) -> Result
    ) throws(SelectorError) -> Result {
        guard depth < Self.maximumDepth else {
            throw error("parentheses and filters may be nested \(Self.maximumDepth) deep")
        }
        depth += 1
        let result = try read(&self)
        depth -= 1
        return result
    }

    mutating func nextNumber() -> Int {
        defer { numbered += 1 }
        return numbered
    }

    var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    /// Steps over this text if it comes next.
    mutating func take(_ expected: StaticString) -> Bool {
        let isNext = expected.withUTF8Buffer { bytes[place...].starts(with: $0) }
        if isNext { place += expected.utf8CodeUnitCount }
        return isNext
    }

    mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    func error(_ reason: String, at offset: Int? = nil) -> SelectorError {
        SelectorError(selector: text, offset: offset ?? place, reason: reason)
    }
}
