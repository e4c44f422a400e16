package import GarnerCatalog
import GarnerJSON
import GarnerModel

/// A statement of an answer about its request: the value of a partition or of the parent, or a bound of an incremental read.
package struct RequestEcho: Sendable, Hashable {
    /// The JSONPath, or the name of a field of the head.
    package let place: String
    /// The text or the spelling of the number that stands there; its digest where that is unsure.
    package let text: String
    /// The partition or the field of the parent; nil for a bound.
    package let list: Template.Placeholder?
    /// True if the place may tell of something else, as `parent_id` of a folder does. It counts where it has named other lists rightly. A
    /// bound of such a name may be that of the records.
    package let isUnsure: Bool
    /// True for the end of an incremental read.
    package let isEnd: Bool
    /// True for a bound that stands where nothing but the request is repeated, and is no time of a record.
    package let repeatsRequest: Bool
    /// The fingerprint of the records of the list's first page; nil on other pages, without records, and for a bound.
    package internal(set) var records: String?

    init(
        place: String, text: String, list: Template.Placeholder?, isUnsure: Bool, isEnd: Bool = false,
        repeatsRequest: Bool = false
    ) {
        (self.place, self.list, self.isUnsure) = (place, list, isUnsure)
        (self.isEnd, self.repeatsRequest) = (isEnd, repeatsRequest)
        self.text = list != nil && isUnsure ? Self.digest(of: text) : text
    }

    /// Returns what is kept of the name of a list, which a server may have filled with a secret. It is the same for capitals.
    package static func digest(of text: String) -> String {
        var hash = StableHash()
        hash.add(text.lowercased().utf8)
        return String(hash.value, radix: 16)
    }

    /// The digest of the name of a list that stands there.
    package var digest: String { isUnsure ? text : Self.digest(of: text) }

    /// The statement as it is stored with its page, of which an unchanged one reminds; nil if it is not stored.
    var json: JSONText? { list.map { JSONText([place, digest, $0.name, records ?? ""]) } }

    init?(stored node: Node) {
        let texts = node.elements.compactMap(\.string)
        guard texts.count > 3, let list = Template.Placeholder(name: texts[2]) else { return nil }
        (place, text, self.list, isUnsure) = (texts[0], texts[1], list, true)
        (isEnd, repeatsRequest) = (false, false)
        records = texts[3].isEmpty ? nil : texts[3]
    }
}

/// The names under which an answer may repeat what a request asks for.
struct RequestNames: Sendable {
    /// The lists by their own names and those of their parameters, in lower case, without `_` and `-`.
    private let lists: [(name: String, list: Template.Placeholder)]
    /// The lists by the parameters that have nothing else.
    private let parameters: [(name: String, list: Template.Placeholder)]
    /// The segments of the path, each with the list whose value it is.
    private let segments: [Template.Placeholder?]
    /// The parameters with a bound of an incremental read.
    private let bounds: [(name: String, isEnd: Bool)]
    private let starts: Set<String>
    private let ends: Set<String>

    /// Names under which answers tell of themselves: { "status": "success" } beside runs that failed.
    private static let ofAnswers: Set = [
        "code", "format", "kind", "message", "object", "result", "state", "status", "success", "type",
    ]
    /// Names of a start that no parameter need have. Of those, `from` counts in an object that repeats a request.
    private static let usualStarts: Set = [
        "modifiedafter", "modifiedsince", "start", "startdate", "starttime", "updatedafter", "updatedsince",
    ]
    /// Names of an end. Of those, `to` counts in an object that repeats a request.
    private static let usualEnds: Set = ["end", "enddate", "endtime", "modifiedbefore", "updatedbefore"]
    private static let mostMembers = 100

