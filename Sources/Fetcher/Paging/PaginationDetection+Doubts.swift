import GarnerCatalog
import GarnerJSON

// What an answer says against itself: a part is missing, there is more than can be asked for, or pages lie before it.
extension PaginationDetection {
    /// - Parameters:
    ///   - count: The number of records on the page.
    ///   - isCounted: True if the numbers of pages are our own.
    mutating func readDoubts(
        _ envelope: Envelope, _ head: ResponseHead, _ locator: PageLocator, count: Int, isCounted: Bool
    ) {
        for member in envelope.members {
            read(member.word, member.node, named: member.name, at: member.path)
            switch member.word {
            case .firstPage
            where member.node.truth(named: member.name) == false || Self.leadsBefore(member, locator):
                pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
            case .previous where Self.liesBefore(member.node, locator):
                pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
            case .remark where !envelope.holdsRecords(member.node): remark = remark ?? ServerRemark(member)
            default: readOther(member, in: envelope, locator, count: count)
            }
        }
        let (missing, cut) = (head.partMissing, head.cutOff)
        (partMissing, cutOff) = (partMissing ?? missing, cutOff ?? cut)
        if missing != nil || cut != nil { hasWordInHead = true }
        guard pagesBefore == nil else { return }
        // A broken field is told where a paginator follows it.
        let links = ["prev", "previous", "first"].compactMap { (try? head.link($0)) ?? nil }
        if links.contains(where: { Self.liesBefore($0, locator) }) {
            pagesBefore = PageStatement(path: "Link", value: "a link to a page before")
        } else if let name = ["X-Prev-Page", "X-Previous-Page"].first(where: { name in
            head.headers[name].map { Self.liesBefore($0, locator) } == true
        }) {
            pagesBefore = PageStatement(path: name, value: "that of a page before")
        } else if isCounted, locator.offset == nil {
            pagesBefore = startBehindAPage(locator, count: count)
        }
    }

    /// Reads what a word says by being true, or by being false.
    private mutating func read(_ word: PagingWord?, _ node: Node, named name: String, at path: String) {
        let isTrue = node.truth(named: name) == true || node.kind == .integer && node.integer == 1
        switch word {
        case .cutOff where isTrue: cutOff = cutOff ?? PageStatement(path, node)
        case .partMissing where isTrue: partMissing = partMissing ?? PageStatement(path, node)
        case .whole where node.truth(named: name) == false: partMissing = partMissing ?? PageStatement(path, node)
        case .pagesBefore where isTrue: pagesBefore = pagesBefore ?? PageStatement(path, node)
        default: return
        }
    }

