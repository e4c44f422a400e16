import Foundation
import GarnerJSON
import TestSupport
import Testing

@testable import GarnerFetcher
import GarnerLibC

struct BodyBufferTests {
    private static let most = 1 << 18

    /// Random bytes, so that no two pieces are alike.
    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SplitMix64(seed: 7)
        return (0..<count / 8 + 1).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }.dropLast(
            8 - count % 8)
    }

    enum Place: CaseIterable { case folder, noFolder, missingFolder, fullDisk }

    @Test(arguments: Place.allCases, [0, 1, most - 1, most, most + 1, 2 * most + 17])
    func `a body buffer returns the bytes that it was given`(place: Place, count: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = Self.bytes(count)
        var buffer = BodyBuffer(expecting: 0, maximum: Self.most) {
            switch place {
            case .folder: TemporaryFile(in: ["/no/such/folder", folder.url.path])
            case .noFolder: nil
            case .missingFolder: TemporaryFile(in: ["/no/such/folder"])
            case .fullDisk: TemporaryFile(open("/dev/full", O_RDWR | O_CLOEXEC))
            }
        }
        for start in stride(from: 0, to: count, by: 60_000) {
            bytes[start..<min(start + 60_000, count)].withUnsafeBytes { buffer.append($0) }
        }
        #expect(buffer.count == count)
        let whole = try buffer.whole()
        #expect(whole.withUnsafeBytes { $0.elementsEqual(bytes) })
    }

    @Test func `a long body leaves the memory, and its file has no name`() throws {
        let folder = try TemporaryFolder()
        let file = try #require(TemporaryFile(in: [folder.url.path]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
        var buffer = BodyBuffer(expecting: 1 << 40) { file }
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<9 { piece.withUnsafeBytes { buffer.append($0) } }
        #expect(file.count == 8 << 20)
        #expect(buffer.count == 9 << 20)
    }
}
