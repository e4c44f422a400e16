import GarnerCatalog
package import GarnerModel

extension Paging {
    /// Returns the judgement on a redirect from the address of another list, or of another page of the same path; else nil.
    ///
    /// An address of another path may have what was left out elsewhere.
    func doubtOnRedirect(to target: WebAddress, asked locator: PageLocator, isFirst: Bool) -> Verdict? {
        let asked = locator.address
        guard target != asked else { return nil }
        let isSamePath = target.redirect(from: asked) == nil
        if isSamePath, listParameters.contains(where: { asked.loses($0, at: target) }) { return .otherListByRedirect }
        if isFirst { return leadsAboveList(target, from: asked) ? .otherListByRedirect : nil }
        let isOther = asked.parameters.contains { name, value in
            guard isOfPage(name, value) else { return false }
            return target.value(of: name).map { $0 != value } ?? (isSamePath && asked.loses(name, at: target))
        }
        return isOther ? .otherPageByRedirect : nil
    }

    /// Returns true if an address is above that of a list, without the value that says which one is meant: `/zoos` and `/zoos/7/animals`.
    private func leadsAboveList(_ target: WebAddress, from asked: WebAddress) -> Bool {
        guard let segmentsBelowList else { return false }
        let (own, other) = (asked.path.split(separator: "/"), target.path.split(separator: "/"))
        return own.count - other.count > segmentsBelowList && own.starts(with: other)
    }

    private func isOfPage(_ name: String, _ value: String) -> Bool {
        let role = ParameterRole(name: name, value: value)
        if role == .page || role == .offset || role == .cursor { return true }
        return (method as? Paginator.Cursor)?.cursorParam == .query(name)
    }
}

extension WebAddress {
    /// Returns true if a parameter of this address has no place in another one, neither under its name nor, by its value, elsewhere.
    func loses(_ name: String, at target: WebAddress) -> Bool {
        guard let value = value(of: name), target.value(of: name) == nil else { return false }
        return !target.parameters.contains { $0.value == value } && !target.path.contains(value)
    }
}

extension Verdict {
    static let otherPageByRedirect = Verdict(
        .contradicted, "a redirect led from a page to another one than was asked for",
        advice: "look at what the source answers; its pages may have other addresses")

    /// The judgement on records of another list of the stream.
    package static let otherListByRedirect = Verdict(
        .contradicted, "a redirect led from a list to another one than was asked for",
        advice: "look at what the source answers; if the list has moved there, its partition or parent is one too many")
}
