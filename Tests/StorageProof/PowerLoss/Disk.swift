import FaultyStorage
import TestSupport

/// The one folder of a database, of which not everything is durable yet.
struct Disk {
    /// Every file there ever was, by its number; a name made anew is another file.
    private var files: [DiskFile] = []
    /// What each name meant since the folder was last synchronised: first what is durable, last what it is. nil: nothing.
    private var names: [String: [Int?]] = [:]
    /// The files with whose next sync SQLite synchronises the folder as well, as it does for logs and journals.
    private var syncsFolder: Set<String> = []

    mutating func perform(_ call: Storage.Call) {
        guard let path = call.path else { return }
        switch call.kind {
        case GARNER_CALL_OPEN:
            if file(path) == nil {
                files.append(DiskFile())
                names[path, default: [nil]].append(files.count - 1)
            }
            if call.file != GARNER_FILE_DATABASE { syncsFolder.insert(path) }
        case GARNER_CALL_DELETE:
            names[path, default: [nil]].append(nil)
            if call.flag { syncFolder() }
        case GARNER_CALL_SYNC:
            file(path).map { files[$0].sync() }
            if syncsFolder.remove(path) != nil { syncFolder() }
        case GARNER_CALL_WRITE: file(path).map { files[$0].write(call.bytes, at: call.offset) }
        case GARNER_CALL_TRUNCATE: file(path).map { files[$0].truncate(to: call.offset) }
        default: break
        }
    }

    /// One way in which the folder may be found again: of each name, what it meant at some time since the folder was
    /// last synchronised.
    func survivors(using generator: inout SplitMix64) -> [(path: String, bytes: [UInt8])] {
        names.sorted { $0.key < $1.key }.compactMap { path, meanings in
            guard let number = meanings.randomElement(using: &generator) ?? nil else { return nil }
            return (path, files[number].survivor(using: &generator))
        }
    }

    private func file(_ path: String) -> Int? { names[path]?.last ?? nil }

    private mutating func syncFolder() { names = names.mapValues { [$0.last ?? nil] } }
}
