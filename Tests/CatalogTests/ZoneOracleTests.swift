import GarnerCatalog
import Foundation
import Testing

/// Every zone of this machine beside Foundation's, which has ICU's data.
///
/// Since 1970 all say the same if both data are of one version; before that, systems differ in whether a zone that has been
/// like a larger one since 1970 has a history of its own. The zones that are listed in `zone1970.tab` are the larger ones.
struct ZoneOracleTests {
    /// The zones that may differ between two versions of the data. A release of IANA's changes fewer.
    private static let tolerance = 20

    private static let path = ZoneFolder.system.path ?? ""

    /// The version of this machine's data, such as 2025b; nil if it does not tell.
    private static var version: String? {
        let lines = ["tzdata.zi", "+VERSION"].lazy.compactMap {
            try? String(contentsOfFile: "\(path)/\($0)", encoding: .utf8).split(separator: "\n").first
        }
        return lines.first.map { String($0).replacing("# version ", with: "") }
    }

    private static var largerZones: [String] {
        let table = (try? String(contentsOfFile: "\(path)/zone1970.tab", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .compactMap { $0.split(separator: "\t").dropFirst(2).first.map(String.init) }
    }

    @Test func `every zone has the offsets of Foundation's since 1970`() throws {
        let names = ZoneFolder.system.names()
        #expect(names.count > 300)
        let differing = try differences(of: names, from: 0, to: 4_102_444_800)
        expectFew(differing)
        #expect(TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") && ZoneName($0) == nil }.count <= 5)
    }

    @Test func `the larger zones have the offsets of Foundation's since 1900`() throws {
        let names = Self.largerZones
        #if os(Linux)
            #expect(names.count > 250)
        #endif
        expectFew(try differences(of: names, from: -2_208_988_800, to: 0))
    }

    @Test(arguments: [
        "Europe/Dublin", "Africa/Casablanca", "America/Scoresbysund", "America/Nuuk", "Australia/Lord_Howe",
        "America/New_York", "Australia/Sydney", "America/Santiago", "Asia/Gaza", "Antarctica/Troll", "Europe/Berlin",
    ])
    func `the years until 2600 have the offsets of Foundation's`(name: String) throws {
        let differing = try differences(of: [name], from: 4_102_444_800, to: 19_880_899_200)
        if Self.isSameVersion { #expect(differing.isEmpty) }
    }

    private static var isSameVersion: Bool { version == TimeZone.timeZoneDataVersion }

    private func expectFew(_ differing: [String]) {
        let limit = Self.isSameVersion ? 0 : Self.tolerance
        #expect(differing.count <= limit, "\(differing)")
    }

    /// Returns a line for each zone that says something else at one of these instants: every ten days, and around each
    /// change of either.
    private func differences(of names: [String], from start: Int64, to end: Int64) throws -> [String] {
        try names.compactMap { name in
            let zone = try #require(ZoneName(name)).table
            guard let theirs = TimeZone(identifier: name) else { return nil }
            var instants = Array(stride(from: start, to: end, by: 864_000))
            var span = zone.span(at: start)
            while span.end < end {
                instants += [span.end - 1, span.end]
                span = zone.span(at: span.end)
            }
            var date = Date(timeIntervalSince1970: TimeInterval(start))
            while let next = theirs.nextDaylightSavingTimeTransition(after: date), next > date,
                next.timeIntervalSince1970 < TimeInterval(end)
            {
                let second = Int64(next.timeIntervalSince1970)
                instants += [second - 1, second]
                date = next
            }
            let first = instants.first { second in
                let offset = theirs.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(second)))
                return Int64(offset) != zone.offset(at: second)
            }
            return first.map { "\(name) at \($0)" }
        }
    }
}
