import GarnerDatabase
import GarnerDigest
import GarnerJSON
import GarnerModel

// The handling of members without a column. Nothing is learnt about them: a failed lookup of a name costs a
// hash and no memory, however many names a source makes up.
extension RecordBinder {
    /// A reason why a record cannot be bound to the current table.
    enum BindingFailure {
        /// A member without a column, in the object of this map.
        case unknown(map: Int, key: String)
        /// An object to flatten that has no map, in the object of this map.
        case nested(map: Int, key: String)
        /// A value that the column's type cannot hold exactly.
        case narrow(column: Int, ColumnType)
        /// An array of objects, in the object of this map, that may or may not become a table.
        case array(map: Int, key: String)
        /// A value to be set aside, in a table that has no column for that.
        case needsRest
        /// A member without a column that the table must not get.
        case foreign(path: [String])
        case refused(reason: String)
    }

    static func noTable(_ path: [String]) -> String {
        "its member '\(path.joined(separator: "."))' has a table of its own, and is no array of objects"
    }

    /// The handling of members without a column.
    enum UnmappedMembers {
        case becomeColumns
        /// The record does not fit.
        case areRefused
        case areLeftOut
        /// They are kept together in one column.
        case areKept
    }

    /// A value of the record that is not in a column of its own.
    struct RestMember {
        /// The member names that lead to it; for a value that was set aside, the name of its column.
        let path: [String]
        let value: Node
        /// The column in whose place it was set aside; nil for a member without a column.
        var column: Int?
        /// True if the column has the number that it spells.
        var isSpelling = false
    }

    /// Handles a member without a column. Returns a failure if the table or the record has to change.
    mutating func resolve(unmapped key: Node, _ value: Node, inMap map: Int, depth: Int) -> BindingFailure? {
        if unmappedMembers == .becomeColumns, restParameter == nil || canName(key, inMap: map) {
            let isNested = value.isObject && depth < flattenDepth
            return isNested ? .nested(map: map, key: key.text) : .unknown(map: map, key: key.text)
        }
        // A name that no column can have stays in the rest column, once the table has one.
        let place = restParameter.map { _ in path(ofMap: map) + [key.text] }
        if let place { keep(value, at: place, depth: depth, all: unmappedMembers == .areKept) }
        switch unmappedMembers {
        case .becomeColumns, .areKept: break
        case .areLeftOut:
            // An object without members would have no column.
            guard firstLeaf(of: value, depth: depth, at: place) != nil else { return nil }
            let member = wantsReason ? Self.shown(path(ofMap: map) + [key.text]) : nil
            leftOutNow.note(member.map { "the member '\($0)' has no column" })
        case .areRefused:
            guard let leaf = firstLeaf(of: value, depth: depth, at: place) else { return nil }
            return .foreign(path: path(ofMap: map) + [key.text] + leaf)
        }
        return nil
    }

    /// Returns true if a column or a table can be named after the member.
    func canName(_ key: Node, inMap map: Int) -> Bool { ColumnNaming.canName(path(ofMap: map) + [key.text]) }

    /// Returns a member's path for people, shortened to 120 characters.
    static func shown(_ path: [String]) -> String { String(path.joined(separator: ".").prefix(120)) }

    /// True if no value was left out before, because only the first reason is reported.
    var wantsReason: Bool { leftOut.count + leftOutNow.count == 0 }

    /// Handles a record that is not an object, in a table of objects.
    mutating func resolve(scalar record: Node) -> BindingFailure? {
        switch unmappedMembers {
        case .becomeColumns: return .unknown(map: 0, key: Self.scalarRecordField)
        case .areKept: rest.append(RestMember(path: [Self.scalarRecordField], value: record))
        case .areLeftOut: leftOutNow.note("the record is no object")
        case .areRefused: return .foreign(path: [Self.scalarRecordField])
        }
        return nil
    }

    /// Binds the members without a column as one object, under names as those of columns; values keep their spelling.
    mutating func bindRest<Sink: RecordSink>(to sink: Sink, at parameter: Int32) throws(Sink.Failure) {
        guard !rest.isEmpty else { return try sink.bindNull(at: parameter) }
        canonical.removeAll()
        canonical.append(members: namedRest())
        try sink.bind(copyingUTF8: canonical.bytes, at: parameter)
    }

