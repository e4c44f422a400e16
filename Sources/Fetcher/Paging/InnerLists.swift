import GarnerCatalog
import GarnerJSON
import GarnerModel

extension Paging {
    /// Returns the judgement on records of lists that stand in the elements of another list, as `$.issues[*].comments.nodes[*]` selects them.
    /// No paginator asks for the other pages of such a list, so what announces some says that records are missing. So does an element that
    /// tells of its own failure. Nil if nothing does.
    func doubtOnInnerLists(
        of found: FoundRecords, in document: Document, asked locator: PageLocator, _ context: ReadContext
    ) -> Verdict? {
        guard case .selector(let selector) = found.place, let path = selector.pathOfInnerLists else { return nil }
        let settled = Set(ignored.map(\.description))
        return document.withRoot { root in
            if let map = selector.container(below: root), map.kind == .object, !LoneRecord.isNumbered(map),
                AnswerShape(text: context.shape)?.isMap == false
            {
                return Verdict(
                    .contradicted, "an object stands where \(path) had a list before",
                    advice: "look at what the source answers, and correct record_selector if it has changed")
            }
            if let (place, node) = selector.valueInPlaceOfInnerList(in: root), !settled.contains(place) {
                return Verdict(.contradicted, .partMissing(PageStatement(place, node)))
            }
            let lists = InnerLists(selector.innerLists(in: root), at: path)
            func more(_ place: String) -> Verdict {
                Verdict(
                    .contradicted, "\(place) tells of more records, which no request asks for",
                    advice:
                        "read these lists by a stream with parent, or \(Verdict.Cause.ignoring(place, "it is always so"))"
                )
            }
            for (owner, list) in lists.all {
                if let list, let place = lists.annotations(of: list, in: owner).first(where: { !settled.contains($0) })
                {
                    return more(place)
                }
                guard !RecordNames.looksLikeRecord(owner) else { continue }
                let count = InnerLists.count(list)
                let way = [(path: path, node: owner), (path: path, node: list ?? owner)]
                let detection = try? PaginationDetection(
                    head: ResponseHead(status: 200, headers: [:]), root: owner, way: way, count: count, locator: locator
                )
                if let missing = lists.missing(detection, in: owner, count), !settled.contains(missing.path) {
                    return Verdict(.contradicted, .partMissing(missing))
                }
                guard list?.kind == .array, let place = detection?.placeOfMore(than: count, in: lists, of: owner),
                    !settled.contains(place)
                else { continue }
                return more(place)
            }
            return nil
        }
    }
}

/// The lists in the elements of another list, each with the object that holds it. Nil is a list that is left out.
private struct InnerLists {
    let all: [(owner: Node, list: Node?)]
    private let path: String

    init(_ all: [(owner: Node, list: Node?)], at path: String) { (self.all, self.path) = (all, path) }

    static func count(_ list: Node?) -> Int {
        guard let list else { return 0 }
        return list.elements.reduce(0) { count, _ in count + 1 } + list.members.reduce(0) { count, _ in count + 1 }
    }

    /// Returns what an object says of a part of its list that is missing, or of its failure; nil if it says nothing.
    ///
    /// A failure beside records may be one of what they are about, as that of a build with its steps. A state such as `running` is one.
    func missing(_ detection: PaginationDetection?, in owner: Node, _ count: Int) -> PageStatement? {
        if let said = detection?.partMissing, !PaginationDetection.openStatus.contains(said.value) { return said }
        guard count == 0 else { return nil }
        for (name, object) in Self.about(owner) {
            let place = path + name
            func isSaidBesideRecords(_ said: PageStatement) -> Bool {
                all.contains { one in
                    guard Self.count(one.list) > 0 else { return false }
                    return Self.about(one.owner).contains { other in
                        guard other.name == name else { return false }
                        let members = StatusMembers(of: other.object, at: place)
                        return members.refused == said || members.message == said
                    }
                }
            }
            let members = StatusMembers(of: object, at: place)
            if let said = members.refused, said.value != "a text" || !isSaidBesideRecords(said) { return said }
            if let error = StatusMembers.error(in: object) {
                // A number of errors counts those of what the list is about.
                let isCount =
                    error.value.kind == .integer && ["errors", "failures"].contains(error.key.text.lowercased())
                if !isCount { return PageStatement(place + Selector.shortSegment(named: error.key.text), error.value) }
            }
            if let said = members.message, name.isEmpty, !isSaidBesideRecords(said) { return said }
        }
        return nil
    }

    /// An object that holds a list, and the objects in it that tell how its request went, with the ways to them.
    private static func about(_ owner: Node) -> [(name: String, object: Node)] {
        [(name: "", object: owner)]
            + ["meta", "response"].compactMap { name in owner[name].map { (name: ".\(name)", object: $0) } }
    }

    /// Returns the places where OData says beside a list that there is more of it, as `items@odata.nextLink` does. No record has such fields.
    func annotations(of list: Node, in owner: Node) -> [String] {
        guard list.kind == .array, let name = owner.members.first(where: { $0.value.isSame(as: list) })?.key.text else {
            return []
        }
        let (link, total) = ("\(name)@odata.nextLink", "\(name)@odata.count")
        var found: [String] = []
        if let value = owner[link], !value.saysNothing { found.append(link) }
        if let value = owner[total]?.pagingNumber, value > Self.count(list) { found.append(total) }
        return found.map { path + Selector.shortSegment(named: $0) }
    }

    /// Returns true if no other object has a number of this name that is not the length of its list, so that it counts the lists.
    ///
    /// - Parameter isShown: True if another object has to show it, since the name usually has other meanings, as `total` of an order has.
    func areCounted(by name: String, besides one: Node, isShown: Bool = false) -> Bool {
        let others = all.filter { !$0.owner.isSame(as: one) && $0.owner[name]?.pagingNumber != nil }
        return others.allSatisfy { $0.owner[name]?.pagingNumber == Self.count($0.list) } && !(isShown && others.isEmpty)
    }
}

extension PaginationDetection {
    /// Names of totals that count nothing but a list.
    private static let countsOfLists: Set = ["totalcount", "totalitems", "totalrecords", "totalresults"]
    /// Places that lead to more of a list. Other ones, such as `cursor`, may be a field of what holds the list.
    private static let leads: Set = [
        "continuationtoken", "lastevaluatedkey", "nextcontinuationtoken", "nextmarker", "nextoffset", "nextpagekey",
        "resumptiontoken",
    ]

    /// The place that says that the list of an object has more than so many records; nil if none does.
    fileprivate func placeOfMore(than count: Int, in lists: InnerLists, of owner: Node) -> String? {
        func name(_ path: String) -> String { path.split(separator: ".").last.map(String.init) ?? "" }
        if let place = openSign?.path ?? cutOff?.path { return place }
        if let lead = possible?.statement.path, Self.leads.contains(Envelope.normalized(name(lead))) { return lead }
        func isInWrapper(_ path: String) -> Bool {
            path.split(separator: ".").dropLast().last.map {
                Wrapper(Envelope.normalized(String($0))).contains(.counts)
            } ?? false
        }
        if let pages = totalPages, pages.value > 1, isInWrapper(pages.path) { return pages.path }
        guard let total, total.value > count else { return nil }
        let last = name(total.path)
        let isTotal = Self.countsOfLists.contains(Envelope.normalized(last)) || isInWrapper(total.path)
        let isCount =
            ["count", "total"].contains(last)
            && lists.areCounted(by: last, besides: owner, isShown: last == "total")
        return isTotal || isCount ? total.path : nil
    }
}
