/// A setting that Garner gives to paste, and the case in which it is right.
package struct Advice: Sendable, Equatable, CustomStringConvertible {
    /// A key with its value, as a stream has it.
    package let setting: String
    /// The case, such as "if its pages are numbered from 1"; nil if the setting is right in any case.
    package let condition: String?

    package init(_ setting: String, _ condition: String? = nil) {
        (self.setting, self.condition) = (setting, condition)
    }

    package init(_ paginator: Paginator, _ condition: String? = nil) {
        self.init("paginator: \(paginator.line)", condition)
    }

    package var description: String { condition.map { "\(setting) \($0)" } ?? setting }
}