    init(of template: RequestTemplate) {
        func only(_ text: String) -> Template.Placeholder? {
            let placeholders = Template(text).placeholders
            guard let first = placeholders.first, first.description == text, first.list != nil else { return nil }
            return first
        }
        let written = template.writtenParameters
        parameters = written.compactMap { name, text in only(text).map { (name: name, list: $0) } }
        segments = template.path.prefix { $0 != "?" }.split(separator: "/").map { only(String($0)) }
        let bounds = written.flatMap { name, text in
            Template(text).placeholders.filter(\.isBound).map { (name: name, isEnd: !$0.isStart) }
        }
        self.bounds = bounds
        func names(ofEnd isEnd: Bool, and usual: String) -> Set<String> {
            let names = bounds.filter { $0.isEnd == isEnd }.map { Envelope.normalized($0.name) }
            return names.isEmpty ? [] : Set(names + [usual])
        }
        (starts, ends) = (names(ofEnd: false, and: "since"), names(ofEnd: true, and: "until"))
        let named = template.placeholders.compactMap { list in
            list.list.map { (name: Envelope.normalized($0), list: list) }
        }
        let asked = parameters.map { (name: Envelope.normalized($0.name), list: $0.list) }
        lists = (named + asked).filter { !Self.ofAnswers.contains($0.name) }
    }

    /// Returns what the members beside the records say, the addresses of the answer, and the records where all of them say the same.
    func echoes(
        of records: Selection, in container: String, beside envelope: Envelope, _ head: ResponseHead,
        at asked: WebAddress, ignoring ignored: [Selector]
    ) -> [RequestEcho] {
        guard !lists.isEmpty || !bounds.isEmpty else { return [] }
        var echoes: [RequestEcho] = []
        for member in envelope.members {
            read(member.node, named: member.name, at: member.path, into: &echoes)
            guard member.node.kind == .object,
                member.name == "parent" || Wrapper(member.name).contains(.request)
            else { continue }
            for (key, value) in member.node.members.prefix(Self.mostMembers) where !envelope.isIgnored(value) {
                let (spelling, name) = (key.text, Envelope.normalized(key.text))
                let place = member.path + Selector.shortSegment(named: spelling)
                read(value, named: name, in: member.name, at: place, into: &echoes)
                guard Wrapper(name).contains(.request), value.kind == .object else { continue }
                for (key, value) in value.members.prefix(Self.mostMembers) where !envelope.isIgnored(value) {
                    let (spelling, inner) = (key.text, Envelope.normalized(key.text))
                    let place = place + Selector.shortSegment(named: spelling)
                    read(value, named: inner, in: name, at: place, into: &echoes)
                }
            }
        }
        for (place, address) in envelope.ownAddresses(head, at: asked) {
            for (text, list) in named(by: address, asked: asked) {
                echoes.append(RequestEcho(place: place, text: text, list: list, isUnsure: true))
            }
            for (name, isEnd) in bounds {
                guard let text = address.value(of: name) else { continue }
                echoes.append(
                    RequestEcho(
                        place: place, text: text, list: nil, isUnsure: false, isEnd: isEnd, repeatsRequest: true))
            }
        }
        for (name, list) in parameters where list.isPartition {
            let place = "\(container)[*]\(Selector.shortSegment(named: name))"
            guard !ignored.contains(where: { $0.description == place }), let text = records.textOfAll(at: name) else {
                continue
            }
            echoes.append(RequestEcho(place: place, text: text, list: list, isUnsure: false))
        }
        return echoes
    }

