import GarnerCatalog
import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel
import GarnerSQLite

// The checks on the keys of a read's records: a key that does not identify records, or no key, with which every
// sync would store all records again.
extension StreamTable {
    /// True if all rows of a read come with one list: it has no slices, no cursor, and no records that say they are deleted.
    var isOneList: Bool {
        stream.hasOneSlice && stream.incremental == nil && stream.deletedWhen == nil && !stream.replacesTable
    }

    /// Notes that all rows are those of this read, if it is the stream's first read, which goes on.
    func noteIfInsertsTell(_ read: ReadID) throws {
        guard evidence.deletions.resumedRead != nil, isOneList, !hasBaseline, !evidence.isOriginKnown else { return }
        evidence.isOriginKnown = true
        let first = try connection.integer("SELECT min(run_id) FROM _garner_runs WHERE stream_id = ?1", .id(streamID))
        if first == read.number { evidence.ownsAllRows() }
    }

    /// Checks the keys of the page that was just stored.
    ///
    /// Throws `PersistenceError` if the first read shows that the key does not identify its records.
    func judgeKeys(of records: Selection, _ added: AddedFields) throws {
        let finding = evidence.endPage(records: records.count)
        try judgeSlices(of: records)
        guard let loader, !loader.schema.key.isEmpty else { return }
        evidence.distinction.note(
            finding.places, in: records, added, key: Set(loader.schema.key.map(\.path)), keyText: loader.keyText(of:))
        func keyText(at place: Int) -> String? {
            records.withRecord(at: place) { record in
                added.with { loader.keyText(of: PageRecord(node: record, added: $0)) }
            }
        }
        evidence.crossingExample = evidence.crossingExample ?? finding.crossingPlace.flatMap(keyText)
        guard finding.repeats > 0 else { return }
        evidence.repeatedExample = evidence.repeatedExample ?? finding.places.first.flatMap(keyText)
        guard !hasBaseline else { return }
        let key = loader.schema.key.map(\.name).joined(separator: ", ")
        let apart = added.with { KeyInference.fieldBeside(loader, in: records, adding: $0) }
        let hint =
            apart.map { "set primary_key to what tells them apart, such as \($0)" }
            ?? KeyInference.combination(in: [records]).map {
                "set primary_key: [\($0.joined(separator: ", "))], if it identifies a record"
            }
            ?? "set primary_key to what tells them apart, or dedupe: true"
        let isInferred = stream.primaryKey == nil
        let also = apart.map { "; \($0) tells them apart" } ?? ""
        guard isInferred || finding.sharing < 10 || finding.sharing * 2 <= records.count else {
            throw PersistenceError(
                .key,
                "\(records.count.counted("record")) have \(finding.distinct.counted("key")) (\(key))\(also)",
                hint: .text(hint + reset))
        }
        // A list of changes may well have a record on several pages, but not where a read lists what there is.
        let isConfiguredWrongly = finding.sharing > 0 && stream.incremental == nil && evidence.mostShareKey
        guard isInferred ? evidence.manyShareKey : isConfiguredWrongly else { return }
        throw PersistenceError(
            .key,
            "\(evidence.repeatedKeys.count) of \(evidence.recordsRead.counted("record")) have the \(key) of another one"
                + (isInferred ? ", which was taken for the key of \(stream.name)" : also),
            hint: .text(hint + reset))
    }

    /// Returns true if a record may be on two of the pages that a read has seen, so that another one may have been on none.
    ///
    /// - Parameter slice: The slice of the pages; nil for any.
    func mayHaveRecordOnTwoPages(_ read: ReadID, in slice: SliceID? = nil) throws -> Bool {
        let keys = evidence.repeatedKeys
        let isInDoubt =
            slice.map(keys.doubtfulSlices.contains) ?? (keys.mayCrossPages && !keys.crossesPages)
        guard isInDoubt else { return false }
        // Only what is deleted, or not asked for again, is lost.
        guard stream.deletesRows else { return stream.incremental != nil }
        return try PageTable(streamID: streamID, connection: connection).hasMemberOnTwoPages(of: read, in: slice)
    }

    /// Throws `PersistenceError` if the first read shows that the records of different slices are different ones.
    private func judgeSlices(of records: Selection) throws {
        guard !hasBaseline,
            evidence.slicesDiffer(keyIsInferred: stream.primaryKey == nil, records: records.count),
            let conflict = try sliceConflict
        else { return }
        throw PersistenceError(.key, conflict.message, hint: .text(conflict.hint + reset))
    }

    /// The hint to drop the table: one that an earlier run created must go before it can have another key.
    private var reset: String {
        evidence.repeatedKeys.tableIsNew
            ? "" : "; then drop the table \(stream.table), so that the next sync makes it anew"
    }

