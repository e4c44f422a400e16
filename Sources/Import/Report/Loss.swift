/// Something of a connector's file that the configuration does not say.
package struct Loss: Hashable, Sendable {
    /// The outcome for the stream.
    package enum Effect: Int, Hashable, Sendable, Comparable {
        /// The rows are the same; Garner waits or asks in another way.
        case none
        /// All data is there, and a column has another name.
        case renamed
        /// Rows or values differ. The stream is written, with a comment at the place.
        case differs
        /// Nothing can be fetched. The stream is not written.
        case notWritten

        package static func < (one: Effect, other: Effect) -> Bool { one.rawValue < other.rawValue }
    }

    package let code: LossCode
    /// The thing that is lost, such as a field's name or a class. It is foreign text, and holds no secret.
    package var detail: String?
    /// The line of the file.
    package var line: Int?
    package let effect: Effect

    /// - Parameter effect: nil for the usual one of the code.
    package init(_ code: LossCode, _ detail: String? = nil, line: Int? = nil, effect: Effect? = nil) {
        (self.code, self.detail, self.line, self.effect) = (code, detail, line, effect ?? code.effect)
    }
}
