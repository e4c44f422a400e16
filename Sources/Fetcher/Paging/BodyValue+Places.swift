import Catalog
import JSON

extension BodyValue {
    /// Where a body may name a parameter of paging, the likeliest first. GraphQL's queries name their variables as they like.
    func usualPlaces(for parameter: String) -> [String] {
        let own = ["$.\(parameter)"]
        guard member("variables") != nil else { return own }
        return own + [parameter, "after", "cursor", "endCursor", "afterCursor"].map { "$.variables.\($0)" }
    }

    /// What `cursor_param` and its like name, as it is written in a configuration: the place that the body has, or the one
    /// where it would be added.
    func writtenPlace(for parameter: String, on root: Node) -> String {
        let places = usualPlaces(for: parameter)
        if let known = places.first(where: { BodyPlace($0).map { value(at: $0) != nil } ?? false }) { return known }
        // Notion: { "object": "list", "next_cursor": ... } is sent back as start_cursor.
        return parameter == "cursor" && root["object"]?.string == "list" ? "$.start_cursor" : "$.\(parameter)"
    }
}

/// Elasticsearch's way: the next page begins behind the values by which the last record was sorted.
struct SortedPaging {
    let cursor: Paginator.Cursor

    /// nil where the records of a POST do not say how they were sorted.
    init?(_ body: BodyValue?, recordsAt path: String, last: Node?) {
        guard body != nil, last?["sort"]?.kind == .array else { return nil }
        cursor = Paginator.Cursor(cursorPath: "\(path)[-1].sort", cursorParam: "$.search_after")
    }
}
