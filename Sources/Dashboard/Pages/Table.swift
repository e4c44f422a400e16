import GarnerDatabase
import GarnerJSON
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerTasks

extension Dashboard {
    /// The rows of a table or a view: filtered, searched, sorted, a page at a time.
    func tablePage(_ request: WebRequest) async throws -> WebResponse {
        if let format = request.format {
            return try await format.isJSON ? pageOfRows(request, as: format) : export(request, as: format)
        }
        let rows = try await readRows(request) { try TableRows($1, in: $0) }
        guard !rows.address.isOfForm else { return .redirect(to: rows.address.link) }
        let (relation, link) = (rows.address.relation, rows.address.link)
        return response(
            Page(
                title: relation.name, section: .tables, content: TablePage(rows: rows).html,
                twins: RowFormat.ofPages.map { (name: $0.title, link: ($0.isJSON ? request.link : link).as($0)) },
                rest: { await self.rest(of: rows) }))
    }

    private func pageOfRows(_ request: WebRequest, as format: RowFormat) async throws -> WebResponse {
        let bytes = try await readRows(request) { database, address in
            try TableRows.cursor(address, in: database).collected(as: format)
        }
        return .rows(.bytes(bytes), as: format, name: request.components[1])
    }

    /// Reads the rows that an address asks for: those of now, or as they were.
    func readRows<R: Sendable>(
        _ request: WebRequest, _ body: @escaping @Sendable (ReadOnlyDatabase, TableAddress) throws -> R
    ) async throws -> R {
        let name = request.components[1]
        guard let instant = try TableAddress.asOf(request) else {
            return try await read { try body($0, TableAddress(request, $0.relation(name))) }
        }
        return try await readPast(at: instant) {
            try body($0, TableAddress(request, $0.relation(name, asOf: instant)))
        }
    }

    /// The time that counts, and values to choose from, may take.
    private static let extraTime = Duration.milliseconds(100)
    /// The rows from which values to choose from are taken.
    private static let sample = 1_000
    private static let mostFacets = 6
    /// The columns that are looked through for facets.
    private static let facetColumns = 24

    /// Reads within the time for what is not needed at once; nil if that was too short, or if it failed.
    func readInTime<R: Sendable>(_ body: @escaping @Sendable (ReadOnlyDatabase) throws -> R) async -> R? {
        try? await read(within: Self.extraTime, body)
    }

    /// The part of the page that comes after the rows: how many there are, and the values to choose from.
    private func rest(of rows: TableRows) async -> HTML {
        async let count = count(of: rows)
        async let deleted = deletedCount(of: rows)
        async let facets = facets(of: rows)
        return await TablePage(rows: rows).rest(count: count, deleted: deleted, facets: facets)
    }

    private func count(of rows: TableRows) async -> TablePage.Count {
        let (selection, limit) = (rows.address.selection, TablePage.countLimit)
        guard !selection.relation.isView else { return .unknown }
        if rows.next == nil, rows.address.mark == nil, rows.rows.count < TableRows.viewRows {
            return .exactly(rows.rows.count)
        }
        if let count = await readInTime({ try $0.count(of: selection) }) { return .exactly(count) }
        if let count = await readInTime({ try $0.count(of: selection, upTo: limit) }) {
            return count < limit ? .exactly(count) : .atLeast(limit)
        }
        return .unknown
    }

    /// Returns the number of rows that are left out; nil if it was not counted in time.
    private func deletedCount(of rows: TableRows) async -> Int? {
        var selection = rows.address.selection
        guard selection.relation.mark != nil, selection.deleted == .leftOut else { return 0 }
        selection.deleted = .alone
        return await readInTime { [selection] in try $0.count(of: selection) }
    }

    private func facets(of rows: TableRows) async -> [Facet] {
        let selection = rows.address.selection
        let relation = rows.address.relation
        guard !relation.isView else { return [] }
        let candidates = rows.columns.filter { index in
            let column = relation.columns[index]
            return !relation.key.contains(index) && !column.isJSON
        }.prefix(Self.facetColumns)
        let sampled = await readInTime { database in
            try candidates.compactMap { index -> Facet? in
                guard let facet = try database.facet(ofColumn: index, in: selection, sample: Self.sample) else {
                    return nil
                }
                let counted = facet.entries.reduce(0) { $0 + $1.rows }
                let isChosen = selection.filters.contains { $0.column == relation.columns[index] }
                // Measured values are no kinds of records, even if few differ.
                let isMeasured = facet.entries.contains { if case .real = $0.value { true } else { false } }
                let isUseful = !isMeasured && facet.entries.count > 1 && counted > facet.entries.count * 3 / 2
                return isUseful || isChosen ? facet : nil
            }
        }
        let chosen = Array((sampled ?? []).prefix(Self.mostFacets))
        guard chosen.contains(where: { $0.sample != nil }) else { return chosen }
        let exact = await readInTime { database in
            try chosen.map { facet in
                guard facet.sample != nil else { return facet }
                return try database.facet(ofColumn: facet.column, in: selection, sample: nil) ?? facet
            }
        }
        return exact ?? chosen
    }
}

extension RowCursor {
    private static let mostBytes = 32 << 20

    private final class Collected {
        var bytes: [UInt8] = []
    }

    func collected(as format: RowFormat) throws -> [UInt8] {
        let collected = Collected()
        try write(as: format) { piece in
            collected.bytes += piece
            guard collected.bytes.count <= Self.mostBytes else {
                throw PersistenceError(
                    .limit, "the rows of this page have more than \(Self.mostBytes >> 20) MiB",
                    hint: "ask for all of them as .csv")
            }
        }
        return collected.bytes
    }
}
