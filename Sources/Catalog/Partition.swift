import GarnerModel
import GarnerYAML

/// A name, and the values with which a stream is read one after another.
package struct Partition: Sendable, Equatable {
    package var name: String
    /// The values, each once. Those of a file or a query are none until a read begins and takes them.
    package var values: [String]
    package var origin: Origin

    /// The place that the values come from.
    package enum Origin: Sendable, Equatable {
        /// The configuration itself.
        case list
        case file(File)
        /// A SELECT of one column over the stored rows.
        case query(String)
    }

    package struct File: Sendable, Equatable, CustomStringConvertible {
        /// The path, resolved against the configuration's folder.
        package var path: String
        /// The path as the configuration has it.
        package var written: String

        package init(path: String, written: String) {
            (self.path, self.written) = (path, written)
        }

        package var description: String { path }
    }

    package init(name: String, values: [String]) {
        (self.name, self.values, origin) = (name, values, .list)
    }

    package init(name: String, from origin: Origin) {
        (self.name, values, self.origin) = (name, [], origin)
    }

    /// The name under which the value is stored with each record: `_city`.
    package var memberName: String { "_\(name)" }

    /// The largest number of combinations of the values of all partitions.
    package static let maximumCombinations = 100_000

    /// The size of the file of values, and of all values that a query gives.
    package static let maximumBytes = 1 << 20

    /// Returns true if there are more combinations than a read may have.
    package static func areTooMany(_ partitions: [Partition]) -> Bool {
        var combinations = 1
        for partition in partitions {
            let (product, overflows) = combinations.multipliedReportingOverflow(by: max(partition.values.count, 1))
            guard !overflows, product <= maximumCombinations else { return true }
            combinations = product
        }
        return false
    }

    /// The partition as a part of `StreamConfiguration.readIdentity`: its source, since the values may differ from read to read.
    var identity: (String, String) {
        switch origin {
        case .list: ("partition.\(name)", values.joined(separator: ","))
        case .file(let file): ("partition.\(name).file", file.written)
        case .query(let sql): ("partition.\(name).query", sql)
        }
    }
}

/// A file of values that cannot be used.
package struct PartitionFileError: Error {
    package let message: String
    package let hint: String
}

extension Partition.File {
    /// Reads the values: a line each, without empty lines and repetitions.
    ///
    /// - Parameter name: The name of the partition, for messages.
    package func values(for name: String) throws(PartitionFileError) -> [String] {
        let file: TextFile
        do {
            file = try TextFile(path: path, maximumBytes: Partition.maximumBytes, isOnDisk: true)
        } catch {
            let hint = "put the values into \(path), one on each line"
            switch error {
            case .missing:
                throw PartitionFileError(message: "the file of 'partitions.\(name)' does not exist", hint: hint)
            case .unreadable(let reason):
                throw PartitionFileError(
                    message: "the file of 'partitions.\(name)' cannot be read: \(reason)", hint: hint)
            }
        }
        var values = UniqueTexts()
        let mark = "\u{FEFF}".utf8
        let text = file.text.utf8.starts(with: mark) ? file.text.utf8.dropFirst(mark.count) : file.text.utf8[...]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
                values.add(String(decoding: line, as: UTF8.self))
            }
        }
        guard !values.list.isEmpty else {
            throw PartitionFileError(
                message: "the file of 'partitions.\(name)' has no value",
                hint: "put the values into \(path), one on each line; nothing is requested or deleted without any")
        }
        if let mark = separator(of: values.list) {
            throw PartitionFileError(
                message: "the file of 'partitions.\(name)' is a table of CSV, and each of its lines would be a value",
                hint:
                    "make a file of one column, such as by tail -n +2 \(path) | cut -d '\(mark)' -f 1 > values.txt, and "
                    + "write { file: values.txt }")
        }
        return values.list
    }

    /// Returns what stands between the columns of a file of CSV with a header; nil for other files, whose values may have commas.
    private func separator(of lines: [String]) -> Character? {
        guard written.lowercased().hasSuffix(".csv"), let header = lines.first else { return nil }
        let marks: [Character] = [",", ";"]
        return marks.first { mark in
            let names = header.split(separator: mark, omittingEmptySubsequences: false)
            let count = names.count
            return count > 1 && names.allSatisfy { $0.wholeMatch(of: /[ "]*[A-Za-z_][\w ]*"?/) != nil }
                && lines.allSatisfy { $0.count(where: { $0 == mark }) >= count - 1 }
        }
    }
}

extension Partition {
    static let listFormat = ValueFormat<[Partition]>(
        schema: .named(.anyOf([.text, .list(.text), sources.schema])), read: { $0.partitions($1) },
        show: { .members($0.map(\.shown)) })

    fileprivate static let sources = Keys(
        WrittenSource(),
        Key(
            "file", .optional(.text { $0.partitionFile($1) }), to: \.file,
            "A file with a value on each line, relative to this file; read when a read begins."),
        Key(
            "query", .optional(.name), to: \.query,
            "A SELECT of one column over the stored rows; evaluated when a read begins.")
    ).format(
        hint: "write { file: cities.txt } or { query: \"SELECT name FROM cities\" }",
        elsewhere: ForeignWords.hints([
            ("from to start end step min max range count", "write the values themselves as a list, such as [1, 2, 3]")
        ]))

