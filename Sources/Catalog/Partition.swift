/// A name with the values that a stream is read for, one after another.
package struct Partition: Sendable, Equatable {
    package var name: String
    /// At least one, each once.
    package var values: [String]

    package init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }
}
