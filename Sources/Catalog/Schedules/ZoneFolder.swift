import GarnerLibC
import Synchronization

/// A folder of compiled time zone files, and what was read from it.
///
/// A zone that was read once stays as it is until the process ends.
package final class ZoneFolder: Sendable {
    /// The system's folder: that of the environment variable `TZDIR`, as in the C library, or else the first usual one that
    /// exists.
    package static let system = ZoneFolder(path: systemPath())

    /// Nil if there is no folder, and UTC is the only zone.
    package let path: String?

    private let known = Mutex<[String: Zone]>([:])

    package init(path: String?) { self.path = path }

    private static func systemPath() -> String? {
        if let value = getenv("TZDIR"), value.pointee != 0 { return String(cString: value) }
        let usual = [
            "/usr/share/zoneinfo", "/var/db/timezone/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo",
            "/etc/zoneinfo",
        ]
        return usual.first { kind(of: $0) == S_IFDIR }
    }

    /// Returns the zone of a name; nil if there is none. UTC and GMT need no file. Any other name has an area and stays in
    /// the folder.
    ///
    /// - Throws: The reason why a file of that name is not usable.
    package func zone(named name: String) throws(TimeZoneFile.Failure) -> Zone? {
        if ["UTC", "GMT"].contains(name) { return .utc }
        if let zone = known.withLock({ $0[name] }) { return zone }
        guard let file = file(named: name) else { return nil }
        let bytes = try Self.bytes(of: file)
        guard bytes.starts(with: TimeZoneFile.magic) else { return nil }
        let zone = Zone(try TimeZoneFile(bytes))
        // Whoever was first has made the zone of this name.
        return known.withLock { known in
            let first = known[name] ?? zone
            known[name] = first
            return first
        }
    }

    /// Returns the names of all zones with an area, sorted; those of places before old names such as `US/Eastern`.
    package func names() -> [String] {
        guard let path else { return [] }
        var names: [String] = []
        func walk(_ folder: String, depth: Int) {
            for part in Self.entries(of: path + folder).filter(Self.isPart).sorted() {
                if folder.isEmpty, Self.otherTimes.contains(part) { continue }
                let name = folder + "/" + part
                switch Self.kind(of: path + name) {
                case S_IFDIR where depth < Self.maximumDepth: walk(name, depth: depth + 1)
                case S_IFREG where depth > 1:
                    guard let start = try? Self.bytes(of: path + name, atMost: TimeZoneFile.magic.count),
                        start == TimeZoneFile.magic
                    else { continue }
                    names.append(String(name.dropFirst()))
                default: continue
                }
            }
        }
        walk("", depth: 1)
        let (places, others) = (names.filter(Self.isOfPlace), names.filter { !Self.isOfPlace($0) })
        return places + others
    }

    /// Returns the name of today for an old name whose file some systems leave out, as the list `tzdata.zi` in the folder says.
    package func newName(of name: String) -> String? {
        // EST is today's Panama, but hardly what is meant.
        guard let path, name.contains("/"), let bytes = try? Self.bytes(of: path + "/tzdata.zi") else { return nil }
        // `L America/New_York US/Eastern`
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "L") {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            if words.count == 3, words[2] == name, file(named: words[1]) != nil { return words[1] }
        }
        return nil
    }

    /// The copies of all zones that some systems have below the folder. Those of `right` count leap seconds.
    private static let otherTimes: Set = ["posix", "right"]
    /// The parts of the longest names, such as `America/Argentina/Ushuaia`.
    private static let maximumDepth = 3
    private static let continents: Set = [
        "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific",
    ]

    private static func isOfPlace(_ name: String) -> Bool {
        continents.contains(String(name.prefix { $0 != "/" }))
    }

    /// Returns the path of the file that is named exactly so; nil if there is none, or no name of a zone could be this one.
    private func file(named name: String) -> String? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let path, (2...Self.maximumDepth).contains(parts.count), parts.allSatisfy(Self.isPart),
            !Self.otherTimes.contains(parts[0])
        else { return nil }
        var file = path
        for part in parts {
            // A file system that takes `europe` for `Europe` would accept names that others do not.
            guard Self.entries(of: file).contains(part) else { return nil }
            file += "/" + part
        }
        return Self.kind(of: file) == S_IFDIR ? nil : file
    }

    /// Returns true for a part of a name as IANA writes it, which is never that of a parent folder.
    private static func isPart(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.starts(with: ".".utf8)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || PercentEncoding.isDigit(byte)
                    || "+-_.".utf8.contains(byte)
            }
    }

    // MARK: The system's calls

    /// Returns the kind of a file as its mode says, through symbolic links; nil if there is no such file.
    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Returns the names in a folder; none if it cannot be read.
    private static func entries(of folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var entries: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name { entries.append(name) }
        }
        return entries
    }

    /// Returns the first bytes of a regular file, at most one more than a time zone file may have.
    private static func bytes(
        of path: String, atMost count: Int = TimeZoneFile.maximumBytes + 1
    ) throws(TimeZoneFile.Failure) -> [UInt8] {
        do throws(FileReadError) {
            return try readFile(at: path, upTo: count, isOnDisk: true)
        } catch {
            switch error {
            case .system(let code): throw .unreadable(code)
            case .notOnDisk: throw .otherFormat
            }
        }
    }
}
