/// A member in a request's JSON body, as a JSONPath of names: `$.page.cursor`.
package struct BodyPlace: Sendable, Equatable {
    /// At least one.
    package let names: [String]

    /// nil for every other path.
    package init?(_ path: String) {
        // RFC 9535, 2.5.1.1: member-name-shorthand = name-first *name-char
        guard path.wholeMatch(of: /\$(\.[A-Za-z_\u{80}-\u{10FFFF}][A-Za-z0-9_\u{80}-\u{10FFFF}]*)+/) != nil else {
            return nil
        }
        names = path.split(separator: ".").dropFirst().map(String.init)
    }

    /// Whether it can be set without replacing what is no object.
    func fits(into body: BodyValue) -> Bool {
        var value: BodyValue? = body
        for name in names {
            guard let present = value else { return true }
            guard case .object(let members) = present else { return false }
            value = members.first { $0.name == name }?.value
        }
        return true
    }
}
