/// One of the five fields of a cron expression: its numbers, and the names that stand for them.
struct CronField {
    let name: String
    let range: ClosedRange<Int>
    var names: [String] = []
    /// The number of the first name.
    var firstName = 0
    let example: String

    typealias Problem = CronExpression.Problem

    static let minute = CronField(name: "minute", range: 0...59, example: "0, 5-55/10 or *")
    static let hour = CronField(name: "hour", range: 0...23, example: "6, 8-18/2 or *")
    static let day = CronField(name: "day of month", range: 1...31, example: "1, 1,15 or *")
    static let month = CronField(
        name: "month", range: 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], firstName: 1,
        example: "6, MAR-OCT or *")
    static let weekday = CronField(
        name: "day of week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
        example: "1, MON-FRI or *")

    /// The numbers of a list of ranges, as bits.
    func bits(of text: Substring) throws(Problem) -> UInt64 {
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let range = try range(pieces[0])
            guard pieces.count == 2 else {
                for number in range { bits |= 1 << UInt64(number) }
                continue
            }
            guard pieces[0] == "*" || pieces[0].contains("-") else {
                throw problem(
                    "'\(CronExpression.shown(String(part)))' has a step without a range",
                    hint: "write \(pieces[0])-\(self.range.upperBound)/\(pieces[1])")
            }
            for number in stride(from: range.lowerBound, through: range.upperBound, by: try step(pieces[1])) {
                bits |= 1 << UInt64(number)
            }
        }
        return bits
    }

    private func range(_ text: Substring) throws(Problem) -> ClosedRange<Int> {
        // Seven and zero are one day, which a step must not meet twice.
        if text == "*" { return names.isEmpty || firstName == 1 ? range : 0...6 }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try number(ends[0])
        guard ends.count == 2 else { return first...first }
        var last = try number(ends[1])
        // A week may end with SUN.
        if last == 0, first > 0, range.upperBound == 7 { last = 7 }
        guard first <= last else {
            throw problem(
                "'\(text)' goes backwards", hint: "write \(ends[0])-\(range.upperBound),\(range.lowerBound)-\(ends[1])")
        }
        return first...last
    }

    private func number(_ text: Substring) throws(Problem) -> Int {
        if let index = names.firstIndex(of: text.lowercased()) { return index + firstName }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw problem("'\(CronExpression.shown(String(text)))' is no \(name)", hint: "write \(example)")
        }
        guard let number = Int(text), range.contains(number) else {
            throw problem(
                "'\(CronExpression.shown(String(text)))' is out of range",
                hint: "write a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func step(_ text: Substring) throws(Problem) -> Int {
        guard let step = Int(text), step >= 1, !text.hasPrefix("+") else {
            throw problem("'/\(CronExpression.shown(String(text)))' is no step", hint: "write a step such as */5")
        }
        guard step <= range.upperBound else {
            throw problem(
                "the step of '/\(step)' is longer than the field", hint: "write a smaller one, or use 'every: 90m'")
        }
        return step
    }

    private func problem(_ message: String, hint: String) -> Problem {
        Problem(message: "\(message) (\(name))", hint: hint)
    }
}
