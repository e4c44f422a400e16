import GarnerCatalog
import GarnerJSON

// What an answer says against itself: that a part of it is missing, that there is more than can be asked for, or that pages lie
// before it.
extension PaginationDetection {
    mutating func readDoubts(_ envelope: Envelope, _ head: ResponseHead, _ locator: PageLocator) {
        for member in envelope.members {
            let isTrue =
                member.node.truth(named: member.name) == true
                || member.node.kind == .integer && member.node.integer == 1
            switch member.word {
            case .cutOff where isTrue: cutOff = cutOff ?? PageStatement(member.path, member.node)
            case .partMissing where isTrue: partMissing = partMissing ?? PageStatement(member.path, member.node)
            case .pagesBefore where isTrue: pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
            case .firstPage where member.node.truth(named: member.name) == false:
                pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
            case .previous where Self.liesBefore(member.node, locator):
                pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
            case .remark where !envelope.holdsRecords(member.node): remark = remark ?? ServerRemark(member)
            default: readOther(member, in: envelope)
            }
        }
        // A broken field is told where a paginator follows it.
        if pagesBefore == nil, let link = (try? head.link("prev") ?? head.link("previous")) ?? nil,
            Self.liesBefore(link, locator)
        {
            pagesBefore = PageStatement(path: "Link", value: "a link to a page before")
        }
    }

    private mutating func readOther(_ member: Envelope.Member, in envelope: Envelope) {
        switch member.name {
        // Google Ads reports failed operations beside the others.
        case "partialfailureerror" where !member.node.saysNothing:
            partMissing = partMissing ?? PageStatement(member.path, member.node)
        // Google's APIs list what they could not reach (AIP-217), and others what did not answer: failed_sources, unavailable_regions.
        case let name where member.node.kind == .array && !member.node.saysNothing && Self.tellsOfGaps(name):
            partMissing = partMissing ?? PageStatement(member.path, member.node)
        case "status" where Self.partialStatus.contains(Envelope.normalized(member.node.string ?? "")):
            partMissing = partMissing ?? PageStatement(path: member.path, value: Envelope.normalized(member.node.text))
        // Elasticsearch answers although some of its shards did not.
        case "failedshards" where member.node.pagingNumber ?? 0 > 0:
            partMissing = partMissing ?? PageStatement(member.path, member.node)
        case "shards":
            if let all = member.node["total"]?.pagingNumber, let done = member.node["successful"],
                let count = done.pagingNumber,
                count.addingReportingOverflow(member.node["skipped"]?.pagingNumber ?? 0).partialValue < all,
                !envelope.isIgnored(done)
            {
                partMissing = partMissing ?? PageStatement(member.path + ".successful", done)
            }
            guard let failed = member.node["failed"], let count = failed.pagingNumber, count > 0,
                !envelope.isIgnored(failed)
            else { return }
            partMissing = partMissing ?? PageStatement(member.path + ".failed", failed)
        // Laravel numbers the first and the last record of a page, from 1.
        case "from":
            let hasEnd = envelope.members.contains { $0.object == member.object && $0.name == "to" }
            guard hasEnd, let first = member.node.pagingNumber, first > 1 else { return }
            pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
        default: return
        }
    }

    private static let partialStatus: Set = [
        "partialcontent", "partialresults", "partialsuccess", "timedout", "timeout",
    ]

    /// Returns true for the name of a list of those that should have answered, and did not.
    private static func tellsOfGaps(_ name: String) -> Bool {
        if name == "unreachable" { return true }
        guard let start = ["failed", "missing", "unavailable", "unreachable"].first(where: name.hasPrefix) else {
            return false
        }
        return sources.contains(String(name.dropFirst(start.count)))
    }

    private static let sources: Set = [
        "backends", "clusters", "hosts", "locations", "nodes", "partitions", "providers", "regions", "servers",
        "shards", "sources", "zones",
    ]

    /// Returns true if a page of a lower number than the requested one is named as the one before.
    private static func liesBefore(_ node: Node, _ locator: PageLocator) -> Bool {
        switch node.kind {
        case .string: liesBefore(node.text, locator)
        case .integer: locator.page.map { node.integer < $0 } ?? false
        case .object:
            node.members.contains { key, value in
                switch key.text.lowercased() {
                case "href", "url", "link": value.string.map { liesBefore($0, locator) } ?? false
                case let name where ParameterRole.isPage(name): liesBefore(value, locator)
                default: false
                }
            }
        default: false
        }
    }

    private static func liesBefore(_ link: String, _ locator: PageLocator) -> Bool {
        if let number = Int(link) { return locator.page.map { number < $0 } ?? false }
        guard let address = locator.address.resolving(link) else { return false }
        let before = PageLocator(address: address, body: nil)
        if let page = locator.page, let number = before.page { return number < page }
        if let offset = locator.offset, let number = before.offset { return number < offset }
        return false
    }
}

extension PageLocator {
    /// Returns true if a link leads to a page of a greater number than the requested one, which is the first where it names none.
    func isBefore(_ link: String) -> Bool {
        guard let address = address.resolving(link) else { return false }
        let other = PageLocator(address: address, body: nil)
        if let number = other.page { return number > page ?? 1 }
        return other.offset.map { $0 > offset ?? 0 } ?? false
    }
}

extension ResponseHead {
    /// Returns true if no link leads to the next page, although one leads to a last page behind it, or has a relation such as `next-page`.
    func leadsOnByLink(behind locator: PageLocator) -> Bool {
        linksToLast.contains(where: locator.isBefore)
            || links.contains { link in
                !link.isEmpty && !link.relations.contains("next") && link.relations.contains { $0.mentions(["next"]) }
            }
    }

    /// The targets of the links to the last page.
    var linksToLast: [String] { links.filter { $0.relations.contains("last") }.map(\.target) }

    private var links: [LinkHeader.Link] { headers.values(of: "Link").flatMap(LinkHeader.links) }
}
