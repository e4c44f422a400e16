/// Reads CSV after RFC 4180, with LF at the ends of lines and nothing for NULL: written against the text of the RFC.
struct CSVReading {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the next row; nil at the end.
    mutating func nextRow() -> [[UInt8]?]? {
        guard place < bytes.count else { return nil }
        var row: [[UInt8]?] = []
        while true {
            row.append(field())
            let end = place < bytes.count ? bytes[place] : UInt8(ascii: "\n")
            place += 1
            if end == UInt8(ascii: "\n") { return row }
        }
    }

    private mutating func field() -> [UInt8]? {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else {
            let start = place
            while place < bytes.count, bytes[place] != UInt8(ascii: ","), bytes[place] != UInt8(ascii: "\n") {
                place += 1
            }
            return start == place ? nil : Array(bytes[start..<place])
        }
        var field: [UInt8] = []
        place += 1
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == UInt8(ascii: "\"") {
                guard place < bytes.count, bytes[place] == byte else { break }
                place += 1
            }
            field.append(byte)
        }
        return field
    }
}
