import FaultyStorage
import TestSupport

/// The one folder of a database, of which not everything is durable yet.
struct Disk {
    /// Every file there ever was, by its number; a name made anew is another file.
    private var files: [DiskFile] = []
    /// The files that each name has meant since the folder was last synchronised, from the durable one to the current
    /// one; nil: no file.
    private var names: [String: [Int?]] = [:]
    /// The files with whose next sync SQLite synchronises the folder as well, as it does for logs and journals.
    private var syncsFolder: Set<String> = []

    /// A file by its name in the folder.
    typealias Survivor = (name: String, bytes: [UInt8])

    /// Creates a disk with the files that an earlier power loss left, all of which are durable.
    init(_ survivors: [Survivor] = []) {
        files = survivors.map { DiskFile(durable: $0.bytes) }
        for (number, survivor) in survivors.enumerated() { names[survivor.name] = [number] }
    }

    mutating func perform(_ call: Storage.Call) {
        guard let name = call.path?.split(separator: "/").last.map(String.init) else { return }
        switch call.kind {
        case GARNER_CALL_OPEN:
            if file(name) == nil {
                files.append(DiskFile())
                names[name, default: [nil]].append(files.count - 1)
            }
            if call.file != GARNER_FILE_DATABASE { syncsFolder.insert(name) }
        case GARNER_CALL_DELETE:
            names[name, default: [nil]].append(nil)
            if call.flag { syncFolder() }
        case GARNER_CALL_SYNC:
            file(name).map { files[$0].sync() }
            if syncsFolder.remove(name) != nil { syncFolder() }
        case GARNER_CALL_WRITE: file(name).map { files[$0].write(call.bytes, at: call.offset) }
        case GARNER_CALL_TRUNCATE: file(name).map { files[$0].truncate(to: call.offset) }
        default: break
        }
    }

    /// One way in which the folder may be found again: of each name, what it meant at some time since the folder was
    /// last synchronised.
    func survivors(using generator: inout SplitMix64) -> [Survivor] {
        names.sorted { $0.key < $1.key }.compactMap { name, meanings in
            guard let number = meanings.randomElement(using: &generator) ?? nil else { return nil }
            return (name, files[number].survivor(using: &generator))
        }
    }

    private func file(_ name: String) -> Int? { names[name]?.last ?? nil }

    private mutating func syncFolder() { names = names.mapValues { [$0.last ?? nil] } }
}
