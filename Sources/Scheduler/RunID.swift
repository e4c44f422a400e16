/// The number of a run in this process, in the order of starts.
package struct RunID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int

    package init(_ number: Int) {
        self.number = number
    }

    package var description: String { "#\(number)" }

    package static func < (left: RunID, right: RunID) -> Bool { left.number < right.number }
}
