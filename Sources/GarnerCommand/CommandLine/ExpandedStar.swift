import GarnerLibC

/// The names that a shell puts in the place of `*`.
enum ExpandedStar {
    /// Returns the words with `*` in the place of all names of the current folder.
    static func restored(in words: [String], names: [String] = folderNames()) -> [String] {
        // These files of an open database come and go.
        func isPassing(_ name: String) -> Bool { ["-wal", "-shm", ".lock"].contains { name.hasSuffix($0) } }
        let names = Set(names.filter { !$0.hasPrefix(".") && !isPassing($0) })
        guard !names.isEmpty else { return words }
        var restored: [String] = []
        var rest = words[...]
        while let first = rest.first {
            let run = rest.prefix { names.contains($0) || isPassing($0) }
            restored += Set(run).isSuperset(of: names) ? ["*"] : run.isEmpty ? [first] : Array(run)
            rest = rest.dropFirst(max(run.count, 1))
        }
        return restored
    }

    private static func folderNames() -> [String] {
        guard let handle = opendir(".") else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name { names.append(name) }
        }
        return names
    }
}
