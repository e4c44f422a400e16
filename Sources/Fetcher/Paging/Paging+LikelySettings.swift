import GarnerCatalog
import GarnerJSON
import GarnerModel

// The setting that is likely meant, in the verdict on a read that ends otherwise than its pages say.
extension Paging {
    private static let lookAgain =
        "remove the paginator, and run 'garner init --update', which looks for the right one"

    /// Returns the verdict with the setting that is likely meant, if a place of another name tells of the next page.
    func pointing(_ verdict: Verdict, _ page: PageSummary, _ before: ReadHistory) -> Verdict {
        let count: String
        switch verdict.cause {
        case .mayLeadOn(let place) where place == (page.markers.found ?? before.found)?.path && place.hasPrefix("$"):
            return pointing(verdict, toTotal: place, page, before)
        case .mayLeadOn(let place) where !page.markers.sawPlace && !before.sawPlace:
            return pointing(verdict, to: place)
        case .announced: count = ""
        case .left(let records, let all): count = "\(records) of \(all) records: "
        case .silent where page.markers.isNameless: count = ""
        case .leftPages where isOfOnePage: count = ""
        default: return verdict
        }
        if case .link(let relation) = method.evidence, relation != "next", page.markers.more == "Link" {
            return Verdict(
                verdict.kind, "\(count)Link tells of another page, and has no link with rel=\"\(relation)\"",
                advice: "remove rel from paginator, or write rel: next")
        }
        // Neither a paginator of the head nor that of one page reads a link in the body.
        let readsBody = if case .link = method.evidence { false } else { method.evidence != .none }
        if !readsBody, page.markers.moreIsLink, before.filledPages == 0, let place = page.markers.more,
            let path = try? Selector(parsing: place)
        {
            return Verdict(
                verdict.kind, "\(count)\(place) tells of another page",
                advice: "write \(Advice(Paginator(.jsonLink(.init(nextURLPath: path)), limits: limits)))")
        }
        if case .link(let relation) = method.evidence, !count.isEmpty, !page.markers.sawPlace, !before.sawPlace {
            return Verdict(
                verdict.kind, "\(count)no header Link has rel=\"\(relation)\"",
                advice: Self.lookAgain)
        }
        if isOfOnePage, let cause = verdict.cause {
            return Verdict(
                verdict.kind, cause.finding,
                advice: "single_page reads one page only; for all, remove the paginator and run 'garner init --update'")
        }
        guard let (key, paths) = method.wayOn else { return verdict }
        let written = paths.map(\.description).joined(separator: ", ")
        if page.markers.isNameless {
            let sign = page.markers.more.map { "\($0) tells of another page, and " } ?? ""
            return Verdict(
                verdict.kind, "\(count)\(sign)the answer is a list, which has no \(written)",
                advice: Self.lookAgain)
        }
        if page.markers.sawPlace || before.sawPlace {
            // Another place than the next page's, such as `$.links.prev`, is there on the first page, too.
            guard before.filledPages == 0, let place = page.markers.more, place.hasPrefix("$"),
                place != page.markers.flagOfMore, !paths.contains(where: { $0.description == place })
            else { return verdict }
            return Verdict(
                verdict.kind, "\(count)\(place) tells of another page, and \(key) (\(written)) leads nowhere",
                advice: "write \(key): \(place) in paginator")
        }
        guard let place = page.markers.more, place.hasPrefix("$"), place != page.markers.flagOfMore else {
            guard !count.isEmpty else { return verdict }
            return Verdict(
                verdict.kind, "\(count)\(key) (\(written)) finds nothing", advice: "correct \(key) in paginator")
        }
        return Verdict(
            verdict.kind,
            "\(count)\(place) tells of another page, and \(key) (\(written)) finds nothing",
            advice: "write \(key): \(place) in paginator"
        )
    }

    /// Returns the verdict with a place that counts all records, where the one that the configuration names says fewer, as one of pages does.
    private func pointing(
        _ verdict: Verdict, toTotal place: String, _ page: PageSummary, _ before: ReadHistory
    ) -> Verdict {
        guard let (key, path) = method.endingTotal, key == "total_path", path.description != place else {
            return verdict
        }
        // A total that is too small for what has come counts something else.
        let records = before.records + page.recordCount
        let isWrong = (page.markers.total ?? before.total).map { $0.value < records } ?? false
        return Verdict(
            verdict.kind, "\(place) may lead to more records, and \(key) (\(path)) says fewer",
            advice: "write \(key): \(place) in paginator"
                + (isWrong ? "" : ", or \(Verdict.Cause.ignoring(place, "there are none"))"))
    }

    /// Returns the verdict with a place that has the name of a cursor's, where the one that the configuration names is on no page.
    private func pointing(_ verdict: Verdict, to place: String) -> Verdict {
        let header = (method as? Paginator.HeaderCursor)?.cursorHeaders
        guard let key = method.wayOn?.key ?? header.map({ _ in "cursor_header" }), PossibleSign.isOfCursor(place) else {
            return verdict
        }
        let written = (header ?? method.wayOn?.paths.map(\.description) ?? []).joined(separator: ", ")
        let isOfBody = place.hasPrefix("$")
        let own = isOfBody ? "cursor_path" : "cursor_header"
        let line =
            key == own
            ? "write \(own): \(place) in paginator"
            : "if it is a cursor, write paginator: { type: \(isOfBody ? "cursor" : "header_cursor"), \(own): \(place) }"
        return Verdict(
            verdict.kind, "\(place) may lead to more records, and \(key) (\(written)) finds nothing",
            advice: "\(line), or \(Verdict.Cause.ignoring(place, "there are none"))")
    }

    /// Returns the verdict on missing records with page 0 in its advice, if that page may have them.
    func namingPageZero(_ verdict: Verdict, _ history: ReadHistory) -> Verdict {
        guard let numbers = method as? Paginator.PageNumber, numbers.basePage == 1, history.lacksPageZero,
            let cause = verdict.cause
        else { return verdict }
        let rest = cause.advice ?? "set ignore_total: true in it if its total is always wrong"
        // A number in path or params counts more than base_page.
        let isWritten = template.writtenParameters.contains { numbers.pageParam == .query($0.name) }
        let remedy =
            isWritten
            ? "begin with \(numbers.pageParam)=0 in path or params, and write base_page: 0" : "write base_page: 0"
        return Verdict(
            verdict.kind, cause.finding,
            advice: "\(remedy) in paginator if the pages are numbered from 0; else \(rest)")
    }

    /// Returns the verdict with the number of the first page, if the read begins with page 0, which is empty although there are records.
    func naming(base judgement: Judgement, at locator: PageLocator, _ verdict: Verdict) -> Verdict {
        guard let numbers = method as? Paginator.PageNumber, numbers.basePage == 0,
            locator.value(of: numbers.pageParam) == "0", judgement.isFirstPage, judgement.page.recordCount == 0,
            let announced = judgement.announcedAndRead
        else {
            if case .endedBefore? = verdict.cause { return namingPageZero(verdict, judgement.history) }
            return verdict
        }
        return Verdict(
            verdict.kind, "page 0 is empty, and \(announced.all) are announced",
            advice: "write base_page: 1 in paginator")
    }
}
