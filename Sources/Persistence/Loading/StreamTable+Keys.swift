import Catalog
import Digest
import JSON
import Model
import SQLite

// What the keys of a read's records show: a key that does not tell records apart, or none, with which every sync would
// store all records again.
extension StreamTable {
    /// Judges the keys of the page that was just stored.
    ///
    /// Throws `PersistenceError` where the first read shows that the key does not tell its records apart.
    func judgeKeys(of records: Selection, _ added: AddedFields) throws {
        recordsRead += records.count
        let finding = repeatedKeys.endPage()
        guard finding.repeats > 0, let loader, !loader.schema.key.isEmpty else { return }
        if repeatedExample == nil, let place = finding.firstPlace {
            repeatedExample = records.withRecord(at: place) { record in
                added.with { loader.keyText(of: PageRecord(node: record, added: $0)) }
            }
        }
        guard !hasBaseline else { return }
        let key = loader.schema.key.map(\.name).joined(separator: ", ")
        let apart = added.with { KeyInference.fieldBeside(loader, in: records, adding: $0) }
        let hint =
            apart.map { "set primary_key to what tells them apart, such as \($0)" }
            ?? "set primary_key to what tells them apart, or dedupe: true"
        if stream.primaryKey == nil {
            guard repeatedKeys.count >= 10, repeatedKeys.count * 100 >= recordsRead else { return }
            throw PersistenceError(
                .key,
                "\(repeatedKeys.count) of \(recordsRead.counted("record")) have the \(key) of another one, which was taken for "
                    + "the key of \(stream.name)", hint: hint + reset)
        }
        guard finding.sharing >= 10, finding.sharing * 2 > records.count else { return }
        let also = apart.map { "; \($0) tells them apart" } ?? ""
        throw PersistenceError(
            .configuration,
            "\(records.count.counted("record")) have \(finding.distinct.counted("key")) (\(key))\(also)",
            hint: hint + reset)
    }

    /// A table that an earlier run has made must go before it can have another key.
    private var reset: String {
        repeatedKeys.tableIsNew ? "" : "; then drop the table \(stream.table), so that the next sync makes it anew"
    }

    /// What is to be told of records that share their key although their contents differ; nil where none do.
    var repeatedWarning: String? {
        guard repeatedKeys.count > 0, let key = loader?.schema.key.map(\.name), !key.isEmpty else { return nil }
        let example = repeatedExample.map { ", such as \($0)" } ?? ""
        let count = repeatedKeys.count
        let bound = repeatedKeys.isUncounted ? "at least " : ""
        return
            "\(bound)\(count.counted("record")) \(count == 1 ? "has" : "have") the \(key.joined(separator: ", ")) of another "
            + "record with other content\(example); of each the last one was stored"
    }

    /// Finds out whether a table without a key gets all records a second time, unasked.
    ///
    /// Throws `PersistenceError` for a list of some length, before it is stored. For a shorter list, a single record and a table
    /// of an earlier version there is one warning.
    func requireNewRecords(among records: Selection) throws {
        guard isAtBeginning, let loader, isKeyless(loader), records.count > 0 else { return }
        let stored = try connection.firstRow(
            "SELECT first_records, follows_as_before FROM _garner_streams WHERE stream_id = ?1", [.integer(streamID)]
        ) { row in
            (
                hashes: row.kind(at: 0) == .null ? [] : Self.hashes(row.bytes(at: 0)),
                isTold: row.kind(at: 0) == .blob && row.bytes(at: 0).count == Self.told.count,
                isOld: row.integer(at: 1) == 1
            )
        }
        guard let stored, !stored.isTold else {
            isAtBeginning = false
            return
        }
        let earlier = Set(stored.hashes)
        let hashes = hashes(of: records)
        let known = hashes.count { earlier.contains($0) }
        guard !earlier.isEmpty, known == hashes.count || Set(hashes).isSuperset(of: earlier) else { return }
        let message =
            "the table \(stream.table) has no primary key, and \(known.counted("record")) that it holds came again"
        let hint =
            "set primary_key to what identifies a record, dedupe: true to store each once, "
            + "or write_disposition: append to store all of them again with every sync"
        // A sync that has worked this way for long is warned, not stopped.
        guard stored.isOld || records.count < Self.shortestList else {
            throw PersistenceError(.key, message, hint: hint)
        }
        comesAgain = "\(message); \(hint)"
        isAtBeginning = false
        try remember(Self.told)
    }

    /// Keeps what tells whether the records of the read's first page come again, where the table has no key.
    func rememberFirst(_ records: Selection) throws {
        guard isAtBeginning, let loader, records.count > 0 else { return }
        isAtBeginning = false
        guard isKeyless(loader) else { return }
        try remember(hashes(of: records).prefix(Self.longestMemory).flatMap(\.bytes))
    }

    private func isKeyless(_ loader: TableLoader) -> Bool {
        stream.writeDisposition == nil && !stream.dedupes && loader.schema.key.isEmpty
    }

    private func hashes(of records: Selection) -> [Int64] {
        var hashes: [Int64] = []
        records.forEach { hashes.append(hashKey.fingerprint(of: UnsafeRawBufferPointer($0.utf8)).shortened) }
        return hashes
    }

    private func remember(_ bytes: [UInt8]) throws {
        let statement = try connection.statement("UPDATE _garner_streams SET first_records = ?2 WHERE stream_id = ?1")
        try statement.bind([.integer(streamID), .blob(bytes)])
        try statement.run()
    }

    /// Stands for the hashes once it was told.
    private static let told: [UInt8] = [1]

    /// Shorter lists may well be the same by chance.
    private static let shortestList = 10
    private static let longestMemory = 1_000

    private static func hashes(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int64] {
        stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}

extension Int64 {
    /// The most significant one first.
    fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}

extension KeyInference {
    /// A field that tells apart the records which share their key: `id`, `country.id`; nil where no one does.
    static func fieldBeside(_ loader: TableLoader, in records: Selection, adding added: Node?) -> String? {
        let paths = records.withRecord(at: 0) { first in
            first.members.prefix(100).flatMap { name, value in
                value.kind == .object ? value.members.prefix(20).map { [name.text, $0.key.text] } : [[name.text]]
            }
        }
        let keys = Set(loader.schema.key.map(\.path))
        return paths?.first { path in
            guard !keys.contains(path) else { return false }
            var seen: Set<[String]> = []
            var tellsApart = true
            records.forEach { node in
                guard tellsApart else { return }
                let record = PageRecord(node: node, added: added)
                guard let value = record.value(at: path), [.string, .integer].contains(value.kind) else {
                    tellsApart = false
                    return
                }
                let key = loader.keyValues(of: record).map { $0?.text ?? "" }
                tellsApart = seen.insert(key + [value.text]).inserted
            }
            return tellsApart
        }.map { $0.joined(separator: ".") }
    }
}
