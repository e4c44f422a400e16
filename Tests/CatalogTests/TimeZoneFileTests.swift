import GarnerCatalog
import Testing

struct TimeZoneFileTests {
    @Test func `a file of version 1 has times of four bytes, and no rule`() throws {
        var zone = CompiledZone.berlin
        zone.versions = [0]
        zone.transitions.insert((-2_147_483_648, 2), at: 0)
        let file = try TimeZoneFile(zone.bytes)
        #expect(file.firstOffset == 3208 && file.rule == nil)
        #expect(
            file.transitions == [
                .init(time: -2_147_483_648, offset: 3600), .init(time: 828_234_000, offset: 7200),
                .init(time: 846_378_000, offset: 3600),
            ])
    }

    @Test(arguments: ["2", "3", "4"])
    func `from version 2 on, the second block and the rule count`(version: String) throws {
        var zone = CompiledZone.berlin
        zone.versions = Array((version + version).utf8)
        zone.transitions.insert((-5_000_000_000, 2), at: 0)
        let file = try TimeZoneFile(zone.bytes)
        #expect(file.firstOffset == 3208)
        #expect(file.transitions.first == .init(time: -5_000_000_000, offset: 3600))
        #expect(file.transitions.count == 3)
        #expect(file.rule == TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3".utf8))
    }

    @Test func `a file that ends early is refused, wherever it ends`() throws {
        let bytes = CompiledZone.berlin.bytes
        _ = try TimeZoneFile(bytes)
        for length in bytes.indices {
            #expect(throws: length < 4 ? TimeZoneFile.Failure.otherFormat : .wrongLength) {
                try TimeZoneFile(Array(bytes[..<length]))
            }
        }
    }

    private struct WrongFile: Sendable {
        let failure: TimeZoneFile.Failure
        let change: @Sendable (inout CompiledZone) -> Void

        init(_ failure: TimeZoneFile.Failure, _ change: @escaping @Sendable (inout CompiledZone) -> Void) {
            (self.failure, self.change) = (failure, change)
        }
    }

    private static let wrongFiles: [WrongFile] = [
        WrongFile(.otherFormat) { $0.magic = "TZIF" },
        WrongFile(.unknownVersion(UInt8(ascii: "1"))) { $0.versions = Array("11".utf8) },
        WrongFile(.unknownVersion(UInt8(ascii: "5"))) { $0.versions = Array("55".utf8) },
        WrongFile(.unknownVersion(UInt8(ascii: "3"))) { $0.versions = Array("23".utf8) },
        WrongFile(.unknownVersion(0)) { $0.versions = [UInt8(ascii: "2"), 0] },
        WrongFile(.outOfRange) { $0.transitions[1].type = 3 },
        WrongFile(.outOfRange) { $0.transitions[0].type = 255 },
        WrongFile(.unordered) { $0.transitions[1].time = $0.transitions[0].time },
        WrongFile(.unordered) { $0.transitions[1].time = .min },
        WrongFile(.outOfRange) { $0.types[0].offset = .min },
        WrongFile(.outOfRange) { $0.types[2].offset = 93_600 },
        WrongFile(.outOfRange) { $0.types[2].offset = -90_000 },
        WrongFile(.outOfRange) { $0.types[1].isDaylight = 2 },
        WrongFile(.outOfRange) { $0.types[1].name = 13 },
        WrongFile(.leapSeconds) { $0.leapSeconds = 27 },
        WrongFile(.outOfRange) { $0.flags = (1, 3) },
        WrongFile(.outOfRange) { $0.flags = (3, 4) },
        WrongFile(.outOfRange) { ($0.types, $0.transitions, $0.flags) = ([], [], (0, 0)) },
        WrongFile(.outOfRange) { $0.names = [] },
        WrongFile(.outOfRange) { $0.counts[3] = .max },
        WrongFile(.outOfRange) { $0.counts[4] = .max },
        WrongFile(.outOfRange) { $0.counts[5] = .max },
        WrongFile(.wrongLength) { $0.counts[3] = 1 << 20 },
        WrongFile(.wrongLength) { $0.counts[5] = 1 << 20 },
        WrongFile(.wrongLength) { $0.counts[5] = 14 },
        WrongFile(.wrongLength) { $0.footer = "\nCET-1" },
        WrongFile(.wrongLength) { $0.footer = "\n" },
        WrongFile(.wrongLength) { $0.footer = "" },
        WrongFile(.wrongLength) { $0.footer = "CET-1\n" },
        WrongFile(.wrongLength) { $0.footer += "x" },
        WrongFile(.badRule) { $0.footer = "\nCET-1\n\n" },
        WrongFile(.badRule) { $0.footer = "\nCET-1\0\n" },
        WrongFile(.badRule) { $0.footer = "\nCET-1CEST\n" },
        WrongFile(.tooLarge) { $0.names += [UInt8](repeating: 0, count: 1 << 20) },
    ]

    @Test(arguments: wrongFiles.indices)
    func `a wrong file is refused with the reason`(index: Int) {
        var zone = CompiledZone.berlin
        Self.wrongFiles[index].change(&zone)
        #expect(throws: Self.wrongFiles[index].failure) { try TimeZoneFile(zone.bytes) }
    }

    @Test func `whatever one byte is, the table has all times`() {
        let bytes = CompiledZone.berlin.bytes
        var accepted = 0
        for place in bytes.indices {
            for value in [0, 0x39, 0x80, 0xff] as [UInt8] {
                var changed = bytes
                changed[place] = value
                guard let file = try? TimeZoneFile(changed) else { continue }
                accepted += 1
                expectAllTimes(in: Zone(file))
            }
        }
        #expect(accepted > 100)
    }

    @Test func `times that no calendar has are no trap`() throws {
        var zone = CompiledZone.berlin
        zone.transitions = [(.min, 1), (-(1 << 60), 2), (0, 1), (1 << 60, 2), (.max, 1)]
        let table = Zone(try TimeZoneFile(zone.bytes))
        #expect(table.offset(at: -1) == 3600 && table.offset(at: 0) == 7200)
        // The file goes on beyond the table, so that its rule begins after it.
        #expect(table.offset(at: 253_402_300_799) == 7200)
        expectAllTimes(in: table)
        zone.transitions = [(.min, 1)]
        expectAllTimes(in: Zone(try TimeZoneFile(zone.bytes)))
        zone.transitions = []
        expectAllTimes(in: Zone(try TimeZoneFile(zone.bytes)))
    }

    @Test func `spans have no ends between them, and no span without a change`() throws {
        let table = Zone(try TimeZoneFile(CompiledZone.berlin.bytes))
        #expect(table.span(at: 828_233_999).offset == 3208)
        #expect(table.span(at: 828_234_000).change == 7200 - 3208)
        // Last Sunday of March 1997.
        #expect(table.span(at: 846_378_000) == table.span(at: 859_683_599))
        #expect(table.span(at: 846_378_000).end == 859_683_600)
        #expect(table.span(at: 859_683_600).offset == 7200)
        expectAllTimes(in: table)
    }

    /// Walks over the spans of the years 0 to 9999.
    private func expectAllTimes(in table: Zone) {
        var (second, steps) = (Int64(-62_167_219_200), 0)
        var offset = table.span(at: second).offset
        while second < 253_402_300_800, steps < 3000 {
            let span = table.span(at: second)
            let isFirst = steps == 0 || span.offset != offset && span.offsetBefore == offset
            guard span.start <= second, span.end > second, isFirst, table.span(at: span.end - 1) == span else {
                Issue.record("\(span) at \(second)")
                return
            }
            (second, offset, steps) = (span.end, span.offset, steps + 1)
        }
        for second in [Int64.min / 1000, Int64.max / 1000] {
            let span = table.span(at: second)
            #expect(span.start <= second && span.end > second)
        }
    }
}
