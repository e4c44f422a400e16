import GarnerCatalog
import GarnerJSON

/// The texts and numbers of an answer outside of its records: of the head, and of the body as deep as in three objects and in lists of links
/// and filters. What they lead to or name counts, whatever their own names are.
struct AnswerTexts {
    struct Said {
        /// The JSONPath, or the name of a field of the head.
        let place: String
        /// The name by which the place is known on another page. It has the relation where the place has an index, as in `$.links.more.href`.
        let name: String
        let text: String
    }

    private(set) var all: [Said] = []
    private static let (mostMembers, mostElements, mostObjects, longestName, longestText) = (100, 16, 3, 40, 2_048)

    init(_ root: Node, in envelope: Envelope, _ head: ResponseHead) {
        add(root, in: envelope, at: "$", as: "$", depth: 0)
        for (name, value) in head.headers.all where name.lowercased() != "link" { add(value, at: name, as: name) }
        for (relation, target) in head.unknownLinks { add(target, at: "Link", as: relation) }
    }

    private mutating func add(
        _ object: Node, in envelope: Envelope, at path: String, as name: String, depth: Int
    ) {
        guard depth <= Self.mostObjects, object.kind == .object, !envelope.holdsRecords(object) else { return }
        for (key, value) in object.members.prefix(Self.mostMembers)
        where key.utf8.count <= Self.longestName && !envelope.isIgnored(value) {
            let segment = Selector.shortSegment(named: key.text)
            let (path, name) = (path + segment, name + segment)
            switch value.kind {
            case .object: add(value, in: envelope, at: path, as: name, depth: depth + 1)
            case .array where !envelope.holdsRecords(value):
                let own = Envelope.normalized(key.text)
                guard own.hasSuffix("links") || Wrapper(own).contains(.request) else { continue }
                for (index, element) in value.elements.prefix(Self.mostElements).enumerated() {
                    let relation = element["rel"]?.string ?? "\(index)"
                    add(element, in: envelope, at: "\(path)[\(index)]", as: "\(name).\(relation)", depth: depth + 1)
                }
            default:
                if let text = value.pagingText { add(text, at: path, as: name) }
            }
        }
    }

    private mutating func add(_ text: String, at place: String, as name: String) {
        guard !text.isEmpty, text.utf8.count <= Self.longestText else { return }
        all.append(Said(place: place, name: name, text: text))
    }
}

// Other names of the link or the cursor to the next page, such as `more_url` beside `next_url`, and `X-Next-Cursor` beside `next_cursor`.
extension AnswerTexts {
    /// Returns digests of the names under which this answer leads to the next page, but for those that are signs of it.
    ///
    /// - Parameter sendsCursor: False where the pages are counted, so that a number says nothing of the next one.
    func names(
        of next: WebAddress, behind address: WebAddress, sendsCursor: Bool,
        besides signs: [PaginationDetection.Sign]
    ) -> [String] {
        let sent = address.parameters
        let changed = next.parameters.filter { parameter in
            !sent.contains { $0.name == parameter.name && $0.value == parameter.value }
        }.map(\.value)
        let names = all.filter { said in
            let isSign = signs.contains { said.place.hasPrefix("$") && (said.place + ".").hasPrefix($0.path + ".") }
            guard !isSign else { return false }
            if sendsCursor, said.isOfNext, changed.contains(said.text) { return true }
            guard let link = said.link(from: next) else { return false }
            // It need not repeat the parameters that are the same on all pages.
            return link.asks(for: next)
                || next.asks(for: link) && link.parameters.contains { changed.contains($0.value) }
        }
        return names.prefix(Self.mostElements).map { RequestEcho.digest(of: $0.name) }
    }

    /// Returns the place that leads away from this page under one of these names; nil if none does.
    func leadsOn(byAnyOf names: [String], from address: WebAddress) -> String? {
        all.first { said in
            guard names.contains(RequestEcho.digest(of: said.name)) else { return false }
            if let link = said.link(from: address) { return !link.asks(for: address) && !address.asks(for: link) }
            return said.isOfNext && !said.text.hasBlank && !PossibleSign.nothing.contains(said.text.lowercased())
                && !address.parameters.contains { $0.value == said.text }
        }?.place
    }
}

extension AnswerTexts.Said {
    /// True for a name that only something that follows has. The cursor behind the last record, such as `last_id` and `cursors.after`, stands on
    /// the last page, too, and may be the very one that leads to the next page.
    fileprivate var isOfNext: Bool { Envelope.normalized(name).mentions(["forward", "more", "next"]) }

    /// The address that stands here; nil for any other text.
    fileprivate func link(from address: WebAddress) -> WebAddress? {
        guard text.contains("/") || text.contains("?"), !text.hasBlank else { return nil }
        return address.resolving(text)
    }
}
