/// The stream whose records say what a stream requests.
package struct Parent: Sendable, Equatable {
    package var stream: StreamName
    /// Fields of the parent's record that are stored with each of its children.
    package var include: [String]

    package init(stream: StreamName, include: [String] = []) {
        self.stream = stream
        self.include = include
    }
}
