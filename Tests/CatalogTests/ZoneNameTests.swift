import GarnerCatalog
import Foundation
import TestSupport
import Testing

struct ZoneNameTests {
    @Test(arguments: [
        "UTC", "GMT", "Etc/UTC", "Europe/Berlin", "Asia/Calcutta", "Asia/Kolkata", "America/Argentina/Buenos_Aires",
        "Australia/Lord_Howe", "US/Eastern", "Etc/GMT-3",
    ])
    func `a name of IANA's is a zone`(name: String) {
        #expect(ZoneName(name)?.description == name)
    }

    @Test(arguments: [
        ("", "write an area"), ("IST", "write"), ("CEST", "write"), ("+05:00", "write an area"),
        ("GMT+5", "write an area"), ("Europe/Berlín", "did you mean 'Europe/Berlin'?"),
        ("berlin", "did you mean 'Europe/Berlin'?"),
        ("new york", "did you mean 'America/New_York'?"), ("utc", "did you mean 'UTC'?"),
        ("gmt", "did you mean 'GMT'?"), ("etc/utc", "did you mean 'Etc/UTC'?"),
        ("../etc/passwd", "write an area"), ("Europe/Berlin\0", "did you mean 'Europe/Berlin'?"),
        ("europe/berlin", "did you mean 'Europe/Berlin'?"), ("posix/Europe/Berlin", "did you mean 'Europe/Berlin'?"),
    ])
    func `an unknown time zone is refused with the closest name`(name: String, hint: String) {
        #expect(ZoneName(name) == nil)
        let refusal = ZoneName.refusal(of: name)
        #expect(refusal.problem == nil)
        #expect(refusal.hint.contains(hint) || hint == "write" && refusal.hint.hasPrefix("did you mean"), "\(refusal)")
    }
}

/// Zones of a folder that the test has made.
struct ZoneFolderTests {
    private let files: TemporaryFolder
    private let folder: ZoneFolder

    init() throws {
        files = try TemporaryFolder()
        folder = ZoneFolder(path: files.url.path(percentEncoded: false).replacing(/\/$/, with: ""))
        for name in ["Europe/Berlin", "US/Central", "America/Argentina/Salta", "Etc/GMT-3"] { try add(name) }
    }

    private func add(_ name: String, _ bytes: [UInt8] = CompiledZone.berlin.bytes) throws {
        let file = files.url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    @Test func `zones are read from the folder`() throws {
        let zone = try #require(ZoneName("America/Argentina/Salta", in: folder))
        #expect(zone.table.offset(at: 846_378_000) == 3600)
        #expect(folder.names() == ["America/Argentina/Salta", "Europe/Berlin", "Etc/GMT-3", "US/Central"])
    }

    @Test func `UTC and GMT need no folder`() throws {
        for folder in [ZoneFolder(path: nil), ZoneFolder(path: files.path("nothing"))] {
            let names = ["UTC", "GMT", "Europe/Berlin", "Etc/UTC"].compactMap { ZoneName($0, in: folder) }
            #expect(names.map(\.description) == ["UTC", "GMT"])
            #expect(names.allSatisfy { $0.table.offset(at: 1 << 40) == 0 })
        }
    }

    @Test func `without zones, the user is told how to get them`() throws {
        let missing = ZoneName.refusal(of: "Europe/Berlin", in: ZoneFolder(path: nil))
        #expect(missing.problem == "there are no time zones on this machine, so that UTC is the only one")
        #expect(missing.hint == "install the package tzdata, or set TZDIR to the folder of the time zones")
        let empty = files.path("empty")
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        for path in [empty, files.path("nothing")] {
            let refusal = ZoneName.refusal(of: "Europe/Berlin", in: ZoneFolder(path: path))
            #expect(refusal.problem == "there are no time zones in \(path), so that UTC is the only one")
            #expect(refusal.hint == missing.hint)
        }
        #expect(ZoneName.refusal(of: "utc", in: ZoneFolder(path: nil)).hint == "did you mean 'UTC'?")
        let known = ZoneName.refusal(of: "Berlin", in: folder)
        #expect(known.problem == nil && known.hint == "did you mean 'Europe/Berlin'?")
    }

    @Test(arguments: [
        "Berlin", "Europe", "America/Argentina", "Europe/", "/Europe/Berlin", "Europe//Berlin", "./Europe/Berlin",
        "Europe/./Berlin", "../Europe/Berlin", "Europe/../Europe/Berlin", "Europe/../../outside/Berlin", "Europe/..",
        "Europe/Berlin/", "Europe/Berlin/x", "Europe/Berlin\0", "Europe\0/Berlin", "Europe/Ber lin", "europe/Berlin",
        "Europe/berlin", "Europe/Berl\u{ed}n", "Europe/.hidden", "posix/Europe/Berlin", "right/Europe/Berlin",
        "Europe/tzdata.zi", "Europe/nothing", "Europe/pipe", "America/Argentina/La/Rioja", "Europe",
    ])
    func `a name that is none of a zone is refused, whatever is in its place`(name: String) throws {
        for name in [
            "Berlin", "outside/Berlin", "Europe/.hidden", "posix/Europe/Berlin", "right/Europe/Berlin",
            "Europe/Ber lin", "America/Argentina/La/Rioja",
        ] {
            try add(name)
        }
        try add("Europe/tzdata.zi", Array("# version 2025b".utf8))
        try #require(mkfifo(files.path("Europe/pipe"), 0o600) == 0)
        let inner = ZoneFolder(path: files.path(""))
        for folder in [folder, inner] { #expect((try? folder.zone(named: name)) == nil) }
        #expect(!folder.names().contains(name))
    }

    @Test func `a long name, and one of many parts, are refused`() throws {
        for name in [
            "Europe/" + String(repeating: "x", count: 300), String(repeating: "Europe/", count: 100_000) + "Berlin",
        ] {
            #expect(try folder.zone(named: name) == nil)
        }
    }

    @Test func `links in the folder are zones, as some systems have them`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: files.path("Europe/Jersey"), withDestinationPath: "../Europe/Berlin")
        #expect(try folder.zone(named: "Europe/Jersey")?.offset(at: 0) == 3208)
        #expect(folder.names().contains("Europe/Jersey"))
    }

