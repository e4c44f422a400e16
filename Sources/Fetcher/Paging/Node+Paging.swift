import JSON

extension Node {
    /// A string, or a number's spelling.
    var pagingText: String? {
        switch kind {
        case .string, .integer, .real, .number: text
        case .null, .true, .false, .array, .object: nil
        }
    }

    /// An integer, or a string that is one.
    var pagingNumber: Int? { kind == .integer ? Int(exactly: integer) : string.flatMap { Int($0) } }
}
