import GarnerCatalog
import GarnerJSON
package import GarnerModel

/// The answer to the request of a page. Its place in the read decides what it means.
package struct PageAnswer: Sendable {
    let locator: PageLocator
    let known: ParsedCachedPage?
    let reply: Result<Reply, any Error>
    package let request: RequestEntry

    /// The name of the error; nil if the request was answered well.
    package var errorKind: String? {
        guard case .failure(let error) = reply else { return nil }
        return (error as? FetchError.Kind)?.name ?? "cancelled"
    }

    /// True if it has a long body, which takes a while to look through.
    var isLong: Bool {
        guard case .success(let reply) = reply, case .document(let document, _) = reply.content else { return false }
        return document.byteCount > RequestAttempt.shortBody
    }

    /// True if its body is so long that it is parsed in pieces.
    var isInPieces: Bool { if case .success(let reply) = reply { reply.rest != nil } else { false } }

    /// True if the answer to the request of this position counts at it. The pages before may have changed since it was sent, so
    /// that the read has another number of records before this page than when it was stored.
    package func counts(at position: PagePosition) -> Bool {
        guard case .success(let reply) = reply else { return true }
        switch reply.content {
        case .notModified, .repeated: return known?.belongs(to: position) == true
        case .document, .file, .nothingNew, .ignored, .ended: return true
        }
    }
}

extension PageFetcher {
    /// Returns the position that most likely follows a page which has not come yet; nil if nothing tells.
    ///
    /// The page that was stored in its place tells its successor. Else a total tells that there is one, and the numbers of two
    /// requests tell the next. Only numbered pages are expected: where a record has moved between them, its key tells.
    package func expectedPosition(
        after position: PagePosition, behind earlier: PagePosition, remembered memory: ParsedCachedPage?,
        _ context: ReadContext
    ) -> PagePosition? {
        // A cursor is good for one read, and a POST may do more than read.
        guard position.isNumbered, isPlainRead, !paging.usesCursor, !position.history.isByCursor
        else { return nil }
        if let known = memory, known.belongs(to: position) {
            guard known.summary.following?.isByCursor != true, let locator = try? paging.locator(of: position),
                case .next(let next)? = try? paging.continuation(after: position, at: locator, known.summary, context)
            else { return nil }
            return next
        }
        return paging.countedPosition(after: position, behind: earlier)
    }
}

extension Paging {
    /// Returns the position after a numbered page, if a total says that there is one.
    fileprivate func countedPosition(after position: PagePosition, behind earlier: PagePosition) -> PagePosition? {
        guard position.window == earlier.window, let from = PageLocator(earlier),
            var to = PageLocator(position)
        else { return nil }
        var filling: PageFilling?
        var headers = position.headers
        if let now = position.filling {
            guard let before = earlier.filling?.number, let number = now.number?.continuing(from: before) else {
                return nil
            }
            let following = now.page(.number("\(number)"))
            guard let locator = try? self.locator(filledWith: following),
                let fields = try? self.headers(filledWith: following)
            else { return nil }
            (filling, to, headers) = (following, locator, fields)
        } else {
            guard let address = from.address.step(to: to.address) else { return nil }
            to.address = address
        }
        var history = position.history
        guard history.largestPage > 0 else { return nil }
        history.records = history.records.addingReportingOverflow(history.largestPage).partialValue
        history.filledPages += 1
        guard history.saysMore(behind: position.number + 1) else { return nil }
        let next = PagePosition(
            to, headers: headers, filling: filling, number: position.number + 1, history: history,
            window: position.window)
        guard allows(next) else { return nil }
        return next
    }
}

extension WebAddress {
    /// Returns the address that continues the series; nil if more than a number differs between this address and the next.
    fileprivate func step(to next: WebAddress) -> WebAddress? {
        if let (place, number) = pageNumber(countedTo: next) {
            // How many digits the next number is written with is not known.
            guard next.path.utf8[place].first != UInt8(ascii: "0") else { return nil }
            var following = next
            following.path.replaceSubrange(place, with: "\(number + 1)")
            return following
        }
        let (before, after) = (parameters, next.parameters)
        guard before.map({ $0.name }) == after.map({ $0.name }) else { return nil }
        let changed = zip(before, after).filter { $0.value != $1.value }
        guard changed.count == 1, let (old, new) = changed.first, let from = Int(old.value), let to = Int(new.value),
            setting(new.name, to: new.value) == next
        else { return nil }
        return to.continuing(from: from).map { next.setting(new.name, to: "\($0)") }
    }
}

extension Int {
    /// Returns the number that continues the series from a smaller one to this one; else nil.
    fileprivate func continuing(from before: Int) -> Int? {
        let (step, overflows) = subtractingReportingOverflow(before)
        let (number, isTooLarge) = addingReportingOverflow(step)
        return self > before && !overflows && !isTooLarge ? number : nil
    }
}

extension ReadHistory {
    /// True if a total says that the read has more than these pages.
    fileprivate func saysMore(behind pages: Int) -> Bool {
        if let totalPages {
            let (number, overflows) = pages.addingReportingOverflow(max(firstPage ?? 1, 1) - 1)
            return !overflows && number < totalPages.value
        }
        guard let total else { return false }
        return records.addingReportingOverflow(offset).partialValue < total.value
    }
}
