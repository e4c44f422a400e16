extension BodyValue {
    /// This value with its placeholders filled in; nil where it is left out.
    ///
    /// - Parameter fill: the text for a template; nil where the member or element that holds it is left out.
    package func filled<Failure: Error>(_ fill: (Template) throws(Failure) -> String?) throws(Failure) -> BodyValue? {
        switch self {
        case .null, .flag, .number, .text(.secret): return self
        case .text(.literal(let text)): return try fill(Template(text)).map { .text(.literal($0)) }
        case .array(let values):
            var filled: [BodyValue] = []
            for value in values { try filled += value.filled(fill).map { [$0] } ?? [] }
            return .array(filled)
        case .object(let members):
            var filled: [Member] = []
            for member in members {
                guard let value = try member.value.filled(fill) else { continue }
                filled.append(Member(name: member.name, value: value))
            }
            return .object(filled)
        }
    }
}