    private mutating func readOther(
        _ member: Envelope.Member, in envelope: Envelope, _ locator: PageLocator, count: Int
    ) {
        guard !envelope.holdsRecords(member.node) else { return }
        func isBeside(_ name: String) -> Bool {
            envelope.members.contains { $0.object == member.object && $0.name == name }
        }
        if Self.tellsOfGap(member, ofMeta: envelope.names[member.object] == "meta", isBeside) {
            partMissing = partMissing ?? PageStatement(member.path, member.node)
            return
        }
        switch member.name {
        case let name where member.node.kind == .object && Self.inner[name] != nil:
            for (name, word) in Self.inner[name] ?? [] {
                guard let node = member.node[name], !envelope.isIgnored(node) else { continue }
                read(word, node, named: name, at: "\(member.path).\(name)")
            }
        case "status":
            let word = Envelope.normalized(member.node.string ?? "")
            // Beside an id, it is the state of a record that has a list. What the request has sent is that of the records.
            guard
                Self.partialStatus.contains(word)
                    || Self.openStatus.contains(word) && !isBeside("id")
                        && member.node.string.map({ locator.sends($0) }) != true
            else { return }
            partMissing = partMissing ?? PageStatement(path: member.path, value: word)
        // A page that leads on to another one may end so, too.
        case _ where Self.endings.contains(member.name):
            let word = Envelope.normalized(member.node.string ?? "")
            guard Self.partialStatus.contains(word) || Self.cutStatus.contains(word) else { return }
            cutOff = cutOff ?? PageStatement(path: member.path, value: word)
        // Beside a name or an id, it is the state of a record that has a list, as in any object of a name of its own.
        case "complete", "iscomplete":
            let owner = envelope.names[member.object]
            guard owner.isEmpty || Wrapper(owner).contains(.counts), member.node.truth(named: member.name) == false,
                !["id", "key", "name", "title"].contains(where: isBeside)
            else { return }
            cutOff = cutOff ?? PageStatement(member.path, member.node)
        // Elasticsearch answers although some of its shards, or of the clusters that it asks, did not.
        case "shards",
            "clusters" where member.spelling == "_clusters":
            if let all = member.node["total"]?.pagingNumber, let done = member.node["successful"],
                let count = done.pagingNumber,
                count.addingReportingOverflow(member.node["skipped"]?.pagingNumber ?? 0).partialValue < all,
                !envelope.isIgnored(done)
            {
                partMissing = partMissing ?? PageStatement(member.path + ".successful", done)
            }
            for name in member.name == "shards" ? ["failed"] : ["failed", "partial", "skipped"] {
                guard let failed = member.node[name], let count = failed.pagingNumber, count > 0,
                    !envelope.isIgnored(failed)
                else { continue }
                partMissing = partMissing ?? PageStatement("\(member.path).\(name)", failed)
            }
        // Laravel numbers the first and the last record of a page, from 1. Other numbers are those of years, times or prices.
        case "from":
            let to = envelope.members.first { $0.object == member.object && $0.name == "to" }
            guard let first = member.node.pagingNumber, first > 1, let last = to?.node.pagingNumber,
                (-1...1).contains(last &- first &+ 1 &- count)
            else { return }
            pagesBefore = pagesBefore ?? PageStatement(member.path, member.node)
        default: return
        }
    }

    /// Returns true for a member that is there only where a part is missing.
    private static func tellsOfGap(
        _ member: Envelope.Member, ofMeta isOfMeta: Bool, _ isBeside: (String) -> Bool
    ) -> Bool {
        let (name, node) = (member.name, member.node)
        switch name {
        // Drupal leaves out what one may not see.
        case "omitted" where isOfMeta && node.kind == .object: return !node.saysNothing
        // Lists of what did not come. A list of records is one of those that have failed.
        case "failed", "missing", "omitted":
            if name == "omitted", node.pagingNumber ?? 0 > 0 { return true }
            // An object names each part that has failed, with a word that says why.
            if name == "failed", node.kind == .object, !node.saysNothing {
                return node.members.allSatisfy { $0.value.string?.isEmpty == false }
            }
            guard node.kind == .array, let first = node.elements.first(where: { _ in true }) else { return false }
            return !RecordNames.looksLikeRecord(first) || ["error", "message", "reason"].contains { first[$0] != nil }
        // Splunk shows what a search has found so far. A preview of something else is a text.
        case "preview": return node.kind == .true && isBeside("results")
        // Overpass gives what it has found until then.
        case "remark": return node.string?.lowercased().mentions(["runtime error"]) == true
        case "failedshards" where node.pagingNumber ?? 0 > 0: return true
        default: return (gaps.contains(name) || node.kind == .array && tellsOfGaps(name)) && !node.saysNothing
        }
    }

    private static let partialStatus: Set = [
        "partialcontent", "partialresults", "partialsuccess", "timedout", "timeout",
    ]
    /// Names of why an answer ends where it does, and words for another reason than that there is no more.
    private static let endings: Set = [
        "completionreason", "endreason", "finishreason", "stopreason", "terminationreason",
    ]
    private static let cutStatus: Set = ["aborted", "interrupted", "limit", "limitexceeded", "limitreached"]
    static let openStatus: Set = ["incomplete", "inprogress", "partial", "pending", "processing", "queued", "running"]