    fileprivate struct WrittenSource: Sendable {
        var file: File?
        var query: String?
    }

    private var shown: (String, EffectiveConfiguration.Value) {
        switch origin {
        case .list: (name, .list(values))
        case .file(let file): ("\(name).file", .text(file.path))
        case .query(let sql): ("\(name).query", .text(sql))
        }
    }
}

extension ConfigurationReader {
    fileprivate func partitions(_ value: YAMLValue) -> [Partition]? {
        guard let mapping = value.mapping(hint: "write partitions: { repo: [a, b] }") else { return nil }
        guard !mapping.entries.isEmpty else {
            return value.failed("'\(value.name)' is empty", hint: "write partitions: { repo: [a, b] }, or remove it")
        }
        let partitions = mapping.entries.compactMap(partition)
        guard partitions.count == mapping.entries.count else { return nil }
        guard !Partition.areTooMany(partitions) else {
            return value.failed(
                "'\(value.name)' has more than \(Partition.maximumCombinations) combinations",
                hint: "write fewer values, or use 'parent'")
        }
        return partitions
    }

    private func partition(_ entry: YAMLMapping.Entry) -> Partition? {
        guard Template("{partition.\(entry.key)}").placeholders == [.partition(entry.key)] else {
            return issues.failed(
                at: entry.keyPlace, "this name of a partition cannot be used",
                hint: "use letters, digits, '_' and '-' only, as in {partition.repo}")
        }
        guard !entry.key.lowercased().hasPrefix("garner_") else {
            return issues.failed(
                at: entry.keyPlace, "the name of a partition cannot begin with 'garner_'",
                hint: "its values are stored as _\(entry.key), and such columns are Garner's own")
        }
        if entry.value.node.mapping != nil { return source(of: entry) }
        guard let values = entry.value.texts() else { return nil }
        guard !values.isEmpty, !values.contains("") else {
            return entry.value.failed("'\(entry.value.name)' has no value", hint: "write a list such as [a, b]")
        }
        guard values.firstRepeated == nil else {
            return entry.value.failed("'\(entry.value.name)' has a value twice", hint: "keep one of them")
        }
        if !entry.value.isList {
            warnOfCommas(in: values[0], of: entry)
            warnOfRange(values[0], of: entry)
        }
        return Partition(name: entry.key, values: values)
    }

    /// Warns of a text that seems to be a list. One text in brackets is one value for sure.
    private func warnOfCommas(in text: String, of entry: YAMLMapping.Entry) {
        let values = text.split(separator: ",").map { part in part.trimming { $0 == " " } }
        guard values.count > 1, values.allSatisfy({ $0.wholeMatch(of: /[\w.\/-]{1,60}/) != nil }) else { return }
        entry.value.warn(
            "'\(entry.value.name)' has one value, which is '\(text.prefix(60))'",
            hint: "write \(entry.key): [\(values.joined(separator: ", "))], or \(entry.key): [\"\(text)\"] if it is one"
        )
    }

    /// Warns of a text that seems to be a range of numbers.
    private func warnOfRange(_ text: String, of entry: YAMLMapping.Entry) {
        guard let match = text.wholeMatch(of: /([0-9]{1,9}) *(?:-|–|\.{2,3}|to|:) *([0-9]{1,9})/),
            let first = Int(match.1), let last = Int(match.2), first < last, last - first < 100
        else { return }
        let values = (first...last).map(String.init).joined(separator: ", ")
        entry.value.warn(
            "'\(entry.value.name)' has one value, which is '\(text)'",
            hint: "write \(entry.key): [\(values)], or \(entry.key): [\"\(text)\"] if it is one")
    }

    private func source(of entry: YAMLMapping.Entry) -> Partition? {
        guard let source = Partition.sources.read(self, entry.value) else { return nil }
        switch (source.file, source.query) {
        case (let file?, nil): return Partition(name: entry.key, from: .file(file))
        case (nil, let query?): return Partition(name: entry.key, from: .query(query))
        default:
            return entry.value.failed(
                "'\(entry.value.name)' needs either 'file' or 'query'",
                hint: "write { file: cities.txt } or { query: \"SELECT name FROM cities\" }")
        }
    }

    fileprivate func partitionFile(_ value: YAMLValue) -> Partition.File? {
        guard let written = name(value) else { return nil }
        guard !written.unicodeScalars.contains("\0"), !written.hasPrefix("~") else {
            return value.failed(
                "'\(value.name)' must be the path of a file",
                hint: written.hasPrefix("~") ? Self.homeFolder : "write a path such as cities.txt")
        }
        return Partition.File(path: resolve(written), written: written)
    }

    /// A read of changed parents asks for their records only, so that a new value would miss all others.
    func checkPartitions(_ draft: StreamDraft) {
        guard draft.parent?.only == .changed,
            let partition = draft.stream.partitions.first(where: { $0.origin != .list })
        else { return }
        issues.fail(
            at: draft.place(of: partition.name, in: "partitions") ?? draft.stream.place,
            "the values of 'partitions.\(partition.name)' may change, which cannot work with 'only: changed'",
            hint: "write the values as a list, or remove 'only: changed' from 'parent'")
    }
}
