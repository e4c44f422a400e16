import GarnerCatalog
import GarnerDatabase
import GarnerModel
import GarnerPersistence
import GarnerReports

/// The rows that the address of a table asks for: `?diet=Krill&lifespan__gt=20&_q=whale&_sort_desc=lifespan&after=…`
///
/// A parameter is the name of a column, alone or with `__` and a comparison. If such a name can be read in two ways, the
/// longer comparison counts, and `__exact` says that the whole is a name.
struct TableAddress: Sendable {
    static let search = "_q"
    static let ascending = "_sort"
    static let descending = "_sort_desc"
    static let after = "after"
    static let asOf = "_as_of"
    static let deleted = "_deleted"
    /// The fields of the form that adds a filter.
    static let formColumn = "_column"
    static let formComparison = "_is"
    static let formValue = "_value"

    private static let reserved = [
        search, ascending, descending, after, asOf, deleted, formColumn, formComparison, formValue,
    ]
    private static let mostFilters = 50

    var selection: RowSelection
    let mark: RowMark?
    /// True if the address comes from the form, and should be replaced by the short one.
    let isOfForm: Bool

    var relation: Relation { selection.relation }

    init(_ selection: RowSelection) {
        self.selection = selection
        mark = nil
        isOfForm = false
    }

    /// Throws `PersistenceError` for a column that does not exist.
    init(_ request: WebRequest, _ relation: Relation) throws {
        var selection = RowSelection(relation)
        for item in request.query where !Self.reserved.contains(item.name) {
            selection.filters.append(try Self.filter(item, relation))
        }
        isOfForm = request.value(of: Self.formColumn) != nil
        if let name = request.value(of: Self.formColumn), !name.isEmpty {
            let column = relation.columns[try Self.column(name, of: relation)]
            let comparison = request.value(of: Self.formComparison).flatMap(ColumnFilter.Comparison.init) ?? .equal
            let value = comparison == .isnull ? "1" : request.value(of: Self.formValue) ?? ""
            selection.filters.append(ColumnFilter(column, comparison, value))
        }
        if let wrong = selection.filters.first(where: { !$0.isComparable }) {
            let name = wrong.column.name
            throw ParameterError(
                name: Self.name(of: wrong, relation), value: wrong.value,
                advice: "\(name) holds numbers: give one, or look for text with \(name)__contains")
        }
        guard selection.filters.count <= Self.mostFilters else {
            throw PersistenceError(
                .limit, "the address has more than \(Self.mostFilters) filters", hint: "write the query as SQL")
        }
        if let words = request.value(of: Self.search), !words.isEmpty {
            guard relation.asOf == nil else {
                throw ParameterError(
                    name: Self.search, value: words, advice: "old rows have no index: look with COLUMN__contains")
            }
            selection.words = words
        }
        if let name = request.value(of: Self.ascending) {
            selection.order = .init(column: try Self.column(name, of: relation))
        } else if let name = request.value(of: Self.descending) {
            selection.order = .init(column: try Self.column(name, of: relation), isDescending: true)
        }
        if try request.showsDeleted() { selection.deleted = .shown }
        mark = try request.value(of: Self.after).map(RowMark.init(text:))
        self.selection = selection
    }

    /// The address of the first of these rows.
    var link: Link { Self.link(selection) }

    static func link(_ selection: RowSelection) -> Link {
        var link = Link("tables", selection.relation.name)
        for filter in selection.filters {
            link.query.append(QueryItem(name(of: filter, selection.relation), filter.value))
        }
        if let instant = selection.relation.asOf { link.query.append(QueryItem(asOf, "\(instant)")) }
        if selection.deleted == .shown { link.query.append(QueryItem(deleted, "1")) }
        if let words = selection.words { link.query.append(QueryItem(search, words)) }
        if let order = selection.order {
            let name = order.isDescending ? descending : ascending
            link.query.append(QueryItem(name, selection.relation.columns[order.column].name))
        }
        return link
    }

    /// The address of the same selection of the rows of now.
    var linkToNow: Link { changed { $0.relation.asOf = nil } }

    /// Returns the moment whose rows a request asks for; nil for now. A form gives it without seconds and zone.
    static func asOf(_ request: WebRequest) throws -> Timestamp? {
        try request.choice(asOf).map { text in
            guard let moment = Timestamp(written: text) else {
                throw ParameterError(name: "a moment", value: text, advice: "write it as 2026-01-31T08:00:00Z")
            }
            return moment
        }
    }

    /// Returns the address of the same selection with or without rows whose records the source lacks.
    func link(deleted: DeletedRows) -> Link { changed { $0.deleted = deleted } }

    func link(after mark: RowMark) -> Link { link.adding(Self.after, mark.text) }

    func link(without filter: ColumnFilter) -> Link { changed { $0.filters.removeAll { $0 == filter } } }

    /// Returns the address of the rows that have this value, instead of another one, in a column.
    func link(column: RelationColumn, value: Value) -> Link {
        changed {
            $0.filters.removeAll { $0.column == column && $0.comparison == .equal }
            $0.filters.append(Self.filter(column, value))
        }
    }

    /// Returns the address of the rows of another selection.
    func changed(_ change: (inout RowSelection) -> Void) -> Link {
        var selection = selection
        change(&selection)
        return Self.link(selection)
    }