    @Test func `an old name without a file is told with that of today`() throws {
        let list = "# version 2025b\nL Europe/Berlin Europe/Bonn\nL Europe/Rome Europe/Roma\nL Etc/GMT-3 EST\n"
        try add("tzdata.zi", Array(list.utf8))
        #expect(ZoneName("Europe/Bonn", in: folder) == nil)
        #expect(ZoneName.refusal(of: "Europe/Bonn", in: folder).hint == "write 'Europe/Berlin', as it is called today")
        for name in ["Europe/Roma", "EST"] {
            #expect(!ZoneName.refusal(of: name, in: folder).hint.hasPrefix("write '"))
        }
    }

    @Test func `a damaged file is told as such`() throws {
        let bytes = CompiledZone.berlin.bytes
        try add("Europe/Paris", Array(bytes.dropLast()))
        try add("Europe/Rome", bytes + [UInt8](repeating: 0, count: TimeZoneFile.maximumBytes))
        try FileManager.default.createSymbolicLink(
            atPath: files.path("Europe/Oslo"), withDestinationPath: "../nowhere")
        for (name, failure) in [
            ("Europe/Paris", "ends too early or too late"), ("Europe/Rome", "is larger than 1 MiB"),
            ("Europe/Oslo", "cannot be read: No such file or directory"),
        ] {
            #expect(ZoneName(name, in: folder) == nil)
            let refusal = ZoneName.refusal(of: name, in: folder)
            #expect(refusal.problem == "the time zone file '\(folder.path ?? "")/\(name)' \(failure)")
            #expect(refusal.hint == "install the package tzdata again")
        }
        #expect(throws: TimeZoneFile.Failure.tooLarge) { try folder.zone(named: "Europe/Rome") }
    }

    @Test func `a zone that was read stays as it is while the process runs`() throws {
        let name = try #require(ZoneName("Europe/Berlin", in: folder))
        try FileManager.default.removeItem(at: files.url)
        let again = try #require(ZoneName("Europe/Berlin", in: folder))
        #expect(again == name && again.table === name.table)
        #expect(ZoneName("US/Central", in: folder) == nil)
    }

    @Test func `whoever asks at the same time has the same table`() async throws {
        let tables = await withTaskGroup(of: ObjectIdentifier?.self) { group in
            for _ in 0..<32 {
                group.addTask { [folder] in
                    ZoneName("Europe/Berlin", in: folder).map { ObjectIdentifier($0.table) }
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tables.count == 1 && !tables.contains(nil))
    }
}
