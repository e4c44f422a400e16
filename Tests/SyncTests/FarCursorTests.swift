import GarnerCatalog
import GarnerModel
import TestSupport
import Testing

@testable import GarnerSync

/// Cursors that no change can have reached, such as the 9999-12-31 that stands for "never".
@Suite(.timeLimit(.minutes(2)))
struct FarCursorTests {
    private static let incremental = Incremental(cursorField: "at")

    @Test(arguments: [
        ("9999-12-31 00:00:00", true), ("31.12.9999", true), ("12/31/2999 12:00 AM", true),
        ("2028-01-01 00:00:00", true),
        ("99991231", true), ("253402300799", true), ("253402300799999", true), ("253402300799.0", true),
        // A year that may be right, an id, a name, and times that the end of a read limits anyway.
        ("2027-12-31 00:00:00", false), ("1999-12-31 9999", false), ("5000", false), ("5000.25", false),
        ("-5000", false),
        ("253402300800", false), ("order 5000", false), ("mole", false), ("", false), ("9999-12-31", false),
        ("9999-12-31T00:00:00Z", false), ("12345678901234567890123", false),
    ])
    func `a value is too late for a cursor where its year is, or if it is a number for the end of time`(
        text: String, isFar: Bool
    ) {
        let horizon = CursorHorizon(SyncRig.epoch)
        #expect(horizon.excludes(CursorValue(text, of: Self.incremental)) == isFar)
    }

    @Test(arguments: [
        ("rfc3339", "9999-12-31T00:00:00Z", true), ("rfc3339", "9999-12-31", true), ("epoch", "253402300799", true),
        ("epoch_ms", "253402300799999", true), ("%Y%m%d", "99991231", true), ("%d.%m.%Y", "31.12.9999", true),
        // A clock that is ahead, and times of long ago.
        ("rfc3339", "9998-12-31T23:59:59Z", false), ("epoch", "253370764799", false), ("epoch", "99991231", false),
        ("epoch_ms", "253402300799", false),
    ])
    func `a time of the year 9999 stands for never in each format`(format: String, text: String, isNever: Bool) throws {
        var incremental = Self.incremental
        incremental.cursorFormats = [try #require(DatetimeFormat(format))]
        #expect(CursorHorizon(SyncRig.epoch).isNever(CursorValue(text, of: incremental)) == isNever)
    }

    private static func reply(_ cursors: [String]) -> LoopbackReply {
        .json("[" + cursors.enumerated().map { #"{"id":\#($0),"at":"\#($1)"}"# }.joined(separator: ",") + "]")
    }

    private static func stream(_ rig: SyncRig) -> StreamConfiguration {
        rig.stream {
            $0.request.params = [.init(name: "since", value: .literal("{incremental.start_value}"))]
            $0.incremental = incremental
        }
    }

    @Test(arguments: [
        ["2025-01-01 00:00:00", "9999-12-31 00:00:00"], ["2025-01-01T00:00:00Z", "9999-12-31T00:00:00Z"],
    ])
    func `a record that is valid for ever does not move the cursor`(cursors: [String]) async throws {
        try await SyncRig.run({ _ in Self.reply(cursors) }) { rig in
            let record = try #require(try await rig.sync(Self.stream(rig)).record)
            #expect(record.warning == nil)
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == [cursors[0]])
        }
    }

    @Test func `a cursor that an earlier version moved too far is not asked for again`() async throws {
        let cursors = Watched(["2025-01-01 00:00:00"])
        try await SyncRig.run({ _ in Self.reply(cursors.value) }) { rig in
            _ = try await rig.sync(Self.stream(rig))
            try rig.alter("UPDATE _garner_cursors SET value = '9999-12-31 00:00:00'")
            cursors.value.append("2025-06-01 00:00:00")
            _ = try await rig.sync(Self.stream(rig))
            #expect(rig.server.requests.map(\.target) == ["/animals", "/animals"])
            #expect(try rig.texts("SELECT value FROM _garner_cursors") == ["2025-06-01 00:00:00"])
        }
    }

    @Test func `each read that has only such values says so`() async throws {
        try await SyncRig.run({ _ in Self.reply(["9999-12-31 00:00:00", "31.12.9999 00:00"]) }) { rig in
            for _ in 1...2 {
                let warning = try #require(try await rig.sync(Self.stream(rig)).record?.warning)
                #expect(warning.contains("such as '9999-12-31 00:00:00'; set cursor_datetime_format"))
            }
            #expect(try rig.integers("SELECT count(*) FROM _garner_cursors") == [0])
        }
    }
}
