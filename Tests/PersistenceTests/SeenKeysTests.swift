import GarnerDigest
import GarnerModel
import Testing

@testable import GarnerPersistence

struct SeenKeysTests {
    @Test func `a fingerprint has 32 digits, which are read again`() {
        #expect(
            Fingerprint(of: UnsafeRawBufferPointer(start: nil, count: 0)).text == "99aa06d3014798d86001c324468d497f")
        #expect(Fingerprint.zero.text == String(repeating: "0", count: 32))
        // One in 16 begins with a zero.
        for number in 0..<300 {
            let fingerprint = withUnsafeBytes(of: number) { Fingerprint(of: $0) }
            #expect(fingerprint.text.utf8.count == 32 && Fingerprint(text: fingerprint.text) == fingerprint)
        }
    }

    private static func key(_ number: Int64, isText: Bool = false) -> RecordKey {
        let fingerprint = withUnsafeBytes(of: number) { Fingerprint(of: $0) }
        return RecordKey(fingerprint: fingerprint, integer: isText ? nil : number)
    }

    /// The numbers below 3001 in no order.
    private static let shuffled = (0..<3001 as Range<Int64>).map { $0 * 1009 % 3001 }

    @Test(arguments: [1, 64, 1 << 20], [0, 1000, 3001])
    func `keys are found among others, also when numbers have become texts`(step: Int64, numbers: Int) {
        var keys = SeenKeys()
        for (place, number) in Self.shuffled.enumerated() {
            let key = Self.key((number - 1500) * step, isText: place >= numbers)
            #expect(!keys.contains(key))
            keys.insertAnyway(key)
            #expect(keys.contains(key))
        }
        for (place, number) in Self.shuffled.enumerated() {
            #expect(keys.contains(Self.key((number - 1500) * step, isText: place >= numbers)))
        }
        #expect(!keys.areUnclear)
    }

    private static let rising = (0..<3000 as Range<Int64>).map { $0 << 20 }

    private static let lists: [(String, keys: [Int64], isText: Bool, tell: Bool)] = [
        ("neighbours in no order", shuffled, false, true),
        ("neighbours, and one again", shuffled + [17], false, false),
        ("rising", rising, false, true),
        ("falling", rising.reversed(), false, true),
        ("rising, and the last one again", rising + rising.suffix(1), false, false),
        ("rising, and an early one again", rising + [5 << 20], false, false),
        ("rising, and one in between", rising + [5 << 20 | 1], false, false),
        ("rising, and falling", rising + rising.map { -1 - $0 }, false, false),
        ("few, and one again", [1 << 20, 3 << 20, 2 << 20, 3 << 20], false, false),
        ("few in no order", [1 << 20, 3 << 20, 2 << 20], false, true),
        ("far apart in no order", shuffled.map { $0 << 20 }, false, false),
        ("texts", rising, true, false),
        ("few texts", [3, 1, 2], true, true),
    ]

    @Test(arguments: lists)
    func `more keys than the memory has room for tell if they are neighbours or come in order`(
        name: String, keys: [Int64], isText: Bool, tell: Bool
    ) {
        var seen = SeenKeys(mostBytes: 16 << 10)
        for key in keys { seen.add(Self.key(key, isText: isText)) }
        #expect(seen.areUnclear != tell)
    }

    @Test(arguments: [2999, 2950, 3100])
    func `a record on two pages is found among more keys than the memory has room for`(again: Int64) {
        var keys = RepeatedKeys()
        keys.mostBytes = 16 << 10
        func store(_ page: [Int64]) -> RepeatedKeys.Finding {
            keys.beginPage(numbered: 1)
            for (place, key) in page.enumerated() {
                keys.add(Self.key(key, isText: true), at: place, isNew: false, isUpdate: false)
            }
            return keys.endPage()
        }
        for page in 0..<30 as Range<Int64> {
            #expect(store(Array(page * 100..<page * 100 + 100)).crossingPlace == nil)
        }
        #expect(keys.isUncounted)
        #expect(store([3000, again]).crossingPlace == (again < 3000 ? 1 : nil))
    }
}
