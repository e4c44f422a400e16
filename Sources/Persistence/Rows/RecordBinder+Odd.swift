import GarnerCatalog
import GarnerDatabase
import GarnerJSON
import GarnerModel

extension RecordBinder {
    /// Counts the values of the record that was bound last which are no numbers.
    mutating func notePlaceholders() {
        for member in rest where !member.isSpelling {
            guard let column = member.column else { continue }
            placeholders[column, default: 0] += 1
            tally.add(member.value, besideColumnAt: column)
        }
    }

    /// Returns true for an empty object in a column that has had values of other kinds. It is one more value of the column, and
    /// not an object to take apart: a column of texts or lists has it as `{}`, and one of numbers or booleans sets it aside.
    func isValue(_ object: Node, ofColumn column: Int?) -> Bool {
        guard let column, !columns[column].isKey, let type = columns[column].type else { return false }
        return (setsAside || type.rank == nil) && object.isEmpty
    }

    /// Keeps the spelling of a boolean that a column of numbers has as 1 or 0. Returns a failure if the table has to change first.
    mutating func noteBoolean(_ value: Node, asNumberAt column: Int) -> BindingFailure? {
        guard setsAside, !columns[column].isKey else { return nil }
        guard restParameter != nil else { return .needsRest }
        rest.append(RestMember(path: [columnNames[column]], value: value, column: column, isSpelling: true))
        return nil
    }

    /// Notes a value that is no text in a column of text.
    mutating func noteNumber(_ value: Node, inTextAt column: Int) {
        let type: ColumnType
        switch value.kind {
        case .true, .false: type = .boolean
        case .integer: type = .integer
        case .number where value.utf8.isWhole: type = .integer
        case .real, .number: type = .real
        case .null, .string, .array, .object: return
        }
        guard !columns[column].isKey else { return }
        numbersInText[column] = numbersInText[column]?.widened(toHold: type) ?? type
    }

    /// Returns what `numbersInText` has, in the order of the columns, and empties it.
    mutating func takeNumbersInText() -> [(column: Int, type: ColumnType)] {
        guard !numbersInText.isEmpty else { return [] }
        defer { numbersInText = [:] }
        return numbersInText.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Binds a value that its column does not hold. Returns a failure if the table has to change first.
    mutating func bindOdd<Sink: RecordSink>(
        _ value: Node, in type: ColumnType?, _ declared: FieldType?, toColumnAt column: Int, of sink: Sink
    ) throws(Sink.Failure) -> BindingFailure? {
        let parameter = TableSchema.parameter(ofColumnAt: column)
        let odd = OddValue(value, in: type, declared: declared)
        if case .wider(let wider) = odd { return .narrow(column: column, wider) }
        guard restParameter != nil else { return .needsRest }
        var member = RestMember(path: [columnNames[column]], value: value, column: column)
        switch (odd, type) {
        case (.spelled(.integer(let integer)), .real): try sink.bind(Double(integer), at: parameter)
        case (.spelled(.integer(let integer)), _): try sink.bind(integer, at: parameter)
        case (.spelled(.real(let real)), _): try sink.bind(real, at: parameter)
        default: try sink.bindNull(at: parameter)
        }
        if case .spelled = odd { member.isSpelling = true }
        rest.append(member)
        return nil
    }
}
