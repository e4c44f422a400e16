import Digest

/// Finds the records of a read that share their key.
///
/// Within a page every one is found. Across pages they are found in a table that the read has made, and where the pages are
/// numbered, for as many keys as memory is set aside for.
struct RepeatedKeys {
    /// Of the page that is being stored, the short fingerprint of each record's key.
    private var page: [Int64] = []
    /// Which of them have changed a row that was there.
    private var changed: [Int] = []
    private var places: [Int] = []
    /// The keys of the earlier pages; nil while the pages are not numbered.
    private var earlier: SeenKeys?
    /// The read has made the table, so that a row that is there came with it.
    var tableIsNew = false
    /// Records whose row another record of the read had written with other content.
    private(set) var count = 0
    /// A key came on two numbered pages.
    private(set) var crossesPages = false
    /// More keys came than are remembered, so that there may be further ones on two pages.
    private(set) var isUncounted = false

    mutating func beginPage(isNumbered: Bool) {
        page.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        if isNumbered, earlier == nil, !isUncounted { earlier = SeenKeys() }
    }

    /// - Parameters:
    ///   - place: which record of the page it is.
    ///   - isUpdate: whether it has changed a row that was there.
    mutating func add(_ key: Fingerprint, at place: Int, isUpdate: Bool) {
        if isUpdate { changed.append(page.count) }
        page.append(key.shortened)
        places.append(place)
    }

    /// What the page that was stored shows.
    struct Finding {
        /// Records that changed what another record of the read had written.
        var repeats = 0
        /// The place of the first of them on the page.
        var firstPlace: Int?
        /// Records of the page that share their key with another one of it.
        var sharing = 0
        /// Different keys on the page.
        var distinct = 0
    }

    mutating func endPage() -> Finding {
        noteCrossing()
        var finding = Finding()
        // A record with other content than the one before has changed its row.
        guard !changed.isEmpty else { return finding }
        var occurrences: [Int64: Int] = [:]
        var next = changed[...]
        for (index, key) in page.enumerated() {
            let isEarlier = occurrences[key] != nil || tableIsNew
            occurrences[key, default: 0] += 1
            guard next.first == index else { continue }
            next.removeFirst()
            guard isEarlier else { continue }
            finding.repeats += 1
            finding.firstPlace = finding.firstPlace ?? places[index]
        }
        finding.distinct = occurrences.count
        finding.sharing = occurrences.values.reduce(0) { $0 + ($1 > 1 ? $1 : 0) }
        count += finding.repeats
        return finding
    }

    private mutating func noteCrossing() {
        guard var earlier = self.earlier else { return }
        self.earlier = nil
        if !crossesPages { crossesPages = page.contains { earlier.contains($0) } }
        // Once known, it need not be looked for.
        guard !crossesPages else { return }
        for key in page { earlier.insertAnyway(key) }
        if earlier.areUnclear {
            isUncounted = true
        } else {
            self.earlier = earlier
        }
    }
}
