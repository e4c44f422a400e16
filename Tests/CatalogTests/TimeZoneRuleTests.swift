import GarnerCatalog
import GarnerModel
import Testing

struct TimeZoneRuleTests {
    /// The changes of a year: the instants with the offsets from then on, in minutes.
    @Test(
        arguments: [
            (
                "CET-1CEST,M3.5.0,M10.5.0/3", 2026,
                [("2026-03-29T01:00:00Z", 120), ("2026-10-25T01:00:00Z", 60)]
            ),
            (
                "EST5EDT,M3.2.0,M11.1.0", 2400,
                [("2400-03-12T07:00:00Z", -240), ("2400-11-05T06:00:00Z", -300)]
            ),
            // In the south, the year begins with summer.
            (
                "AEST-10AEDT,M10.1.0,M4.1.0/3", 2026,
                [("2026-04-04T16:00:00Z", 600), ("2026-10-03T16:00:00Z", 660)]
            ),
            // Half an hour.
            (
                "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026,
                [("2026-04-04T15:00:00Z", 630), ("2026-10-03T15:30:00Z", 660)]
            ),
            // Winter time is what is saved.
            (
                "IST-1GMT0,M10.5.0,M3.5.0/1", 2026,
                [("2026-03-29T01:00:00Z", 60), ("2026-10-25T01:00:00Z", 0)]
            ),
            // Hours before the day: Nuuk and Scoresbysund.
            (
                "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026,
                [("2026-03-29T01:00:00Z", -60), ("2026-10-25T01:00:00Z", -120)]
            ),
            // Hours after the day: Gaza, Santiago.
            (
                "EET-2EEST,M3.4.4/50,M10.4.4/50", 2026,
                [("2026-03-28T00:00:00Z", 180), ("2026-10-23T23:00:00Z", 120)]
            ),
            (
                "<-04>4<-03>,M9.1.6/24,M4.1.6/24", 2026,
                [("2026-04-05T03:00:00Z", -240), ("2026-09-06T04:00:00Z", -180)]
            ),
            ("<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", 2026, [("2026-03-29T01:00:00Z", 120), ("2026-10-25T01:00:00Z", 0)]),
            // Days of the year without 29 February, and with it. The usual time is 02:00.
            ("AAA0BBB,J59,J60", 2024, [("2024-02-28T02:00:00Z", 60), ("2024-03-01T01:00:00Z", 0)]),
            ("AAA0BBB,J59,J60", 2026, [("2026-02-28T02:00:00Z", 60), ("2026-03-01T01:00:00Z", 0)]),
            ("AAA0BBB,59,60", 2024, [("2024-02-29T02:00:00Z", 60), ("2024-03-01T01:00:00Z", 0)]),
            ("AAA0BBB,59,60", 2026, [("2026-03-01T02:00:00Z", 60), ("2026-03-02T01:00:00Z", 0)]),
            ("AAA0BBB,J1/0:30:15,J365/-167", 2026, [("2026-01-01T00:30:15Z", 60), ("2026-12-24T00:00:00Z", 0)]),
            // A month that begins with the weekday, and one whose fourth is its last.
            ("AAA0BBB,M2.1.0/0,M2.5.6/0", 2026, [("2026-02-01T00:00:00Z", 60), ("2026-02-27T23:00:00Z", 0)]),
            ("AAA0BBB,M12.5.4/0,J365/23", 2026, [("2026-12-31T00:00:00Z", 60), ("2026-12-31T22:00:00Z", 0)]),
            // The other time is in force for all the year, or never.
            ("XXX3EDT4,0/0,J365/23", 2026, []),
            ("AAA0BBB,J1/0,J365/25", 2026, []),
            ("AAA0BBB0,M3.5.0,M10.5.0", 2026, []),
            ("<+03>-3", 2026, []),
        ] as [(String, Int64, [(String, Int64)])])
    func `a rule has the changes of a year`(rule: String, year: Int64, expected: [(String, Int64)]) throws {
        let zone = try CompiledZone.zone(ruledBy: rule)
        let first = try #require(CivilDate(year: year, month: 1, day: 1).daysSince1970) * 86_400
        let last = try #require(CivilDate(year: year + 1, month: 1, day: 1).daysSince1970) * 86_400
        var changes: [(String, Int64)] = []
        var span = zone.span(at: first)
        while span.end < last {
            span = zone.span(at: span.end)
            changes.append((seconds(span.start), span.offset / 60))
        }
        #expect(changes.map(\.0) == expected.map(\.0) && changes.map(\.1) == expected.map(\.1), "\(changes)")
        // A time that is in force all the year is so in each.
        if expected.isEmpty { #expect(zone.span(at: first) == zone.span(at: 0)) }
    }

    @Test(arguments: [
        ("XXX3EDT4,0/0,J365/23", -240), ("AAA0BBB,J1/0,J365/25", 60), ("<+03>-3", 180), ("ABC-0:00:30", 0),
    ])
    func `a time without changes is that of all years`(rule: String, minutes: Int64) throws {
        let zone = try CompiledZone.zone(ruledBy: rule)
        for second in [-62_000_000_000, 0, 4_000_000_000, 16_725_225_600, 253_402_300_799] as [Int64] {
            #expect(zone.offset(at: second) / 60 == minutes)
        }
    }

    @Test func `a rule counts from the last transition on`() throws {
        var compiled = CompiledZone.berlin
        // The last transition is in summer, and the rule goes on with winter.
        compiled.transitions.removeLast()
        let zone = Zone(try TimeZoneFile(compiled.bytes))
        #expect(seconds(zone.span(at: 828_234_000).end) == "1996-10-27T01:00:00Z")
        // A rule that contradicts it counts from then on, too.
        compiled.footer = "\n<+03>-3\n"
        let other = Zone(try TimeZoneFile(compiled.bytes))
        #expect(other.offset(at: 828_233_999) == 3208 && other.offset(at: 828_234_000) == 10_800)
        // Without a rule, the last transition's offset stays.
        compiled.footer = "\n\n"
        #expect(Zone(try TimeZoneFile(compiled.bytes)).offset(at: 253_402_300_799) == 7200)
    }

    @Test(arguments: [
        "CE-1", "C", "CET", "CET-", "CET-1C", "CET-1CEST", "CET-1CEST-2", "CET-25", "CET-1:60", "CET-1:00:60",
        "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-1CEST,M3.5.0,M10.5.0/3,",
        "CET-1CEST,M3.5.0,M10.5.0/", "CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,M3.5.0,M10.5.0/-168",
        "CET-1CEST,M0.5.0,M10.5.0",
        "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
        "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,J0,J365", "CET-1CEST,J366,J365", "CET-1CEST,366,0", "<+03-3", "<+0>-3",
        "<+03>", "+03-3", "CET-1CEST,M3.5.0 ,M10.5.0", "CET-1 ", ":Europe/Berlin", "CET-1\u{e9}",
        "CET-99999999999999999999", "CET-1CEST,M99999999999999999999.5.0,M10.5.0",
    ])
    func `a text that is no rule is refused`(text: String) {
        #expect(TimeZoneRule(text.utf8) == nil)
    }

    private func seconds(_ second: Int64) -> String {
        "\(Timestamp(millisecondsSince1970: second * 1000))".replacing(".000Z", with: "Z")
    }
}
