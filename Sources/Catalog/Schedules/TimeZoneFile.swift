import GarnerLibC

/// The content of a compiled time zone file (TZif, RFC 9636, versions 1 to 4). Names of times are not kept.
///
/// All times are seconds since 1970 in UTC, all offsets seconds east of UTC.
package struct TimeZoneFile: Sendable, Equatable {
    package let firstOffset: Int64
    /// The instants from which on another type of time is in force, in ascending order.
    package let transitions: [Transition]
    /// The rule from the last transition on; nil if its offset stays.
    package let rule: TimeZoneRule?

    package struct Transition: Sendable, Equatable {
        package let time: Int64
        /// The offset from `time` on, which may be equal to that before.
        package let offset: Int64

        package init(time: Int64, offset: Int64) { (self.time, self.offset) = (time, offset) }
    }

    /// The reason why a file is no usable time zone.
    package enum Failure: Error, Sendable, Equatable {
        /// The file does not begin as a TZif file does.
        case otherFormat
        case unknownVersion(UInt8)
        /// The file ends too early, or goes on after its end.
        case wrongLength
        /// A number of entries, an index or an offset is outside of its range.
        case outOfRange
        /// A transition is not later than the one before it.
        case unordered
        /// The text at the end is no POSIX TZ string with rules.
        case badRule
        /// The file counts leap seconds, which instants of ours do not.
        case leapSeconds
        /// The file is larger than `maximumBytes`.
        case tooLarge
        /// The system's error number.
        case unreadable(Int32)
    }

    /// The size limit in bytes. The largest file of IANA's has 4 KB.
    package static let maximumBytes = 1 << 20

    /// The first bytes of a file, and of each of its headers.
    static let magic = Array("TZif".utf8)

    /// The range of offsets that RFC 9636 recommends, in seconds: less than 25 hours west, less than 26 hours east.
    private static let offsets: ClosedRange<Int32> = -89_999...93_599

    /// Reads the bytes of a file.
    ///
    /// - Throws: A `Failure` other than `unreadable` if any of them that matters is wrong.
    package init(_ bytes: [UInt8]) throws(Failure) {
        guard bytes.starts(with: Self.magic) else { throw .otherFormat }
        guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
        var reader = ByteReader(bytes)
        var header = try Header(&reader)
        let version = header.version
        guard version > 0 else {
            (firstOffset, transitions) = try Self.block(header, timeBytes: 4, &reader)
            rule = nil
            guard reader.isAtEnd else { throw .wrongLength }
            return
        }
        // The first block is for readers that know version 1 only.
        _ = try reader.take(header.blockBytes(timeBytes: 4))
        header = try Header(&reader)
        guard header.version == version else { throw .unknownVersion(header.version) }
        (firstOffset, transitions) = try Self.block(header, timeBytes: 8, &reader)
        rule = try Self.footer(&reader)
    }

    private static func block(
        _ header: Header, timeBytes: Int, _ reader: inout ByteReader
    ) throws(Failure) -> (firstOffset: Int64, transitions: [Transition]) {
        guard header.leapSeconds == 0 else { throw .leapSeconds }
        // An index has one byte.
        guard (1...256).contains(header.types), header.nameBytes > 0 else { throw .outOfRange }
        let times = try reader.take(header.times * timeBytes)
        let indices = try reader.take(header.times)
        let types = try reader.take(header.types * 6)
        _ = try reader.take(header.blockBytes(timeBytes: timeBytes) - times.count - indices.count - types.count)
        var offsets: [Int64] = []
        for start in stride(from: types.startIndex, to: types.endIndex, by: 6) {
            let offset = Int32(bitPattern: UInt32(truncatingIfNeeded: types[start..<start + 4].bigEndian))
            guard Self.offsets.contains(offset), types[start + 4] <= 1, types[start + 5] < header.nameBytes else {
                throw .outOfRange
            }
            offsets.append(Int64(offset))
        }
        var transitions: [Transition] = []
        transitions.reserveCapacity(header.times)
        for (place, index) in indices.enumerated() {
            guard index < offsets.count else { throw .outOfRange }
            let start = times.startIndex + place * timeBytes
            let bits = times[start..<start + timeBytes].bigEndian
            let time = timeBytes == 8 ? Int64(bitPattern: bits) : Int64(Int32(truncatingIfNeeded: bits))
            if let last = transitions.last, time <= last.time { throw .unordered }
            transitions.append(Transition(time: time, offset: offsets[Int(index)]))
        }
        return (offsets[0], transitions)
    }

    /// Reads the line of text at the end of a file.
    private static func footer(_ reader: inout ByteReader) throws(Failure) -> TimeZoneRule? {
        let newline = UInt8(ascii: "\n")
        let line = try reader.take(reader.remaining)
        guard line.count >= 2, line.first == newline, line.last == newline else { throw .wrongLength }
        let text = line.dropFirst().dropLast()
        guard !text.isEmpty else { return nil }
        guard let rule = TimeZoneRule(text) else { throw .badRule }
        return rule
    }
}