    /// The warning about records that share their key although their contents differ; nil if none do.
    var repeatedWarning: String? {
        get throws {
            if let (message, hint) = try sliceConflict {
                return "\(message); of each the last one was stored; \(hint); "
                    + "a new primary_key needs a new table, as after 'garner drop \(stream.name)'"
            }
            return repetition
        }
    }

    private var repetition: String? {
        guard let sharing = sharingWarning, let key = loader?.schema.key.map(\.name) else { return nil }
        return "\(sharing); of each the last one was stored; \(sharingAdvice)"
            + evidence.distinction.line(beside: key, for: stream)
    }

    /// What to do about records that share a key. They may be states of one record, which a configured key is right for.
    var sharingAdvice: String {
        (stream.primaryKey == nil ? "" : "if they are different records, ") + evidence.distinction.remedy
    }

    /// Tells how many records have the key of another one; nil if none does.
    var sharingWarning: String? {
        guard evidence.repeatedKeys.count > 0, let key = loader?.schema.key.map(\.name), !key.isEmpty else {
            return nil
        }
        return sharedKeys(key)
    }

    private func sharedKeys(_ key: [String]) -> String {
        let example = evidence.repeatedExample.map { ", such as \($0)" } ?? ""
        let count = evidence.repeatedKeys.count
        let bound = evidence.repeatedKeys.isUncounted ? "at least " : ""
        return
            "\(bound)\(count.counted("record")) \(count == 1 ? "has" : "have") the \(key.joined(separator: ", ")) of another "
            + "record with other content\(example)"
    }

    /// Returns the names of the fields of the key that a new table gets; none for a table without one.
    func keyNames(in records: Selection) throws -> [String] {
        if stream.writeDisposition == .append || stream.dedupes { return [] }
        if let configured = stream.primaryKey { return configured }
        // Children of different parents may have equal numbers.
        let parents = try stream.parent.flatMap { try ParentTable(of: stream, parent: $0, on: connection)?.keyMembers }
        if let own = KeyInference.key(of: stream, in: records) { return (parents ?? []) + [own] }
        // The only record of its slice is known by the slice.
        return evidence.isDocument ? (parents ?? []) + stream.partitions.map(\.memberName) : []
    }

    /// Returns the judgement on a read if its inferred key does not identify the records; nil if it does, or if so few records share
    /// a key that they may just have changed while they were read. Remembers the shared keys for the next read.
    ///
    /// Rows that the read has only changed to and fro get no new versions.
    func judgeInferredKey(run: RunID) throws -> Verdict? {
        if let made = evidence.keyJudgement { return made }
        let verdict = try repeatedKeyVerdict(run: run)
        evidence.keyJudgement = .some(verdict)
        return verdict
    }

    private func repeatedKeyVerdict(run: RunID) throws -> Verdict? {
        if evidence.repeatedKeys.count > 0 { try companions.versions?.takeBackUnchanged(run: run) }
        guard let key = loader?.schema.key.map(\.name), !key.isEmpty else { return nil }
        let isInferred = stream.primaryKey == nil
        let earlier = try connection.firstRow(
            "SELECT repeated_keys FROM _garner_streams WHERE stream_id = ?1", [.id(streamID)]
        ) { $0.kind(at: 0) == .null ? [] : Self.hashes($0.bytes(at: 0)) }
        let (doubled, known) = (evidence.repeatedKeys.doubled, Set(earlier ?? []))
        evidence.doublesAreNew = !doubled.isEmpty && doubled.isDisjoint(with: known)
        // The pages that came unchanged have not shown which configured keys they repeat.
        let keys = isInferred ? evidence.repeatedKeys.keys.union(doubled) : doubled.isEmpty ? known : doubled
        if keys != known {
            let bytes = keys.sorted().flatMap(\.bytes)
            try connection.execute(
                "UPDATE _garner_streams SET repeated_keys = ?2 WHERE stream_id = ?1", .id(streamID),
                keys.isEmpty ? .null : .blob(bytes))
        }
        guard isInferred, evidence.inferredKeyIsDoubtful(after: known) else { return nil }
        return Verdict(.contradicted, sharedKeys(key), advice: evidence.distinction.remedy)
    }

