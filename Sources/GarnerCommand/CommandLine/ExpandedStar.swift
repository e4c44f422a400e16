import GarnerLibC
import GarnerPresentation
import GarnerReports

/// The names that a shell puts in the place of `*`.
enum ExpandedStar {
    /// Returns the words with `*` in the place of all names of the current folder.
    static func restored(in words: [String], names: [String] = folderNames()) -> [String] {
        // These files of an open database come and go.
        let output = RedirectedOutput.file
        func isPassing(_ name: String) -> Bool {
            name == output || ["-wal", "-shm", ".lock"].contains { name.hasSuffix($0) }
        }
        let names = Set(names.filter { !$0.hasPrefix(".") && !isPassing($0) })
        guard !names.isEmpty else { return words }
        var restored: [String] = []
        var rest = words[...]
        while let first = rest.first {
            let run = rest.prefix { names.contains($0) || isPassing($0) }
            // Each of several stars has become all names.
            let stars = Set(run).isSuperset(of: names) ? run.count { $0 == names.first } : 0
            restored += stars > 0 ? Array(repeating: "*", count: stars) : run.isEmpty ? [first] : Array(run)
            rest = rest.dropFirst(max(run.count, 1))
        }
        return restored
    }

    static func folderNames(of folder: String = ".") -> [String] {
        guard let handle = opendir(folder) else { return [] }
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
    /// The file of the current folder that gets the output and has a number for its name; nil if there is none.
    static var file: String? {
        var output = stat()
        guard fstat(STDOUT_FILENO, &output) == 0, output.st_mode & S_IFMT == S_IFREG else { return nil }
        return ExpandedStar.folderNames().first { name in
            var status = stat()
            return Double(name.drop { $0 == "=" }) != nil && stat(name, &status) == 0
                && status.st_ino == output.st_ino && status.st_dev == output.st_dev
        }
    }

    /// Returns the words as they were typed, with the comparison at their end whose file gets the output, and with `*`.
    static func restored(in words: [String]) -> [String] {
        let words = ExpandedStar.restored(in: words)
        guard let file, let last = words.dropLast().last,
            ["where", "having", "on", "and", "or"].contains(last.lowercased())
        else { return words }
        return words + [file.hasPrefix("=") ? ">=" : ">", String(file.drop { $0 == "=" })]
    }

    /// Warns if the rows of a condition go into a file of the current folder that has a number for its name.
    static func warn(of words: [String]) {
        guard words.count > 2, words.contains(where: { ["where", "having", "on"].contains($0.lowercased()) }), let file
        else { return }
        let sql = restored(in: words)
        StandardError.warn(
            "the shell has taken '>\(file)' for a file, which gets the rows of a condition without it",
            try: sql.count > ExpandedStar.restored(in: words).count
                ? "garner query \(ShellText.quoted(sql.joined(separator: " ")))"
                : "put the SQL in single quotes, as in: garner query 'SELECT name FROM TABLE WHERE ts > 3'")
    }
}