extension TimeZoneFile.Failure: CustomStringConvertible {
    /// The rest of a sentence that begins with the file.
    package var description: String {
        switch self {
        case .otherFormat: "is no compiled time zone"
        case .unknownVersion: "is of a version that RFC 9636 does not know"
        case .wrongLength: "ends too early or too late"
        case .outOfRange: "has a number out of its range"
        case .unordered: "has instants in the wrong order"
        case .badRule: "has a rule for the future that cannot be read"
        case .leapSeconds: "counts leap seconds"
        case .tooLarge: "is larger than 1 MiB"
        case .unreadable(let code): "cannot be read: \(String(cString: strerror(code)))"
        }
    }
}

/// The 44 bytes before a block: the version and the numbers of its entries.
private struct Header {
    /// 0 for version 1, or the digit in ASCII.
    let version: UInt8
    let leapSeconds: Int
    let times: Int
    let types: Int
    let nameBytes: Int
    /// The numbers of flags for each type, which only tell how the file was made.
    private let flags: Int

    init(_ reader: inout ByteReader) throws(TimeZoneFile.Failure) {
        guard try reader.take(4).elementsEqual(TimeZoneFile.magic) else { throw .otherFormat }
        version = try reader.take(1).first ?? 0
        guard version == 0 || (UInt8(ascii: "2")...UInt8(ascii: "4")).contains(version) else {
            throw .unknownVersion(version)
        }
        _ = try reader.take(15)
        var counts: [Int] = []
        for _ in 0..<6 { counts.append(Int(truncatingIfNeeded: try reader.take(4).bigEndian)) }
        // A block of a file has at most its bytes, so that no sum or product of these overflows.
        guard counts.allSatisfy({ $0 <= TimeZoneFile.maximumBytes }) else { throw .outOfRange }
        (leapSeconds, times, types, nameBytes) = (counts[2], counts[3], counts[4], counts[5])
        flags = counts[0] + counts[1]
        guard counts[..<2].allSatisfy([0, types].contains) else { throw .outOfRange }
    }

    /// The number of bytes of the block, whose times have 4 or 8 of them.
    func blockBytes(timeBytes: Int) -> Int {
        times * (timeBytes + 1) + types * 6 + nameBytes + leapSeconds * (timeBytes + 4) + flags
    }
}

/// Takes bytes from the front.
private struct ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var remaining: Int { bytes.count - position }
    var isAtEnd: Bool { remaining == 0 }

    /// Takes a number of bytes, which must not be negative.
    mutating func take(_ count: Int) throws(TimeZoneFile.Failure) -> ArraySlice<UInt8> {
        guard count <= remaining else { throw .wrongLength }
        defer { position += count }
        return bytes[position..<position + count]
    }
}

extension ArraySlice<UInt8> {
    /// The number that up to eight bytes are, with the most significant one first.
    fileprivate var bigEndian: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
