import GarnerCatalog
import GarnerJSON
import GarnerModel

/// The values of a page, of which those of a column decide its type.
struct PageValues {
    let records: Selection
    private let added: Node?
    /// The path of the arrays whose elements are the records; empty for the records themselves.
    private let path: [String]

    private let flattenDepth: Int

    init(_ records: Selection, adding added: Node?, flattenDepth: Int) {
        (self.records, self.added, path, self.flattenDepth) = (records, added, [], flattenDepth)
    }

    /// The values of the elements of arrays at a path.
    init(_ records: Selection, inArraysAt path: [String], flattenDepth: Int) {
        (self.records, added, self.path, self.flattenDepth) = (records, nil, path, flattenDepth)
    }

    /// Calls `body` with each value at a path that is not null, nor an object whose members have columns of their own.
    ///
    /// - Parameter isWanted: False if no further value is wanted.
    func forEach(at path: [String], while isWanted: @autoclosure () -> Bool = true, _ body: (Node) -> Void) {
        func note(_ record: Node, _ added: Node?) {
            guard isWanted() else { return }
            let isScalar = record.kind != .object && path == [RecordBinder.scalarRecordField]
            let value = isScalar ? record : PageRecord(node: record, added: added).value(at: path)
            guard let value, !value.isNull, !(value.isObject && path.count <= flattenDepth) || value.isEmpty else {
                return
            }
            body(value)
        }
        func noteElements(of record: Node) {
            guard !self.path.isEmpty else { return note(record, added) }
            let array = PageRecord(node: record, added: nil).value(at: self.path)
            guard let array, array.isTable else { return }
            for element in array.elements { note(element, nil) }
        }
        records.withNodes { nodes in
            var nodes = nodes
            while isWanted(), let record = nodes.next() { noteElements(of: record) }
        }
    }

    /// Returns true if an object without members is at a path, which gives no column.
    func hasEmptyObject(at path: [String]) -> Bool {
        var found = false
        forEach(at: path, while: !found) { found = $0.isObject && $0.isEmpty }
        return found
    }

    /// Returns the type that the values at a path give a column, and that of the numbers if it is text; nil without values.
    func type(at path: [String]) -> (type: ColumnType, numbers: ColumnType?)? {
        var inference = SchemaInference(behind: [], flattenDepth: 0, settingAside: true, run: 0)
        forEach(at: path) { inference.note($0, at: path) }
        inference.weigh()
        return inference.columns.first?.type.map { ($0, inference.numberTypes[0]) }
    }
}

// The types of columns with values that are set aside.
extension TableLoader {
    /// Begins to store the records of a page.
    func begin(_ page: PageValues, run: RunID) throws {
        self.page = page
        if let children {
            children.page = page.records
            for table in children.tables {
                try table.loader.begin(
                    PageValues(page.records, inArraysAt: table.path, flattenDepth: binder.flattenDepth), run: run)
            }
        }
        try settleTypes(run: run)
    }

    /// Gives columns the types of numbers or booleans that are configured for them. What does not fit is set aside. If nothing
    /// is to be set aside any more, what was is put back.
    private func settleTypes(run: RunID) throws {
        guard !isSettled else { return }
        isSettled = true
        switch contract.dataTypes {
        case .setAside:
            for (index, column) in schema.columns.enumerated() {
                guard let own = column.type, column.keyPosition == nil, let type = schema.declaredType(of: column),
                    let rank = type.column.rank, own == .text || own.rank.map({ $0 > rank }) == true,
                    try evolution.addRest(run: run)
                else { continue }
                try evolution.narrow(columnAt: index, to: type, run: run)
                try prepareAnew()
            }
            for index in try odd.positions {
                let column = schema.columns[index]
                guard let rank = column.type?.rank, let type = schema.declaredType(of: column)?.column else { continue }
                guard type.rank.map({ $0 > rank }) ?? true else { continue }
                try widen(columnAt: index, toHold: type, run: run)
                // Values that were set aside are in the column now, though no row of the page has changed.
                try noteChange()
            }
        case .evolve:
            for index in try odd.positions where schema.columns[index].type?.rank != nil {
                try widen(columnAt: index, toHold: .text, run: run)
            }
        case .freeze, .discardRow, .discardValue, .quarantine: break
        }
    }

