import GarnerCatalog

/// The content of a compiled time zone file, byte by byte.
struct CompiledZone {
    /// The first two bytes of each header after its magic: the second is used from version 2 on.
    var versions: [UInt8] = Array("22".utf8)
    var magic = "TZif"
    var transitions: [(time: Int64, type: UInt8)] = []
    var types: [(offset: Int32, isDaylight: UInt8, name: UInt8)] = [(3600, 0, 0)]
    var names: [UInt8] = Array("CET\0".utf8)
    var leapSeconds = 0
    var flags: (universal: Int, standard: Int) = (0, 0)
    var footer = "\n\n"
    /// Other numbers in the last header than there are entries, by their place.
    var counts: [Int: UInt32] = [:]

    /// Berlin from 1996 on: transitions of that year, and the rule.
    static let berlin = CompiledZone(
        transitions: [(828_234_000, 1), (846_378_000, 2)],
        types: [(3208, 0, 0), (7200, 1, 4), (3600, 0, 9)], names: Array("LMT\0CEST\0CET\0".utf8), flags: (3, 3),
        footer: "\nCET-1CEST,M3.5.0,M10.5.0/3\n")

    var bytes: [UInt8] {
        if versions == [0] { return block(version: 0, timeBytes: 4, self) }
        // The first block is another zone's, which a reader of the second must not see.
        let old = CompiledZone(
            transitions: [(0, 1), (86_400, 0)], types: [(60, 0, 0), (120, 1, 0)], names: Array("OLD\0".utf8),
            leapSeconds: leapSeconds, flags: (2, 0))
        return block(version: versions[0], timeBytes: 4, old) + block(version: versions[1], timeBytes: 8, self)
            + Array(footer.utf8)
    }

    private func block(version: UInt8, timeBytes: Int, _ zone: CompiledZone) -> [UInt8] {
        func number(_ value: some FixedWidthInteger, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        var counts = [
            zone.flags.universal, zone.flags.standard, zone.leapSeconds, zone.transitions.count, zone.types.count,
            zone.names.count,
        ].map { UInt32($0) }
        for (place, count) in zone.counts { counts[place] = count }
        var bytes = Array(zone.magic.utf8) + [version] + [UInt8](repeating: 0, count: 15)
        bytes += counts.flatMap { number($0, 4) }
        bytes += zone.transitions.flatMap { number($0.time, timeBytes) } + zone.transitions.map(\.type)
        bytes += zone.types.flatMap { number($0.offset, 4) + [$0.isDaylight, $0.name] } + zone.names
        let rest = zone.leapSeconds * (timeBytes + 4) + zone.flags.universal + zone.flags.standard
        return bytes + [UInt8](repeating: 0, count: rest)
    }

    /// The zone whose only content is a rule, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    static func zone(ruledBy rule: String) throws -> Zone {
        Zone(try TimeZoneFile(CompiledZone(footer: "\n\(rule)\n").bytes))
    }
}
