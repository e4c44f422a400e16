import GarnerLibC
import GarnerPresentation
import GarnerReports

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

    static func folderNames() -> [String] {
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

/// A comparison in SQL without quotes that a shell takes for a file, as in: garner query select name from items where ts > 3
enum RedirectedOutput {
    /// Warns if the rows of a condition go into a file of the current folder that has a number for its name.
    static func warn(of words: [String]) {
        var output = stat()
        guard words.count > 2, words.contains(where: { ["where", "having", "on"].contains($0.lowercased()) }),
            fstat(STDOUT_FILENO, &output) == 0, output.st_mode & S_IFMT == S_IFREG
        else { return }
        let file = ExpandedStar.folderNames().first { name in
            var status = stat()
            return Double(name.drop { $0 == "=" }) != nil && stat(name, &status) == 0
                && status.st_ino == output.st_ino && status.st_dev == output.st_dev
        }
        guard let file else { return }
        let comparison = file.hasPrefix("=") ? ">=" : ">"
        let isLast =
            words.dropLast().last.map { ["where", "having", "on", "and", "or"].contains($0.lowercased()) } ?? false
        let sql = words + [comparison, String(file.drop { $0 == "=" })]
        StandardError.warn(
            "the shell has taken '>\(file)' for a file, which gets the rows of a condition without it",
            try: isLast
                ? "garner query \(ShellText.quoted(sql.joined(separator: " ")))"
                : "put the SQL in single quotes, as in: garner query 'SELECT name FROM TABLE WHERE ts > 3'")
    }
}
