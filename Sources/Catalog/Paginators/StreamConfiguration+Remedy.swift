package import GarnerModel

extension StreamConfiguration {
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
                // Only who has asked for other pages in vain can say that there are none.
                return
                    "are there more pages? Set the paginator that asks for them; "
                    + "'garner init --update' asks the API for others, and says what to set if there are none"
            case .singlePage:
                return "if there are more pages, choose another paginator; if not, \(ofTheOnlyPage)"
            default: return "check what paginator says of the last page"
            }
        case .contradicted where reason.hasSuffix(" tells of another page"):
            return
                "say with paginator how the next page is requested, or add that place to ignore in it if there is none"
        case .contradicted:
            return mayIgnoreTotal ? "set ignore_total: true in paginator if its total is always wrong" : nil
        case .missed:
            // A reason that a total gives begins with the number that came.
            let isOfTotal = reason.first?.isNumber == true
            return "say with paginator how the next page is requested"
                + (mayIgnoreTotal && isOfTotal ? ", or set ignore_total: true in it if its total is always wrong" : "")
        }
    }

    /// The end of the advice on a list of one page that looks full.
    private var ofTheOnlyPage: String {
        switch deleteMissing {
        case .ignore: "all is there"
        case .soft: "the next read with another number of records marks missing rows as deleted"
        case .hard:
            "the next read with another number of records deletes missing rows, or set write_disposition: replace instead of delete_missing"
        }
    }
}
