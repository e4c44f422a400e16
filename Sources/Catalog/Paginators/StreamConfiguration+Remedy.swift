package import GarnerModel

extension StreamConfiguration {
    /// The advice on a list of one page. Only who has asked for other pages in vain can say that there are none.
    private var ofOnePage: String {
        deleteMissing == .ignore
            ? "if this is the only one, \(replacing)"
            : "is this the only one? 'garner init --update' asks the API for others, and says what to set"
    }

    private var replacing: String {
        "set write_disposition: replace" + (deleteMissing == .ignore ? " as well" : " instead of delete_missing")
    }

    /// Returns what to set or to do so that the next read knows whether it has everything. Returns nil if there is nothing
    /// to do, or if the judgement has advice of its own.
    package func remedy(for verdict: Verdict) -> String? {
        guard verdict.cause?.advice == nil else { return nil }
        let reason = verdict.reason ?? ""
        if let parent, reason.contains(parent.stream.description) { return "sync that stream, and then this one" }
        let mayIgnoreTotal = !paginator.limits.ignoresTotal
        switch verdict.kind {
        case .complete, .document, .chosen: return nil
        case .silent:
            switch paginator.kind {
            case .auto:
                return "are there more pages? Set the paginator that asks for them; \(ofOnePage)"
            case .singlePage:
                return
                    "if there are more pages, choose another paginator; if not, the next read with another number of "
                    + "records \(deleteMissing == .soft ? "marks them as deleted" : "deletes them, or \(replacing)")"
            default: return "check what paginator says of the last page"
            }
        case .contradicted:
            return mayIgnoreTotal ? "set ignore_total: true in paginator if its total is always wrong" : nil
        case .missed:
            // A reason that a total gives begins with the number that came.
            let isOfTotal = reason.first?.isNumber == true
            return "say with paginator how the next page is requested"
                + (mayIgnoreTotal && isOfTotal ? ", or set ignore_total: true in it if its total is always wrong" : "")
        }
    }
}
