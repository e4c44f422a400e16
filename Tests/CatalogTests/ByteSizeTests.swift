import GarnerCatalog
import Testing

struct ByteSizeTests {
    @Test(arguments: [
        ("64MiB", 64 << 20), ("10MB", 10_000_000), ("1024", 1024), ("0", 0), ("5B", 5), ("2kB", 2000), ("2 KiB", 2048),
        ("1GiB", 1 << 30), ("9223372036854775807", Int.max),
    ])
    func `a size reads as bytes`(text: String, expected: Int) throws {
        #expect(try ByteSize.parse(text) == expected)
    }

    @Test(arguments: [
        ("-1", ByteSize.ParseError.negative), ("64M", .unknownUnit("M")), ("64mb", .unknownUnit("mb")),
        ("", .malformed),
        ("MiB", .malformed), ("1.5MiB", .malformed), ("9223372036854775808", .outOfRange), ("9000000TiB", .outOfRange),
        ("١MB", .malformed), ("1MB1", .malformed),
    ])
    func `what is no size says why`(text: String, expected: ByteSize.ParseError) {
        #expect(throws: expected) { try ByteSize.parse(text) }
    }

    @Test(arguments: [
        (64 << 20, "64MiB"), (10_000_000, "10MB"), (1000, "1kB"), (1023, "1023"), (0, "0"), (1 << 40, "1TiB"),
    ])
    func `a size prints with the largest exact unit`(bytes: Int, expected: String) {
        #expect(ByteSize.format(bytes) == expected)
    }
}
