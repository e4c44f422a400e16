import GarnerCatalog
import GarnerJSON

/// A statement of an answer about its request: the value of a partition, or the start of an incremental read.
package struct RequestEcho: Sendable, Hashable {
    /// The JSONPath.
    package let place: String
    /// The text or the spelling of the number that stands there.
    package let text: String
    /// The partition; nil for the start.
    package let partition: String?
}

/// The names under which an answer may repeat what a request asks for.
struct RequestNames: Sendable {
    /// The partitions by their own names and those of their parameters, in lower case, without `_` and `-`.
    private let lists: [(name: String, partition: String)]
    /// The partitions by their parameters, after which records are filtered.
    private let filters: [(name: String, partition: String)]
    private let starts: Set<String>

    /// Names under which answers tell of themselves: { "status": "success" } beside runs that failed.
    private static let ofAnswers: Set = [
        "code", "format", "kind", "message", "object", "result", "state", "status", "success", "type",
    ]

    init(of template: RequestTemplate) {
        var filters: [(name: String, partition: String)] = []
        var starts: Set<String> = []
        for (name, text) in template.writtenParameters {
            let placeholders = Template(text).placeholders
            if case .partition(let partition)? = placeholders.first, placeholders[0].description == text {
                filters.append((name: name, partition: partition))
            }
            if placeholders.contains(where: \.isStart) { starts.formUnion([Envelope.normalized(name), "since"]) }
        }
        let partitions = template.placeholders.compactMap { if case .partition(let name) = $0 { name } else { nil } }
        let named = partitions.map { (name: Envelope.normalized($0), partition: $0) }
        let asked = filters.map { (name: Envelope.normalized($0.name), partition: $0.partition) }
        lists = (named + asked).filter { !Self.ofAnswers.contains($0.name) }
        (self.filters, self.starts) = (filters, starts)
    }

    /// Returns what the members beside the records say, and the records where all of them say the same.
    func echoes(
        of records: Selection, below root: Node, way: [(path: String, node: Node)], ignoring ignored: [Selector]
    ) -> [RequestEcho] {
        guard let container = way.last, !lists.isEmpty || !starts.isEmpty else { return [] }
        var echoes: [RequestEcho] = []
        for member in Envelope(root: root, way: way, ignoring: ignored).members {
            guard let text = member.node.pagingText else { continue }
            func add(_ partition: String?) {
                echoes.append(RequestEcho(place: member.path, text: text, partition: partition))
            }
            if starts.contains(member.name) { add(nil) }
            for list in lists where list.name == member.name { add(list.partition) }
        }
        for (name, partition) in filters {
            let place = "\(container.path)[*]\(Selector.shortSegment(named: name))"
            guard !ignored.contains(where: { $0.description == place }), let text = records.textOfAll(at: name) else {
                continue
            }
            echoes.append(RequestEcho(place: place, text: text, partition: partition))
        }
        return echoes
    }
}

extension Selection {
    /// Returns the text that all of several records have under a name; nil if they differ. A key is no such text.
    fileprivate func textOfAll(at name: String) -> String? {
        var (text, count, differ) = (String?.none, 0, false)
        forEach { record in
            guard !differ else { return }
            let own = record[name]?.pagingText
            if own == nil || count > 0 && own != text { differ = true }
            (text, count) = (own, count + 1)
        }
        return differ || count < 2 ? nil : text
    }
}