    /// Returns the filter for rows that have this value in a column. A text that stands in a column of numbers is looked for.
    static func filter(_ column: RelationColumn, _ value: Value) -> ColumnFilter {
        switch value {
        case .null: return ColumnFilter(column, .isnull, "1")
        case .integer(let integer) where column.isBoolean && (0...1).contains(integer):
            return ColumnFilter(column, .equal, integer == 1 ? "true" : "false")
        default:
            let filter = ColumnFilter(column, .equal, value.text ?? "")
            return filter.isComparable ? filter : ColumnFilter(column, .contains, filter.value)
        }
    }

    private static func filter(_ item: QueryItem, _ relation: Relation) throws -> ColumnFilter {
        if let (column, comparison) = compared(item.name, relation) {
            let value = comparison == .isnull ? try truth(of: item) : item.value
            return ColumnFilter(relation.columns[column], comparison, value)
        }
        return ColumnFilter(relation.columns[try column(item.name, of: relation)], .equal, item.value)
    }

    /// Returns `1` or `0` for the value of a parameter that asks whether there is a value.
    private static func truth(of item: QueryItem) throws -> String {
        switch item.truth {
        case true?: return "1"
        case false?: return "0"
        case nil:
            throw ParameterError(
                name: String(item.name.prefix(100)), value: item.value,
                advice: "write 1, true or yes for rows without a value, or 0, false or no for rows with one")
        }
    }

    /// Splits a name that ends in `__` and a comparison; nil if it is none, or the rest is no column.
    private static func compared(_ name: String, _ relation: Relation) -> (Int, ColumnFilter.Comparison)? {
        guard let comparison = ColumnFilter.Comparison.allCases.first(where: { name.hasSuffix("__\($0.rawValue)") }),
            let column = relation.index(of: String(name.dropLast(comparison.rawValue.count + 2)))
        else { return nil }
        return (column, comparison)
    }

    private static func name(of filter: ColumnFilter, _ relation: Relation) -> String {
        let name = filter.column.name
        let isPlain = filter.comparison == .equal && !reserved.contains(name) && compared(name, relation) == nil
        return isPlain ? name : "\(name)__\(filter.comparison.rawValue)"
    }

    private static func column(_ name: String, of relation: Relation) throws -> Int {
        if let index = relation.index(of: name) { return index }
        let names = relation.columns.map(\.name)
        let closest = Suggestion.closest(to: name, among: names)
        // A column's name may have two underscores, too.
        if closest?.contains("__") != true, let unknown = unknownComparison(name, relation) { throw unknown }
        let hint: Hint =
            closest.map { "did you mean '\($0)'?" }
            ?? "it has: \(names.prefix(50).joined(separator: ", "))"
        throw PersistenceError(.request, "\(relation.name) has no column '\(name.prefix(100))'", hint: hint)
    }
}

extension TableAddress {
    /// Returns the error for a name that is a column's, and `__` with a word that is no comparison.
    private static func unknownComparison(_ name: String, _ relation: Relation) -> ParameterError? {
        let mark = Array("__".utf8)
        let bytes = Array(name.utf8)
        for place in bytes.ranges(of: mark).reversed() {
            let column = String(decoding: bytes[..<place.lowerBound], as: UTF8.self)
            guard relation.index(of: column) != nil else { continue }
            let known = ColumnFilter.Comparison.allCases.map { "__\($0.rawValue)" }.joined(separator: ", ")
            return ParameterError(
                name: "a comparison of \(column)",
                value: String(decoding: bytes[place.lowerBound...], as: UTF8.self), advice: "write one of \(known)")
        }
        return nil
    }
}

extension RowMark {
    /// The longest value that stands in an address, in bytes. A longer one is looked up.
    private static let longestText = 200

    /// The mark as it stands in an address: the number of the row, and the kind and the value of the order.
    var text: String {
        switch value {
        case nil, .blob: "\(row)"
        case .null: "\(row)_n"
        case .integer(let integer): "\(row)_i\(integer)"
        case .real(let real): "\(row)_r\(real)"
        case .text(let text): text.utf8.count > Self.longestText ? "\(row)" : "\(row)_t\(text)"
        }
    }

    init(text: String) throws {
        // A combining mark at the beginning of the value would hide the letter before it.
        let halves = text.utf8.split(separator: UInt8(ascii: "_"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let row = Int64(Substring(halves[0])) else { throw Self.wrong }
        guard halves.count == 2 else {
            self.init(row: row, value: nil)
            return
        }
        let rest = String(Substring(halves[1].dropFirst()))
        switch halves[1].first {
        case UInt8(ascii: "n"): self.init(row: row, value: .null)
        case UInt8(ascii: "i"): self.init(row: row, value: .integer(try Int64(rest) ?? { throw Self.wrong }()))
        case UInt8(ascii: "r"): self.init(row: row, value: .real(try Double(rest) ?? { throw Self.wrong }()))
        case UInt8(ascii: "t"): self.init(row: row, value: .text(rest))
        default: throw Self.wrong
        }
    }

    private static var wrong: PersistenceError {
        PersistenceError(.request, "'after' names no row of this order", hint: "begin again at the first page")
    }
}
