import GarnerCatalog
import GarnerJSON
import GarnerModel

/// An object without a list that says in another way that there are no records: by a total of 0, or by null in the
/// place of a list. It holds nothing else.
enum EmptyList {
    /// Names of totals.
    private static let counts = PaginationDetection.totals.union([
        "count", "resultcount", "resultsizeestimate", "totaldocs", "totalhits",
    ])
    /// Names of members that may stand beside a list.
    private static let beside: Set = [
        "batchcomplete", "currentpage", "first", "from", "kind", "last", "lastpage", "limit", "next", "number",
        "object", "offset", "ok", "page", "pages", "pagesize", "pagingcounter", "perpage", "prev", "previous",
        "resourcetype", "size", "skip", "start", "success", "to", "took", "totalpages", "type",
    ]
    /// True for the name of an object about the page. Those that may wrap one record are left out.
    private static func isWrapper(_ name: String) -> Bool {
        name == "embedded" || Wrapper(name).contains(.page) && !Wrapper(name).contains(.record)
    }

    /// Returns true if the object says that there are no records.
    ///
    /// - Parameter mayHaveLists: True if the object may have empty lists, none of which is known to be the list of
    ///   records.
    static func isSaid(_ root: Node, mayHaveLists: Bool = false) -> Bool {
        guard root.kind == .object else { return false }
        var isSaid = false
        for (key, value) in root.members {
            let name = Envelope.normalized(key.text)
            switch value.kind {
            case .null: isSaid = isSaid || RecordNames.isList(name)
            case .object where isWrapper(name):
                isSaid =
                    isSaid
                    || value.members.contains {
                        counts.contains(Envelope.normalized($0.key.text)) && $0.value.pagingNumber == 0
                            || name == "embedded" && $0.value.kind == .array && $0.value.saysNothing
                    }
            case .array
            where mayHaveLists && value.saysNothing || value.isListOfLinks(named: key.text) || name == "schemas":
                continue
            case _ where counts.contains(name) && value.pagingNumber == 0: isSaid = true
            // MediaWiki: { "batchcomplete": true, "continue": {}, "query": { "allpages": [] } }.
            case .object where mayHaveLists && value.saysNothing: continue
            case .object where mayHaveLists && NestedArray.isWrapper(key.text, in: root) && value.holdsEmptyList:
                isSaid = true
            case .array, .object: return false
            default: guard beside.contains(name) || PagingWord(name) != nil else { return false }
            }
        }
        return isSaid
    }

    /// Returns no records, with the doubt that the answer has no list.
    static func found(in document: Document, at place: FoundRecords.Place) -> FoundRecords {
        var found = FoundRecords(selection: Selection([], in: document), place: place)
        found.doubt = Verdict(
            .contradicted,
            "the answer has no list, and says that there are no records",
            advice: "does it always say so where there are none? Then response_actions with body_contains and action: "
                + "ignore takes it for an empty list")
        found.isEmptyList = true
        return found
    }
}

extension Node {
    /// True for an object whose only member is an empty list.
    fileprivate var holdsEmptyList: Bool {
        let values = Array(members.prefix(2))
        return values.count == 1 && values.allSatisfy { $0.value.kind == .array && $0.value.saysNothing }
    }

    var isEmptyObject: Bool { kind == .object && !members.contains { _ in true } }

    /// True for an object in which there is nothing but objects, such as `{ "data": {} }`.
    var holdsEmptyObjectsOnly: Bool { kind == .object && members.allSatisfy { $0.value.holdsEmptyObjectsOnly } }

    /// Returns true for a list of the conditions by which the records were chosen.
    func repeatsFilters(named name: String) -> Bool {
        ["filter", "filters"].contains(name) && elements.allSatisfy { $0["field"] != nil && $0["value"] != nil }
    }

    /// Returns true for a list of links that name their relation, such as `{ "rel": "next", "href": "..." }`, and for
    /// Laravel's list of links to all pages.
    func isListOfLinks(named name: String) -> Bool {
        ["_links", "link", "links"].contains(name)
            && elements.allSatisfy {
                $0["rel"].map { $0.kind == .string || $0.onlyElement?.kind == .string } == true
                    || $0["relation"]?.kind == .string || $0["@ref"]?.kind == .string
                    || $0["label"] != nil && $0["active"] != nil
            }
    }
}