    /// Detects that a table without a key is about to get all records a second time, although nobody asked for that.
    ///
    /// Throws `PersistenceError` for a list of at least `shortestList` records, before it is stored. A shorter list, a single record
    /// or a table of an earlier version gets one warning.
    func requireNewRecords(among records: Selection) throws {
        guard evidence.first.areAwaited, let loader, isKeyless(loader), records.count > 0 else { return }
        let stored = try connection.firstRow(
            "SELECT first_records, follows_as_before FROM _garner_streams WHERE stream_id = ?1", [.id(streamID)]
        ) { row in
            (
                hashes: row.kind(at: 0) == .null ? [] : Self.hashes(row.bytes(at: 0)),
                isTold: row.kind(at: 0) == .blob && row.bytes(at: 0).count == Self.told.count,
                isOld: row.integer(at: 1) == 1
            )
        }
        guard let stored, !stored.isTold else {
            evidence.first.areAwaited = false
            return
        }
        let earlier = Set(stored.hashes)
        let hashes = hashes(of: records)
        let known = hashes.count { earlier.contains($0) }
        guard !earlier.isEmpty, known == hashes.count || Set(hashes).isSuperset(of: earlier) else { return }
        let message =
            "the table \(stream.table) has no primary key, and \(known.counted("record")) that it holds came again"
        let key = try Self.example(of: keyShown(by: records))
        let hint =
            "set primary_key to what identifies a record\(key), or dedupe: true to store each once, \(startingAnew); "
            + "or set write_disposition: append to store all of them again with every sync"
        // A sync that has long worked this way gets a warning and is not stopped.
        guard stored.isOld || records.count < Self.shortestList else {
            throw PersistenceError(.key, message, hint: .text(hint))
        }
        evidence.first.comesAgain = "\(message); \(hint)"
        evidence.first.areAwaited = false
        try remember(Self.told)
    }

    /// Returns the fields that identify a page's records, and the table's rows as far as these are looked at; nil if none do.
    private func keyShown(by records: Selection) throws -> [String]? {
        var left = Self.mostChecks
        return try KeyInference.combination(in: [records]) { fields in
            guard left > 0 else { return false }
            left -= 1
            let columns = fields.compactMap { field in loader?.schema.columns.first { $0.path == [field] }?.name }.map(
                quoted)
            guard columns.count == fields.count else { return false }
            let list = columns.joined(separator: ", ")
            return try connection.integer(
                """
                SELECT count(*) FROM (SELECT 1 FROM (SELECT \(list) FROM \(quoted(stream.table)) LIMIT \(Self.mostRows))
                GROUP BY \(list) HAVING count(*) > 1 LIMIT 1)
                """) == 0
        }
    }

    /// The rows that a check looks at, and the checks that a run makes: a table without a key has them in each run.
    private static let (mostRows, mostChecks) = (20_000, 5)

    /// The rest of an advice to change the key: a table that is there keeps the key that it has.
    private var startingAnew: String {
        "and run 'garner drop \(stream.name)', so that the next sync makes its table anew"
    }

    private static func example(of key: [String]?) -> String {
        key.map { ", such as primary_key: [\($0.joined(separator: ", "))]" } ?? ""
    }

    /// The warning that every record becomes a new row although nobody asked for that; nil if not.
    var appendingWarning: String? {
        get throws {
            guard stream.writeDisposition == nil, loader?.schema.key.isEmpty == true, evidence.first.comesAgain == nil
            else {
                return nil
            }
            let key = try Self.example(of: evidence.first.records.flatMap { try keyShown(by: $0) })
            return
                "the table \(stream.table) has no primary key, so that records that come again make a later run fail, "
                + "or are stored again; set primary_key\(key), \(startingAnew); or set write_disposition: append "
                + "if that is meant"
        }
    }

    /// Stores the hashes by which a keyless read's first records are recognised when they come again.
    func rememberFirst(_ records: Selection) throws {
        guard evidence.first.areAwaited, let loader, records.count > 0 else { return }
        evidence.first.areAwaited = false
        guard isKeyless(loader) else { return }
        if records.count <= KeyDistinction.longestPage { evidence.first.records = records }
        try remember(hashes(of: records).prefix(Self.longestMemory).flatMap(\.bytes))
    }

    private func isKeyless(_ loader: TableLoader) -> Bool {
        stream.writeDisposition == nil && !stream.dedupes && loader.schema.key.isEmpty
    }

    private func hashes(of records: Selection) -> [Int64] {
        var hashes: [Int64] = []
        records.forEach { hashes.append(evidence.hashKey.fingerprint(of: UnsafeRawBufferPointer($0.utf8)).shortened) }
        return hashes
    }

    private func remember(_ bytes: [UInt8]) throws {
        let statement = try connection.statement("UPDATE _garner_streams SET first_records = ?2 WHERE stream_id = ?1")
        try statement.bind([.id(streamID), .blob(bytes)])
        try statement.run()
    }

    /// The bytes that replace the hashes once the warning was given.
    private static let told: [UInt8] = [1]

    /// The length below which lists may well be equal by chance.
    private static let shortestList = 10
    private static let longestMemory = 1_000

    private static func hashes(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int64] {
        stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}

extension Int64 {
    /// The bytes, most significant first.
    fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}

extension KeyInference {
    /// Returns a field that distinguishes the records which share their key, such as `id` or `country.id`; nil if none does.
    static func fieldBeside(_ loader: TableLoader, in records: Selection, adding added: Node?) -> String? {
        let paths = records.withRecord(at: 0, KeyDistinction.paths)
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