    /// Reads a member of the answer, or of an object in it that repeats the request or describes the parent.
    private func read(
        _ node: Node, named name: String, in object: String? = nil, at place: String, into echoes: inout [RequestEcho]
    ) {
        // The only value of a list or of an object such as { "eq": "north" } may be one of several.
        let only = object == nil ? nil : node.onlyElement ?? node.onlyMember
        guard let text = node.pagingText ?? only?.pagingText else { return }
        if only == nil, object != "parent" {
            // A range may be that of the records.
            let repeatsRequest = object.map { !Wrapper($0).contains(.range) } ?? false
            func readBound(_ names: Set<String>, or usual: Set<String>, _ inObject: String, isEnd: Bool) {
                let isUsual = usual.contains(name) || object != nil && name == inObject
                guard !names.isEmpty, names.contains(name) || isUsual else { return }
                echoes.append(
                    RequestEcho(
                        place: place, text: text, list: nil, isUnsure: !names.contains(name), isEnd: isEnd,
                        repeatsRequest: repeatsRequest && names.contains(name)))
            }
            readBound(starts, or: Self.usualStarts, "from", isEnd: false)
            readBound(ends, or: Self.usualEnds, "to", isEnd: true)
        }
        let own = object == "parent" ? "parent\(name)" : name
        for list in lists where list.name == own && (object != "parent" || !list.list.isPartition) {
            let isUnsure = only != nil || !list.list.isPartition
            echoes.append(RequestEcho(place: place, text: text, list: list.list, isUnsure: isUnsure))
        }
    }

    /// Returns the values of lists in an address that has the form of the one that was asked for.
    private func named(by address: WebAddress, asked: WebAddress) -> [(text: String, list: Template.Placeholder)] {
        let found = parameters.compactMap { name, list in
            let stated = address.value(of: name) ?? address.value(of: name.uppercased())
            return stated.map { (text: $0, list: list) }
        }
        let (own, other) = (asked.path.split(separator: "/"), address.path.split(separator: "/"))
        guard min(own.count, other.count) >= segments.count else { return found }
        var inPath: [(text: String, list: Template.Placeholder)] = []
        for (list, (own, other)) in zip(segments, zip(own.suffix(segments.count), other.suffix(segments.count))) {
            if let list {
                inPath.append((text: PercentEncoding.decoded(other.utf8, plusIsSpace: false), list: list))
            } else if own != other {
                return found
            }
        }
        return found + inPath
    }
}

extension Template.Placeholder {
    /// The name of a partition, or `parent` with the field; nil for what names no list.
    fileprivate var list: String? {
        switch self {
        case .partition(let name): name
        case .parent(let field): "parent\(field)"
        case .incrementalStart, .incrementalEnd, .time, .page: nil
        }
    }

    /// True for a bound of an incremental read, unless it is an end that is asked for earlier than it is.
    fileprivate var isBound: Bool {
        if case .time(let time) = self, time.source == .end { return time.offset > .seconds(-3_600) }
        return isIncremental
    }

    fileprivate var isPartition: Bool { if case .partition = self { true } else { false } }
}

extension Envelope {
    /// The names of members that hold the address of the answer itself.
    private static let addresses: Set = ["@id", "canonical", "href", "self", "uri", "url"]

    /// Returns the addresses by which an answer names itself, with their places.
    func ownAddresses(_ head: ResponseHead, at asked: WebAddress) -> [(place: String, address: WebAddress)] {
        var texts: [(place: String, text: String?)] = []
        for member in members where !holdsRecords(member.node) {
            if Self.addresses.contains(member.name) {
                texts.append((member.path, member.node.string ?? member.node["href"]?.string))
            } else if ["link", "links"].contains(member.name), member.node.kind == .array {
                let own = zip(0..., member.node.elements).first { $1["rel"]?.string?.lowercased() == "self" }
                guard let own, let target = own.1["href"], !isIgnored(target) else { continue }
                texts.append(("\(member.path)[\(own.0)].href", target.string))
            } else if ["params", "query"].contains(member.name), let text = member.node.string,
                text.utf8.contains(UInt8(ascii: "="))
            {
                texts.append((member.path, "?\(text)"))
            }
        }
        texts.append(("Link", (try? head.link("self")) ?? nil))
        texts.append(("Content-Location", head.headers["Content-Location"]))
        return texts.compactMap { place, text in
            text.flatMap(asked.resolving).map { (place: place, address: $0) }
        }
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
