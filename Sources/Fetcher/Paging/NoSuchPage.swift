import GarnerModel

/// An answer with which servers say that a page lies behind the last one.
///
/// It ends a read only where nothing has announced the page (docs/decisions/0008).
enum NoSuchPage: Error {
    /// A status that refuses the number, or says that there is no content.
    case status(Int)
    /// A good answer without a body, or with a body that has no list.
    case nothing(String)
    /// A status that `response_actions` takes for the end of the list.
    case declared(Int)
    /// The records of the page before, once more. Some servers answer a number that is too great with their last page.
    ///
    /// - Parameter isListed: True if the answer states the number that was asked for, and a last page that does not lie before it.
    case lastPageAgain(isListed: Bool)

    /// Fails if the error says something else.
    init?(_ error: FetchError.Kind) {
        switch error {
        case .status(let status, _) where [400, 404, 416, 422].contains(status): self = .status(status)
        case .emptyBody(let status) where status == 204 || status == 205: self = .status(status)
        case .emptyBody: self = .nothing("an empty body")
        case .scalar("null"), .noArray(_, "null"): self = .nothing("null")
        case .missingPath, .noArray: self = .nothing("a body without the list")
        default: return nil
        }
    }

    /// The answer in words, as the object of "the server answered".
    var words: String {
        switch self {
        case .status(let status), .declared(let status): "HTTP \(status)"
        case .nothing(let words): words
        case .lastPageAgain: "the same records once more"
        }
    }

    /// True if the page before was the last one if it was shorter than others. A good answer without a list may be a fault.
    var endsShortPages: Bool { if case .nothing = self { false } else { true } }

    /// Returns true if it says that these pages are all. One page that comes again says nothing: the parameter may be unknown.
    func confirmsPages(of history: ReadHistory) -> Bool {
        if case .lastPageAgain(let isListed) = self, isListed || history.filledPages < 2 { return false }
        guard endsShortPages, let pages = history.totalPages else { return false }
        // The number of the last page, counted from 0, is smaller by one.
        return [pages.value, history.firstPage == 0 ? pages.value + 1 : pages.value].contains(history.filledPages)
    }
}

extension PagePosition {
    /// Returns the verdict on a list that `response_actions` ends here. Whatever announced the page contradicts that.
    func verdict(onEndDeclaredBy status: Int, behind records: Int) -> Verdict {
        guard !status.tellsOfFailure else { return .endedByFailure(status: status) }
        let lacksRecords = history.total.map { $0.value > records } ?? false
        let lacksPages = history.totalPages.map { $0.value > history.filledPages } ?? false
        guard mayBeMissing, !history.hadSign, !lacksRecords, !lacksPages else {
            return .endedAnnouncedPage(status: status)
        }
        return .complete
    }
}

extension Int {
    /// True for a status that tells of a busy or broken server, and says nothing of a list.
    var tellsOfFailure: Bool { self >= 500 || self == 429 }
}

extension PageSummary {
    /// True if the page, which nothing has announced, has the records of the page before, and that page differed from the one before
    /// it, or may be the only one. Else the server does not know the parameter that names the page.
    func isLastPageAgain(at position: PagePosition) -> Bool {
        let history = position.history
        return position.mayBeMissing
            && (history.filledPages > 1 || history.isByCursor
                || history.firstPage == 0 && history.totalPages?.value == 1)
            && digest != nil && digest == history.digest
    }
}
