package import GarnerCatalog

extension PageLocator {
    /// Returns nil if the position's URL or body cannot be parsed.
    init?(_ position: PagePosition) {
        guard let address = position.address else { return nil }
        let body = position.body.map { BodyValue(json: $0) }
        if case .some(.none) = body { return nil }
        self.init(address: address, body: body ?? nil)
        pageValue = position.filling?.value
    }

    /// The page size that the request asks for; nil if it names none.
    var limit: Int? { number { ParameterRole.isSize($0) } ?? offsetOfPage }

    /// The page number that the request asks for.
    var page: Int? { number { ParameterRole.isPage($0) } }

    /// The number of records that the request skips.
    var offset: Int? { offsetOfPage == nil ? number { ParameterRole.isOffset($0) } : nil }

    /// The page size under the name that it has in Etherscan's API, beside the number of a page and without another size.
    private var offsetOfPage: Int? {
        guard page != nil, number(where: ParameterRole.isSize) == nil else { return nil }
        return number { $0.lowercased() == "offset" }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// The paginator that asks by the parameters of this URL, and counts from 1; nil if none of them is an offset.
    var countingFromOne: Paginator? {
        let query = PageLocator(address: address, body: nil)
        guard let name = query.name(where: ParameterRole.isOffset) else { return nil }
        var method = Paginator.Offset(offsetParam: .query(name), baseOffset: 1)
        if let size = query.name(where: ParameterRole.isSize), let limit = query.limit,
            (1...Int(Int32.max)).contains(limit)
        {
            (method.limitParam, method.limit) = (.query(size), limit)
        }
        return Paginator(.offset(method))
    }

    /// Returns the name of the first numeric parameter that matches, as it is written.
    func name(where isMeant: (String) -> Bool) -> String? { numbers.first { isMeant($0.name) }?.name }

    private func number(where isMeant: (String) -> Bool) -> Int? { numbers.first { isMeant($0.name) }?.value }

    /// The numbers among its parameters and the members of its body.
    var numbers: [(name: String, value: Int)] {
        var found =
            address.query == nil
            ? [] : address.parameters.compactMap { name, value in Int(value).map { (name: name, value: $0) } }
        if case .object(let members) = body {
            for member in members {
                guard case .number(let text) = member.value, let value = Int(text) else { continue }
                found.append((name: member.name, value: value))
            }
        }
        return found
    }
}

extension WebAddress {
    /// Returns true if it asks for the page of another address, on whatever host and in whatever spelling: by the same path with all of its
    /// parameters. Others may stand beside them, such as that of a format.
    func asks(for other: WebAddress) -> Bool {
        func decoded(_ path: String) -> String { PercentEncoding.decoded(path.utf8, plusIsSpace: false) }
        guard path == other.path || decoded(path) == decoded(other.path) else { return false }
        let own = parameters
        return other.parameters.allSatisfy { name, value in own.contains { $0.name == name && $0.value == value } }
    }

    /// Returns true if one parameter alone tells the page at `next` from this one, and counts pages or records, whatever its name:
    /// `?p=3` after `?p=2`, `?from=20` after `?from=10`. Names of keys and times say where to go on, and count nothing.
    func counts(to next: WebAddress, by records: Int) -> Bool {
        let own = Dictionary(parameters.map { ($0.name, $0.value) }) { $1 }
        let changed = next.parameters.filter { own[$0.name] != $0.value }
        guard changed.count == 1, let (name, text) = changed.first.map({ ($0.name, $0.value) }), let number = Int(text),
            !ParameterRole.isSize(name), Self.continuing.isDisjoint(with: name.nameWords)
        else { return false }
        guard let before = own[name] else { return number == 1 || number == 2 || records > 0 && number == records }
        guard let before = Int(before) else { return false }
        let step = number.subtractingReportingOverflow(before).partialValue
        return step == 1 || records > 0 && step == records
    }

    /// Words in the names of parameters that name a record or a time.
    private static let continuing: Set = [
        "after", "before", "continuation", "cursor", "id", "key", "last", "marker", "max", "min", "scroll", "since",
        "time", "token", "until",
    ]

    /// Returns the number in the path of `next`, and its place there, if it is the only difference to this address and greater by
    /// one, as from `/posts/page/2` to `/posts/page/3`; else nil.
    package func pageNumber(countedTo next: WebAddress) -> (place: Range<String.Index>, number: Int)? {
        guard (scheme, authority, query) == (next.scheme, next.authority, next.query) else { return nil }
        let (before, after) = (path.utf8, next.path.utf8)
        var (start, other) = (before.startIndex, after.startIndex)
        // The place behind the last byte that is no digit, up to which both are the same.
        var (digits, otherDigits) = (start, other)
        while start < before.endIndex, other < after.endIndex, before[start] == after[other] {
            let isDigit = PercentEncoding.isDigit(before[start])
            (start, other) = (before.index(after: start), after.index(after: other))
            if !isDigit { (digits, otherDigits) = (start, other) }
        }
        let (old, new) = (
            before[digits...].prefix(while: PercentEncoding.isDigit),
            after[otherDigits...].prefix(while: PercentEncoding.isDigit)
        )
        guard let from = Int(Substring(old)), let to = Int(Substring(new)), from < .max, to == from + 1, to < .max,
            before[old.endIndex...].elementsEqual(after[new.endIndex...]),
            !before[..<digits].suffix(2).contains(UInt8(ascii: "%"))
        else { return nil }
        return (new.startIndex..<new.endIndex, to)
    }

    /// Returns the target of a link on the page at this address. A server behind a proxy that speaks TLS may name itself by
    /// `http`: what came by `https` leads to `https` on the same host.
    func securing(_ target: WebAddress) -> WebAddress {
        guard scheme == "https", target.scheme == "http", target.host == host,
            [80, origin.port].contains(target.origin.port)
        else { return target }
        return WebAddress(scheme: scheme, authority: authority, path: target.path, query: target.query)
    }
}
