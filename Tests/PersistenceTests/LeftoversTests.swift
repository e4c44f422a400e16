import Foundation
@testable import GarnerMaintenance
import GarnerPersistence
import TestSupport
import Testing

struct LeftoversTests {
    private let folder: TemporaryFolder
    private let place: String

    init() throws {
        folder = try TemporaryFolder()
        place = folder.path("copy.db")
    }

    private func make(_ names: String...) throws {
        for name in names { try Data(count: 5).write(to: folder.url.appending(path: name)) }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    @Test func `what nobody writes any longer goes, with what SQLite has put beside it`() throws {
        try make(
            "copy.db.4711.garner.part", "copy.db.4711.garner.part-journal", "copy.db.12.part", "copy.db.12.part-wal",
            "copy.db.12.part-shm", "copy.db.77.garner.part-journal")
        let leftovers = Leftovers(of: place)
        #expect(leftovers.found().files == 6 && leftovers.found().bytes == 30)
        #expect(try names.count == 6)
        let removed = leftovers.remove()
        // The file that was made for the journal alone is gone, too.
        #expect(removed.files == 6 && removed.bytes == 30 && removed.problem == nil)
        #expect(try names == [])
    }

    @Test func `what is anything else stays`() throws {
        try make(
            "copy.db", "copy.db.part", "copy.db.4711", "copy.db.4711.partial", "copy.db.x1.part", "copy.db..part",
            "copy.db.-1.part", "copy.db.1234567890123.part", "copy.db.1.part-old", "opy.db.1.part", "other.db.1.part",
            "other.db.1.garner.part", "copy.db.1.Garner.part", ".1.garner.part", "target")
        for name in ["copy.db.5.part", "copy.db.6.garner.part"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        }
        for name in ["copy.db.7.part", "copy.db.8.part-wal"] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: "target")
        }
        let before = try names
        #expect(Leftovers(of: place).remove() == Leftovers.Outcome())
        #expect(try names == before)
    }

    @Test func `beside a database goes what its name says is Garner's, whatever place it had in mind`() throws {
        try make("garner.db", "garner.db.4.part", "x.csv.5.garner.part", "x.csv.6.part", "a.b.7.garner.part-journal")
        #expect(Leftovers(besideDatabase: folder.path("garner.db")).remove().problem == nil)
        #expect(try names == ["garner.db", "x.csv.6.part"])
    }

    @Test func `what someone writes stays until that is over, however it ends`() throws {
        let part = try PartFile(beside: place, permissions: 0o600)
        try make("\(URL(filePath: part.path).lastPathComponent)-journal")
        #expect(Leftovers(of: place).remove() == Leftovers.Outcome())
        #expect(try names.count == 2)
        try withExtendedLifetime(part) {
            let second = try PartFile(beside: place, permissions: 0o600)
            #expect(second.path != part.path)
            try second.publish(replaces: false)
            #expect(throws: FileError.self) { try part.publish(replaces: false) }
            try part.publish(replaces: true)
        }
        #expect(Leftovers(of: place).remove().problem == nil)
        #expect(try names == ["copy.db"])
    }

    @Test func `what cannot be removed is told`() throws {
        try make("copy.db.4711.garner.part")
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
        // The superuser may remove it nevertheless.
        let outcome = Leftovers(of: place).remove()
        #expect((outcome.problem == nil) == (outcome.files == 1))
        #expect(outcome.finding.level == (outcome.files == 1 ? .ok : .warning))
    }
}
