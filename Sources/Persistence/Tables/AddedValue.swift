import GarnerDatabase
import GarnerModel

/// A column of `fields.add`, with its value for the rows that a read writes.
struct AddedValue {
    var name: String
    let type: ColumnType
    let value: Value
}