    /// Makes columns text of which the page has more words than values that fit.
    ///
    /// One word that comes again, such as `n/a` while a service is away, does not outweigh the values that the table has.
    ///
    /// - Parameter unbound: The number of the page's records that were not bound; nil if it is not known.
    func widenColumnsOfWords(besides unbound: Int?, run: RunID) throws {
        for table in children?.tables ?? [] { try table.loader.widenColumnsOfWords(besides: nil, run: run) }
        for (index, numbers) in binder.takeNumbersInText() where notedColumns.insert(index).inserted {
            try noteText(inColumnAt: index, numbers, run: run)
        }
        guard !binder.placeholders.isEmpty, let page else { return }
        defer { binder.placeholders = [:] }
        for (index, bound) in binder.placeholders.sorted(by: { $0.key < $1.key }) {
            let column = schema.columns[index]
            guard column.type?.rank != nil else { continue }
            if notedColumns.insert(index).inserted { try odd.note(columnAt: index, run: run) }
            guard schema.declaredType(of: column) == nil else { continue }
            // With so many values that fit, the words cannot be more.
            let most = unbound.map { bound + $0 } ?? .max
            var fitting = 0
            var words: [String: Int] = [:]
            page.forEach(at: column.path, while: fitting < most) { value in
                let isFit = column.type == .boolean && OddValue.isSpelledBoolean(value)
                if !isFit, OddValue.isPlaceholder(value) { words[value.source, default: 0] += 1 } else { fitting += 1 }
            }
            let odd = words.values.reduce(0, +)
            guard odd > fitting else { continue }
            if words.count == 1, try areFew(odd, inColumnAt: index) { continue }
            try widen(columnAt: index, toHold: .text, run: run)
        }
    }

    /// Returns true if the table has no more values set aside than numbers, this page's values included. The rows are counted only where
    /// the pages of the run may have brought more.
    private func areFew(_ odd: Int, inColumnAt index: Int) throws -> Bool {
        // Each may have been a number before.
        var surplus = (surpluses[index] ?? -1) - 2 * odd
        if surplus < 0 { surplus = try evolution.surplusOfNumbers(inColumnAt: index) }
        surpluses[index] = surplus
        return surplus >= 0
    }

    /// Notes that a column has become text, which people are told until it is settled.
    ///
    /// - Parameter numbers: The type of its numbers; nil if it has none.
    func noteText(inColumnAt index: Int, _ numbers: ColumnType?, run: RunID) throws {
        let column = schema.columns[index]
        guard column.type == .text, column.keyPosition == nil else { return }
        if schema.declaredType(of: column) != nil {
            try odd.forget(columnAt: index)
        } else if let numbers, numbers.rank != nil {
            try odd.note(columnAt: index, numbers, run: run)
        }
    }

    /// Notes that rows have changed, so that the values of odd columns have to be counted anew.
    func noteChange() throws {
        for table in children?.tables ?? [] { try table.loader.noteChange() }
        guard !hasNotedChange else { return }
        hasNotedChange = true
        try odd.noteChange()
    }

    /// Counts the values of columns that have odd ones.
    ///
    /// - Parameter added: The number of rows of the stream that the run has added, if it has changed and deleted none; nil otherwise.
    func countOddValues(added: Int?) throws {
        for table in children?.tables ?? [] { try table.loader.countOddValues(added: nil) }
        defer { binder.tally.reset() }
        (hasNotedChange, notedColumns, surpluses) = (false, [], [:])
        try odd.count(in: schema, binder.tally.records == added ? binder.tally : nil)
    }

    private var odd: OddColumns { OddColumns(streamID: evolution.streamID, connection: evolution.connection) }
}
