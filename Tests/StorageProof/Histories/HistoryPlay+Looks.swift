import Foundation
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import TestSupport

// MARK: - What else is told of the rows

extension HistoryPlay {
    /// Returns the problem with the database after the quiet reads have come to rest; nil if there is none.
    ///
    /// - Parameter read: the world with the values that its partition has in the read.
    func settledProblem(_ read: World, since before: Snapshot) throws -> HistoryProblem? {
        guard let table = snapshot.table else { return nil }
        let reader = try ReadOnlyDatabase(path: path)
        let source = SourceLook(
            world: read, after: snapshot, collection: server.collection, log: server.log,
            slipped: world.isMirror ? model.descent.slipped : slipped)
        return try source.problem() ?? shownProblem(table, reader) ?? searchProblem(table, before.table, reader)
            ?? fileProblem(table, reader)
    }

    /// What `get`, `rows` and `export` show of the rows.
    private func shownProblem(_ table: StoredTable, _ reader: ReadOnlyDatabase) throws -> HistoryProblem? {
        let shown = try Self.all(reader.rows(for: RowRequest(table: World.table, deleted: .shown))).map(\.told)
        let expected = table.rows.map(\.whole.told)
        if shown.sorted() == expected.sorted() { return nil }
        return HistoryProblem("shown", "the rows are shown as \(shown.sorted()) instead of \(expected.sorted())")
    }

    /// The index is made when a run begins, so that there is none where the first of its columns has only come.
    private func searchProblem(
        _ table: StoredTable, _ before: StoredTable?, _ reader: ReadOnlyDatabase
    ) throws -> HistoryProblem? {
        let fields = world.searched.filter { table.types[$0] != nil }
        guard world.isSearched, fields.contains(where: { before?.types[$0] != nil }) else { return nil }
        let words = ["tapir", "okapi", "quoll", "007"]
        for (word, deleted) in words.flatMap({ [($0, DeletedRows.leftOut), ($0, .shown)] }) {
            let found = try Self.all(reader.search(World.table, for: .words(word), limit: nil, deleted: deleted)).map(
                \.told)
            let expected = table.rows.map(\.whole).filter { row in
                (deleted == .shown || row.isPresent)
                    && fields.contains { row[$0].map { Self.words(of: $0).contains(word) } ?? false }
            }.map(\.told)
            if found.sorted() != expected.sorted() {
                return HistoryProblem(
                    "search", "'\(word)' is found in \(found.sorted()) instead of \(expected.sorted())")
            }
        }
        return nil
    }

    private static func words(of value: Value) -> [String] {
        value.keyText.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private func fileProblem(_ table: StoredTable, _ reader: ReadOnlyDatabase) throws -> HistoryProblem? {
        guard world.hasFiles, world.isKeyed else { return nil }
        let collection = server.collection
        // Of a row that is marked as missing, it is not told.
        for row in table.rows where row.isPresent {
            guard case .text(let url)? = row["photo"], let number = Int(url.dropFirst(7)) else { continue }
            let place = try reader.place(in: World.table, key: row.id(world.keyColumns).parts)
            let file = try reader.attachments(of: place).first { $0.field == "photo" }
            let bytes = try file?.sha256.map { try reader.content(ofFile: $0) }
            if bytes != ModelServer.content(ofFile: number, in: collection) {
                let got = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
                return HistoryProblem("files", "of \(url) \(got) is stored")
            }
        }
        return nil
    }

    /// Returns the problem with the rows as of earlier instants, apart from the spelling of values, or nil.
    func pastProblem() throws -> HistoryProblem? {
        for (instant, rows) in past {
            let reader = try ReadOnlyDatabase(path: path)
            let told = try reader.viewing(asOf: instant) { try Self.all(reader.rows("SELECT * FROM \(World.table)")) }
            let (wanted, got) = (Self.essences(rows), Self.essences(told))
            if wanted != got {
                return HistoryProblem("past", "at \(instant) the rows are said to be \(got) instead of \(wanted)")
            }
        }
        return nil
    }

    private static func all(_ cursor: RowCursor) throws -> [Row] {
        var rows: [Row] = []
        while let row = try cursor.next() { rows.append(Row(row, cursor.columns)) }
        return rows
    }

    private static func essences(_ rows: [Row]) -> [String] {
        rows.map {
            $0.compared.essence.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
        .sorted()
    }

    /// Looks for what the rules for fields leave out or hash, in all bytes of the database's files.
    func secretProblem() throws -> HistoryProblem? {
        guard world.isMirror, !hidden.isEmpty else { return nil }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path) {
            guard let data = FileManager.default.contents(atPath: folder.path(name)) else { continue }
            for needle in hidden where data.range(of: Data(needle.utf8)) != nil {
                return HistoryProblem("secret", "the file \(name) has '\(needle)' in it")
            }
        }
        return nil
    }

    func changesProblem() throws -> HistoryProblem? {
        guard !changes.isEmpty, world.isKeyed, snapshot.table != nil else { return nil }
        var told: [RunID: [RecordID: RecordChange]] = [:]
        try ReadOnlyDatabase(path: path).forEachChange(ChangeRequest()) { change in
            told[change.run, default: [:]][try RecordID(change.key, in: world)] = change
        }
        for (run, wanted) in changes.sorted(by: { $0.key < $1.key }) {
            let told = told[run] ?? [:]
            let (words, expected) = (told.mapValues(\.operation.rawValue), wanted.mapValues(\.operation))
            if words != expected {
                return HistoryProblem("changes", "run \(run) noted \(words) instead of \(expected)")
            }
            for (id, change) in told {
                guard let fields = change.fields, let expected = wanted[id]?.fields else { continue }
                let differing = fields.filter { $0.old.essence != $0.new.essence && !$0.name.hasPrefix("_garner_") }
                let got = Dictionary(differing.map { ($0.name, [$0.old.essence, $0.new.essence]) }) { first, _ in first
                }
                if got != expected {
                    return HistoryProblem("fields", "run \(run) changed of \(id) \(got) instead of \(expected)")
                }
            }
        }
        return nil
    }
}

extension RecordID {
    /// Leaves out the part for the parent's record.
    fileprivate init(_ key: RecordChange.Key, in world: World) throws {
        switch key {
        case .single(let value): self.init(parts: [value.keyText])
        case .composite(let json):
            let parts = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any]
            self.init(parts: (parts ?? []).dropFirst(world.hasParent ? 1 : 0).map { "\($0)" })
        }
    }
}
