/// Why a connector's file cannot be read.
package struct ManifestError: Error, Hashable {
    /// The line of the file, where one is to blame.
    package let line: Int?
    package let problem: String
    package let advice: String

    package init(_ problem: String, line: Int? = nil, advice: String) {
        (self.problem, self.line, self.advice) = (problem, line, advice)
    }

    /// The line, the problem and what to do, in one line.
    package var message: String { (line.map { "line \($0): " } ?? "") + "\(problem); \(advice)" }
}
