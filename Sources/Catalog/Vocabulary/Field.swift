/// A key of a mapping, and what editors are told of it.
struct Field: Sendable {
    let name: String
    let schema: Schema
    /// One sentence for the person who writes the file.
    let summary: String
    let isRequired: Bool

    init(_ name: String, _ schema: Schema, _ summary: String, isRequired: Bool = false) {
        self.name = name
        self.schema = schema
        self.summary = summary
        self.isRequired = isRequired
    }
}