    /// What was not done of a request: Google Ads' operations that failed, and the keys that DynamoDB did not look up.
    private static let gaps: Set = ["partialfailureerror", "unprocesseditems", "unprocessedkeys"]

    /// Words in objects of certain names: in Vespa's `coverage`, the `extensions` of GraphQL and the `properties` of ArcGIS.
    private static let inner: [String: [(name: String, word: PagingWord)]] = [
        "coverage": [("full", .whole)], "extensions": [("partial", .partMissing), ("truncated", .cutOff)],
        "properties": [("exceededTransferLimit", .cutOff)],
    ]

    /// Returns true for the name of a list of those that did not answer: `unreachable` in Google's APIs (AIP-217), `failed_sources`.
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

    /// Returns true if the first page, as a member names it, has a lower number than the requested one. As `first`, a number may be that of
    /// a record.
    private static func leadsBefore(_ first: Envelope.Member, _ locator: PageLocator) -> Bool {
        (first.name != "first" || first.node.pagingNumber == nil) && liesBefore(first.node, locator)
    }

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
        guard !locator.isNumbered else { return false }
        // Pages may be counted by a parameter of any name.
        return before.numbers.contains { name, number in
            !ParameterRole.isSize(name) && locator.numbers.contains { $0.name == name && number < $0.value }
        }
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
    /// The field that says that a part of what was asked for is missing; nil if none does.
    var partMissing: PageStatement? {
        if let said = truth(ofAny: Self.gaps) { return said }
        let warns = headers.values(of: "Warning").contains { text in
            // RFC 7234, 5.5: 199 is a "miscellaneous warning", and 214 a "transformation applied".
            ["199 ", "214 "].contains(where: text.hasPrefix) && text.lowercased().mentions(["incomplete", "partial"])
        }
        if warns { return PageStatement(path: "Warning", value: "a text") }
        if let said = error { return said }
        // A call of gRPC may fail below a status 200.
        guard let code = headers["grpc-status"], !["", "0", "OK"].contains(code.uppercased()) else { return nil }
        return PageStatement(path: "grpc-status", value: Int(code).map { "\($0)" } ?? "a text")
    }

    /// The field `X-Error` or `X-Errors` with an error; nil if there is none.
    private var error: PageStatement? {
        for name in ["X-Error", "X-Errors"] {
            // A code of HTTP that is good is none of an error.
            if let text = headers[name], !StatusMembers.saysNoError(text),
                Int(text).map({ (200...299).contains($0) }) != true
            {
                return PageStatement(path: name, value: "a text")
            }
        }
        return nil
    }

    /// The field that says that there is more, without a way to ask for it; nil if none does.
    var cutOff: PageStatement? { truth(ofAny: Self.cuts) ?? cutRange }

    /// The field that says that the body has not all bytes (RFC 9110, 14.4), as behind a proxy that answers by the status of a whole one.
    /// Some servers count records by it, so that only the last page has to reach the end.
    private var cutRange: PageStatement? {
        guard let range = headers["Content-Range"]?.lowercased(), range.hasPrefix("bytes ") else { return nil }
        let numbers = range.dropFirst("bytes ".count).split(whereSeparator: { "-/".contains($0) }).map { Int($0) }
        guard numbers.count == 3, let first = numbers[0], let last = numbers[1], let all = numbers[2], last < all - 1
        else { return nil }
        return PageStatement(path: "Content-Range", value: "bytes \(first)-\(last)/\(all)")
    }

    /// Returns the first field with one of these words in its name whose value is true.
    private func truth(ofAny words: [StaticString]) -> PageStatement? {
        let field = headers.all.first { name, value in
            name.withPlainBytes { $0.mention(words) } && Self.truths.contains(value.lowercased())
        }
        return field.map { PageStatement(path: $0.name, value: $0.value.lowercased()) }
    }

    private static let gaps: [StaticString] = ["incompleteresults", "partialresults", "resultsfilteredbyacls"]
    private static let cuts: [StaticString] = ["truncated"]
    private static let truths: Set = ["1", "true", "y", "yes"]

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
