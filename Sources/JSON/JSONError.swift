/// Why a text is not the JSON document that was expected, and where it stops being one.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        case invalid
        /// No bytes, or white space only.
        case empty
        case invalidUTF8
        /// Nested deeper than 512 levels.
        case tooDeep
        /// Longer than 1 GiB, all lines together.
        case tooLarge
        case outOfMemory
    }

    package let kind: Kind
    /// Bytes from the start of the text to the place of the error.
    package let offset: Int
    /// Begins with the line, from 1, where lines were parsed and one of them is wrong.
    package let reason: String

    package var description: String { "\(reason) (byte \(offset))" }
}
