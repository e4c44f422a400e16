import Catalog
import JSON

/// What a page says of the read as a whole, as it is stored with the page.
struct PageMarkers: Equatable {
    /// Where the page says that there is another one; nil where nothing does.
    var more: String?
    /// Where it says that there is none; nil where nothing does.
    var end: String?
    var total: ReadHistory.KnownTotal?
    var totalPages: Int?
    /// Its own number.
    var page: Int?
    /// The greatest number of records of a page, which the server told without having been asked for it.
    var size: Int?
    /// What stands where the paginator looks was there, null included.
    var sawPlace = false
    /// The paginator's own place says that this is the last page, whatever else the page says.
    var isDecided = false
    /// What the configuration takes for the total is the size of a page.
    var totalIsSize = false
    /// The records are no list, but the whole body.
    var isDocument = false
    /// The body tells of a total or of other pages, as lists do.
    var looksLikeList = false
    /// Beside its records the page tells of errors.
    var hasErrors = false
    /// They were stored with the page, and no body has said them in this read.
    var isRemembered = false

    /// The same of a body that has come again.
    var received: PageMarkers {
        var markers = self
        markers.isRemembered = false
        markers.total?.isReceived = true
        return markers
    }
}

extension PageMarkers {
    init(_ page: ReceivedPage, places: NamedPlaces?) {
        var detection = page.detection
        detection.leaveOut(places?.nodes ?? [])
        more = detection.openSign?.path
        end = detection.isEnd ? detection.end ?? detection.emptySign : nil
        total = detection.total.map { .init(value: $0.value, isExact: $0.isExact, isReceived: true) }
        totalPages = detection.totalPages?.value
        self.page = detection.page?.value
        if let size = detection.size, size.value > 0, size.value != page.locator.limit,
            size.name.lowercased() != "limit" || detection.offset != nil
        {
            self.size = size.value
        }
        note(places, echoes: [detection.size?.node, detection.page?.node, detection.offset?.node])
        sawPlace = places?.areThere ?? detection.hasSign
        isDecided = places?.saysLast == true
        if places?.saysMore == true { more = more ?? "has_more_path" }
        isDocument = page.rootIsRecord
    }

    /// The totals that the configuration names stand beside those that were found: of both the greater one counts.
    private mutating func note(_ places: NamedPlaces?, echoes: [Node?]) {
        if let node = places?.total, let value = node.pagingNumber {
            if echoes.contains(where: { $0?.isSame(as: node) == true }) {
                totalIsSize = true
            } else if value >= total?.value ?? 0 {
                total = .init(value: value, isExact: true, isReceived: true)
            }
        }
        if let value = places?.totalPages?.pagingNumber { totalPages = max(totalPages ?? 0, value) }
    }

    /// JSON members.
    var members: [String] {
        var members: [String] = []
        if let more { members.append(#""more":\#(quoted(more))"#) }
        if let end { members.append(#""end":\#(quoted(end))"#) }
        if let total { members += [#""total":\#(total.value)"#] + (total.isExact ? [] : [#""total_is_bound":true"#]) }
        if let totalPages { members.append(#""total_pages":\#(totalPages)"#) }
        if let page { members.append(#""page":\#(page)"#) }
        if let size { members.append(#""size":\#(size)"#) }
        if sawPlace { members.append(#""saw_place":true"#) }
        if totalIsSize { members.append(#""total_is_size":true"#) }
        if isDecided { members.append(#""is_decided":true"#) }
        if isDocument { members.append(#""is_document":true"#) }
        if looksLikeList { members.append(#""looks_like_list":true"#) }
        if hasErrors { members.append(#""has_errors":true"#) }
        return members
    }

    init(stored root: Node) {
        more = root["more"]?.string
        end = root["end"]?.string
        total = ReadHistory.KnownTotal(stored: root)
        total?.isReceived = false
        totalPages = root["total_pages"]?.storedCount
        page = root["page"]?.storedCount
        size = root["size"]?.storedCount
        sawPlace = root["saw_place"]?.kind == .true
        totalIsSize = root["total_is_size"]?.kind == .true
        isDecided = root["is_decided"]?.kind == .true
        isDocument = root["is_document"]?.kind == .true
        looksLikeList = root["looks_like_list"]?.kind == .true
        hasErrors = root["has_errors"]?.kind == .true
        isRemembered = true
    }
}
