/// Conditions that are decided by where they stand.
extension StreamTranslation {
    /// Returns a value in which conditions are decided that are the same for all requests, or for all of a kind.
    ///
    /// - Parameter token: true where the token of the next page is there, false on the first page; nil leaves it open.
    func assuming(_ value: JinjaValue, token: Bool?) -> JinjaValue {
        switch value {
        case .later(let later) where later.root == .nextPageToken && token == false: return .missing
        case .later(let later) where hasNoValue(later): return .missing
        case .joined(let pieces):
            let pieces = pieces.map { assuming($0, token: token) }.filter { !$0.isNothing }
            guard pieces.allSatisfy(\.isKnown) else { return pieces.count == 1 ? pieces[0] : .joined(pieces) }
            return .text(pieces.map(Self.text).joined())
        case .operation(let name, let values):
            let values = values.map { assuming($0, token: token) }
            return decided(String(name.drop { "|.".contains($0) }), values, token: token) ?? .operation(name, values)
        default: return value
        }
    }

    /// True for what never has a value: the state of a stream that is always read in full, a time of its windows, and a name in the list
    /// of records.
    private func hasNoValue(_ later: JinjaValue.Later) -> Bool {
        switch later.root {
        case .state: return incrementalNode == nil
        case .interval: return isUnset(later)
        case .lastRecords: return later.names?.isEmpty == false
        default: return false
        }
    }

    private func decided(_ name: String, _ values: [JinjaValue], token: Bool?) -> JinjaValue? {
        guard let first = values.first else { return nil }
        let second = values.count > 1 ? values[1] : .missing
        let truth = truth(of: first, token: token)
        switch name {
        case "if" where values.count > 2: return truth.map { $0 ? second : values[2] }
        case "or": return truth.map { $0 ? first : second }
        case "and": return truth.map { $0 ? second : first }
        case "not": return truth.map { .bool(!$0) }
        case "default", "d": return first == .missing ? second : truth == true ? first : nil
        case "defined", "is defined": return first == .missing ? .bool(false) : truth == true ? .bool(true) : nil
        case "none", "is none": return first.isNothing ? .bool(true) : truth == true ? .bool(false) : nil
        case "eq", "ne":
            if first.isKnown, second.isKnown { return .bool((first == second) == (name == "eq")) }
            guard second.isNothing, truth == true else { return nil }
            return .bool(name == "ne")
        case "item", "get":
            let isList = first.later == JinjaValue.Later(.lastRecords) && second.isKnown && second.integerValue == nil
            return first == .missing || isList ? .missing : nil
        case "int": return first.isNothing ? .integer(0) : first.isKnown ? first.integerValue.map { .integer($0) } : nil
        case "string": return first.isNothing ? .text("") : first.isKnown ? .text(Self.text(of: first)) : nil
        case "trim":
            if case .secret = first { return first }
            return first.isNothing ? .text("") : first.isKnown ? .text(Self.text(of: first).trimmingSpace()) : nil
        case "add":
            guard let one = first.integerValue, let other = second.integerValue, first.isKnown else { return nil }
            let (sum, overflows) = one.addingReportingOverflow(other)
            return overflows ? nil : .integer(sum)
        default: return nil
        }
    }

    /// Returns what Python takes a value for; nil if it is not decided.
    private func truth(of value: JinjaValue, token: Bool?) -> Bool? {
        switch value {
        case .secret, .now: return true
        case .later(let later):
            switch later.root {
            case .nextPageToken: return token
            case .interval, .state: return incrementalNode != nil
            case .slice where later.steps.isEmpty: return incrementalNode != nil || !slice.isEmpty
            case .slice:
                guard case .member(let name)? = later.steps.first, later.steps.count == 1 else { return nil }
                // A partition of a list has a value in each request, and so has the window.
                if case .partition? = slice[name] { return true }
                return name == windowFields.start || name == windowFields.end ? true : nil
            default: return nil
            }
        case .joined(let pieces):
            return pieces.contains { truth(of: $0, token: token) == true } ? true : nil
        case .operation(let name, let values):
            guard ["string", "|string", "|trim"].contains(name), let first = values.first else { return nil }
            return truth(of: first, token: token) == true ? true : nil
        default: return value.isKnown ? !value.isFalsy : nil
        }
    }
}
