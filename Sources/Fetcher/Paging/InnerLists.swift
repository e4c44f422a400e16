import GarnerCatalog
import GarnerJSON
import GarnerModel

extension Paging {
    /// Returns the judgement on records of lists that stand in the elements of another list, as `$.issues[*].comments.nodes[*]` selects them.
    /// No paginator asks for the other pages of such a list, so what announces some says that records are missing. Nil if nothing does.
    func doubtOnInnerLists(of found: FoundRecords, in document: Document, asked locator: PageLocator) -> Verdict? {
        guard case .selector(let selector) = found.place, let path = selector.pathOfInnerLists else { return nil }
        return document.withRoot { root in
            for (owner, list) in selector.innerLists(in: root) where !RecordNames.looksLikeRecord(owner) {
                let count = list.elements.reduce(0) { count, _ in count + 1 }
                let way = [(path: path, node: owner), (path: path, node: list)]
                let detection = try? PaginationDetection(
                    head: ResponseHead(status: 200, headers: [:]), root: owner, way: way, count: count, locator: locator
                )
                guard let place = detection?.placeOfMore(than: count) else { continue }
                guard !ignored.contains(where: { $0.description == place }) else { continue }
                return Verdict(
                    .contradicted, "\(place) tells of more records, which no request asks for",
                    advice:
                        "read these lists by a stream with parent, or add ignore: [\"\(place)\"] to paginator if it is always so"
                )
            }
            return nil
        }
    }
}

extension PaginationDetection {
    /// Names of totals that count nothing but a list.
    private static let countsOfLists: Set = ["totalcount", "totalitems", "totalrecords", "totalresults"]

    /// The place that says that a list of so many records has more; nil if none does.
    fileprivate func placeOfMore(than count: Int) -> String? {
        if let place = openSign?.path ?? cutOff?.path { return place }
        guard let total, total.value > count, let name = total.path.split(separator: ".").last,
            Self.countsOfLists.contains(Envelope.normalized(String(name)))
        else { return nil }
        return total.path
    }
}