    /// Returns the names of all columns, which no member without a column may have in the rest.
    mutating func takenNames() -> Set<[UInt8]> {
        if let namesInUTF8 { return namesInUTF8 }
        let names = Set(columnNames.map { Array($0.utf8) })
        namesInUTF8 = names
        return names
    }

    /// Returns the members sorted by name. If two paths give one name, the later one gets a number.
    private mutating func namedRest() -> [(name: [UInt8], value: Node)] {
        // A column's name tells whose value it is, so no other member has it.
        var named = rest.enumerated().filter { $1.column != nil }.map { NamedMember($1, at: $0) }
        guard named.count < rest.count else { return named.sorted().map { ($0.name, $0.value) } }
        let aside = named
        named = []
        let sorted = rest.enumerated().filter { $1.column == nil }.map { NamedMember($1, at: $0) }.sorted()
        var taken = takenNames()
        for member in sorted {
            if let last = named.last, last.path == member.path {
                named[named.count - 1].value = member.value  // of one name twice, the last counts
                continue
            }
            var numbered = member
            var number = 2
            while !taken.insert(numbered.name).inserted {
                numbered.name = member.name + Array("_\(number)".utf8)
                number += 1
            }
            named.append(numbered)
        }
        return (named + aside).sorted().map { ($0.name, $0.value) }
    }

    /// - Parameter all: False to keep only values after which no column can be named.
    private mutating func keep(_ value: Node, at path: [String], depth: Int, all: Bool) {
        guard value.isObject, depth < flattenDepth else {
            if all || !ColumnNaming.canName(path) { rest.append(RestMember(path: path, value: value)) }
            return
        }
        let last = Self.lastValues(of: value)
        for (key, inner) in value.members where last[Array(key.utf8)] == inner.utf8.baseAddress {
            keep(inner, at: path + [key.text], depth: depth + 1, all: all)
        }
    }

    /// Returns the path to the first value that would have a column, or nil if there is none, as in `{}`.
    ///
    /// - Parameter place: The path of the value; nil if every value would have a column.
    private func firstLeaf(of value: Node, depth: Int, at place: [String]?) -> [String]? {
        guard value.isObject, depth < flattenDepth else { return place.map(ColumnNaming.canName) == false ? nil : [] }
        for (key, inner) in value.members {
            let leaf = firstLeaf(of: inner, depth: depth + 1, at: place.map { $0 + [key.text] })
            if let leaf { return [key.text] + leaf }
        }
        return nil
    }
}

/// A value of the rest with its name, ordered by name, then by path, then by position in the record.
private struct NamedMember: Comparable {
    var name: [UInt8]
    let path: [[UInt8]]
    let place: Int
    var value: Node

    init(_ member: RecordBinder.RestMember, at place: Int) {
        name = Array(member.path.joined(separator: "__").utf8)
        path = member.path.map { Array($0.utf8) }
        self.place = place
        value = member.value
    }

    static func < (left: NamedMember, right: NamedMember) -> Bool {
        if left.name != right.name { return left.name.lexicographicallyPrecedes(right.name) }
        if left.path.count != right.path.count { return left.path.count < right.path.count }
        for (one, other) in zip(left.path, right.path) where one != other {
            return one.lexicographicallyPrecedes(other)
        }
        return left.place < right.place
    }

    static func == (left: NamedMember, right: NamedMember) -> Bool { left.place == right.place }
}

extension RecordBinder {
    /// The number of digits, half of a SHA-256: no two records share them by chance.
    private static let digits = 32

    /// Binds the identity of a record without a key: a digest of its canonical text and its parent's fields.
    mutating func bindContent<Sink: RecordSink>(
        of record: PageRecord, to sink: Sink, at parameter: Int32
    ) throws(Sink.Failure) {
        canonical.removeAll()
        canonical.append(record.node)
        if let added = record.added { canonical.append(added) }
        let digest = SHA256.hexDigest(of: canonical.bytes).utf8.prefix(Self.digits)
        let bytes = Array(digest)
        bytes.withUnsafeBufferPointer { noteKey($0, at: 0) }
        try sink.bind(copyingUTF8: bytes, at: parameter)
    }
}
