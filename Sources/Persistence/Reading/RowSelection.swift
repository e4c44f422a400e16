package import GarnerDatabase
package import GarnerModel
import GarnerSQLite

/// A table or a view that somebody looks through.
package struct Relation: Sendable, Equatable {
    /// The name as it was made.
    package let name: String
    package let isView: Bool
    /// The full name of the stream that fills the table.
    package let stream: String?
    /// All columns, in their order, also those that the table's owner has added.
    package let columns: [RelationColumn]
    /// The positions of the key's columns; empty without a key.
    package let key: [Int]
    /// True if the only column of the key is SQLite's row number.
    package let keyIsRowNumber: Bool
    /// The name of the full-text index; nil if there is none.
    package let searchIndex: String?
    /// True if old versions of the rows are kept.
    package let keepsVersions: Bool
    /// The moment whose rows these are; nil for those of now.
    package var asOf: Timestamp?
    /// The mark of rows whose records the source lacks; nil if none are kept.
    package var mark: DeletionMark?

    /// Returns the position of the column with exactly this name.
    package func index(of name: String) -> Int? { columns.firstIndex { $0.name.utf8.elementsEqual(name.utf8) } }
}

/// A selection of rows, and their order.
package struct RowSelection: Sendable {
    package struct Order: Sendable, Equatable {
        package let column: Int
        package let isDescending: Bool

        package init(column: Int, isDescending: Bool = false) {
            (self.column, self.isDescending) = (column, isDescending)
        }
    }

    package var relation: Relation
    package var filters: [ColumnFilter]
    /// The words to search for; nil for no search.
    package var words: String?
    /// The order; nil for the table's own, or for the best matches first.
    package var order: Order?
    package var deleted = DeletedRows.leftOut

    package init(_ relation: Relation, filters: [ColumnFilter] = [], words: String? = nil, order: Order? = nil) {
        self.relation = relation
        self.filters = filters
        self.words = words
        self.order = order
    }

    /// The statement of the selection without parameters, for people to read and to change.
    package var literal: String {
        var conditions = filters.map(\.literal)
        if let condition = relation.mark?.condition(deleted, of: quoted(relation.name)) { conditions.append(condition) }
        if let words {
            let query = sqlLiteral(SearchText.words(words).query)
            conditions.append("_rowid_ IN (SELECT rowid FROM \(index) WHERE \(index) MATCH \(query))")
        }
        var sql = "SELECT * FROM \(quoted(relation.name))"
        if !conditions.isEmpty { sql += "\nWHERE \(conditions.joined(separator: "\n  AND "))" }
        if let order {
            let direction = order.isDescending ? " DESC" : ""
            sql += "\nORDER BY \(quoted(relation.columns[order.column].name))\(direction)"
        }
        return sql
    }

    private var index: String { quoted(relation.searchIndex ?? "") }

    /// The place of the rows, of which each is a `record`.
    var source: BoundSQL {
        let table = "\(quoted(relation.name)) AS record"
        guard let words else { return BoundSQL(table) }
        return BoundSQL(
            """
            (SELECT rowid AS number, rank AS place FROM \(index) WHERE \(index) MATCH ?) AS found
            CROSS JOIN \(table) ON record._rowid_ = found.number
            """, [.text(SearchText.words(words).query)])
    }

    /// Returns all rows with those conditions, and others.
    func select(_ what: String, and others: [BoundSQL], _ end: String = "") -> BoundSQL {
        let mark = (relation.mark?.condition(deleted, of: "record")).map { [BoundSQL($0)] } ?? []
        let (source, conditions) = (source, mark + filters.map { $0.condition("record.") } + others)
        let place = conditions.isEmpty ? "" : " WHERE \(conditions.map { "(\($0.text))" }.joined(separator: " AND "))"
        return BoundSQL(
            "SELECT \(what) FROM \(source.text)\(place) \(end)", source.values + conditions.flatMap(\.values))
    }
}

/// The row that a page ended with, after which the next one begins. It stays valid while other rows come and go.
package struct RowMark: Sendable, Equatable {
    package let row: Int64
    /// The row's value of the order; nil to look it up, or if there is no such value.
    package let value: Value?

    package init(row: Int64, value: Value?) { (self.row, self.value) = (row, value) }
}

extension RowSelection {
    /// The value by which rows are ordered before their number; nil for the number alone.
    private var sortExpression: (text: String, isDescending: Bool)? {
        if let order {
            if relation.keyIsRowNumber, relation.key == [order.column] { return nil }
            return ("record.\(quoted(relation.columns[order.column].name))", order.isDescending)
        }
        return words == nil ? nil : ("found.place", false)
    }

    private var isDescending: Bool { order?.isDescending ?? false }

    /// True if a mark of this order needs a value.
    var hasValue: Bool { sortExpression != nil }

    /// The statement that looks up the value of a mark.
    var lookup: String? {
        guard order != nil, let sort = sortExpression else { return nil }
        return "SELECT \(sort.text) FROM \(quoted(relation.name)) AS record WHERE _rowid_ = ?1"
    }

    /// Returns the queries for the numbers and the order's values of the rows after a mark, in the order of their rows.
    ///
    /// NULL comes before all values in SQLite's order. A comparison with it is never true, so rows with and without a
    /// value are different queries, each of which an index can answer.
    func numbers(after mark: RowMark?) -> [BoundSQL] {
        let direction = isDescending ? " DESC" : ""
        let comparison = isDescending ? "<" : ">"
        let byNumber = "ORDER BY record._rowid_\(direction)"
        guard let sort = sortExpression else {
            let after = mark.map { BoundSQL("record._rowid_ \(comparison) ?", [.integer($0.row)]) }
            return [select("record._rowid_, NULL", and: after.map { [$0] } ?? [], "\(byNumber) LIMIT ?")]
        }
        let what = "record._rowid_, \(sort.text)"
        let byValue = "ORDER BY \(sort.text)\(direction), record._rowid_\(direction) LIMIT ?"
        guard let mark else { return [select(what, byValue)] }
        let isNull = BoundSQL("\(sort.text) IS NULL")
        let laterRow = BoundSQL("record._rowid_ \(comparison) ?", [.integer(mark.row)])
        let value = mark.value ?? .null
        if value == .null {
            let rest = select(what, and: [isNull, laterRow], "\(byNumber) LIMIT ?")
            return isDescending
                ? [rest] : [rest, select(what, and: [BoundSQL("\(sort.text) IS NOT NULL")], byValue)]
        }
        // Many rows may have one value. An index finds a row among them only if the value is given.
        let sameValue = select(what, and: [BoundSQL("\(sort.text) = ?", [value]), laterRow], "\(byNumber) LIMIT ?")
        let laterValue = select(what, and: [BoundSQL("\(sort.text) \(comparison) ?", [value])], byValue)
        return [sameValue, laterValue] + (isDescending ? [select(what, and: [isNull], "\(byNumber) LIMIT ?")] : [])
    }

    func select(_ what: String, _ end: String = "") -> BoundSQL { select(what, and: [], end) }

    /// The query for all rows. In the same order, `garner export` would write the same bytes.
    var all: BoundSQL {
        guard let sort = sortExpression else {
            return select("record.*", order == nil ? "" : "ORDER BY record._rowid_\(isDescending ? " DESC" : "")")
        }
        let number = relation.isView ? "" : ", record._rowid_\(isDescending ? " DESC" : "")"
        return select("record.*", "ORDER BY \(sort.text)\(isDescending ? " DESC" : "")\(number)")
    }
}
