import GarnerJSON
import GarnerLibC
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports
import GarnerSync

/// The file to which rows are exported, with the format that its name implies.
struct ExportFile {
    let path: String

    /// True for names such as `animals.csv.gz`.
    var isCompressed: Bool { path.lowercased().hasSuffix(".gz") }

    /// Returns the format of the extension; nil if there is no extension.
    ///
    /// Throws if rows cannot be written in that format.
    func format() throws -> RowFormat? {
        let name = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        let plain = isCompressed ? name.dropLast(3) : name[...]
        // A name such as `.csv` has no extension.
        guard let dot = plain.lastIndex(of: "."), dot > plain.startIndex else { return nil }
        let ending = String(plain[plain.index(after: dot)...])
        guard !ending.isEmpty else { return nil }
        guard let format = RowFormat.ofFiles.first(where: { $0.endings.contains(ending) }) else {
            throw CommandError.usage(
                "rows cannot be written as .\(ending)",
                hint: "name a file that ends with \(RowFormat.endingsOfFiles), or choose with -f")
        }
        return format
    }

    /// Throws if the path is that of a folder, with the name of a file in it for these rows.
    func refuseFolder(for rows: String, as format: RowFormat) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
        let name = "\(path)\(path.hasSuffix("/") ? "" : "/")\(rows).\(format.endings.first ?? "txt")"
        throw CommandError(
            .cannotCreate, kind: "output", message: "cannot write \(path): it is a folder",
            hint: "name a file in it: -o \(ShellText.quoted(name))")
    }

    /// Throws if a file exists and does not look like an earlier export of such rows. A pipe or a device is written to directly.
    func refuseOther(than format: RowFormat, with columns: [String]) throws {
        guard let start = try? readFile(at: path, upTo: Self.inspectedBytes, isOnDisk: true) else { return }
        guard !looksExported(start, as: format, with: columns) else { return }
        throw CommandError(
            .cannotCreate, kind: "exists",
            message: "\(path) is there, and is no earlier export of these rows",
            hint: "name another file, or replace this one with --force")
    }

    private static let inspectedBytes = 64 << 10

    /// Returns true if the file begins with columns of these rows. Some columns may have been added or removed since.
    private func looksExported(_ start: [UInt8], as format: RowFormat, with columns: [String]) -> Bool {
        if start.isEmpty { return true }
        // The header of Garner's own gzip files has no name and no time (RFC 1952, section 2.3).
        if isCompressed { return start.starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]) }
        var text = String(decoding: start, as: UTF8.self)[...]
        if text.unicodeScalars.first == "\u{FEFF}" { text = Substring(text.unicodeScalars.dropFirst()) }
        switch format.family {
        case .delimited(let delimiter):
            return isHeader(text, separator: delimiter.rawValue, quote: delimiter == .comma ? "\"" : "", columns)
        case .table(let markup):
            let mark = markup.marks.between.first { $0 != " " } ?? " "
            let names = columns.flatMap { markup.escaped($0).split(separator: mark).map(String.init) }
            return isHeader(text, separator: mark, quote: "", names)
        case .objects(inLines: true): return beginsWithObject(text, after: "", columns)
        case .objects: return text == "[]\n" || beginsWithObject(text, after: "[\n", columns)
        }
    }

    private func isHeader(_ text: Substring, separator: Character, quote: String, _ columns: [String]) -> Bool {
        let line = text.prefix { !$0.isNewline }
        let names = line.split(separator: separator).map { String($0.trimming { $0 == " " || quote.contains($0) }) }
        let (old, new) = (Set(names), Set(columns))
        return old.isSubset(of: new) || new.isSubset(of: old)
    }

    private func beginsWithObject(_ text: Substring, after start: String, _ columns: [String]) -> Bool {
        guard text.hasPrefix(start + "{") else { return false }
        return columns.contains { text.dropFirst(start.count + 1).hasPrefix("\(JSONText.string($0).text):") }
    }
}
