import GarnerCatalog
import GarnerJSON
import GarnerModel

extension RequestTemplate {
    /// Says which parameters may be the reason for an empty list; nil if none of them can choose records.
    var doubtOnEmptyList: String? {
        let others = [
            "page", "limit", "size", "count", "offset", "cursor", "sort", "order", "fields", "format", "include",
        ]
        let names = params.filter { parameter in
            guard let text = parameter.value.literal, Template(text).placeholders.isEmpty else { return false }
            return !others.contains(where: parameter.name.lowercased().contains)
        }.map(\.name)
        guard !names.isEmpty else { return nil }
        return "the list is empty; if it should not be, look at \(names.prefix(5).joined(separator: ", ")) in params"
    }
}

/// The reasons why a page may lack records that were asked for, or have others.
struct PageDoubts {
    let found: FoundRecords
    let document: Document
    let reply: Reply
    let position: PagePosition
    let locator: PageLocator
    let context: ReadContext
    let paging: Paging
    /// The statuses that the configuration takes for good answers.
    let acceptedStatuses: Set<Int>
    /// The shape of the answer around its records.
    let shape: AnswerShape
    /// The place of a member that stands twice with other values; nil if none does.
    let doubled: String?
    /// The doubt about records that may be deleted; nil if there is none.
    let ofDeletions: Verdict?

    /// The first of the doubts by these rules; nil if none finds any.
    var first: Verdict? {
        let rules: [KeyPath<PageDoubts, Verdict?>] = [
            \.found.doubt,
            \.ofStatusMembers,
            \.ofTurnedMember,
            \.ofStatus,
            \.ofEmptyListElsewhere,
            \.ofOtherPath,
            \.ofOtherRequest,
            \.ofPromise,
            \.ofDoubledMember,
            \.ofInnerLists,
            \.ofDeletions,
        ]
        for rule in rules {
            if let doubt = self[keyPath: rule] { return doubt }
        }
        return nil
    }

    private var earlier: AnswerShape? { AnswerShape(text: context.shape) }
    private var isFirstPage: Bool { position.number == 0 }
    private var redirect: String? { reply.address.redirect(from: locator.address) }
    private var isElsewhere: Bool { redirect != nil }

    /// An empty list stands beside members that have not stood beside records.
    private var ofStatusMembers: Verdict? {
        guard found.selection.count == 0, !shape.statuses.isEmpty else { return nil }
        return document.withRoot { StatusMembers($0, way: found.way(in: $0)) }
            .doubt(
                besideRecords: [position.history.statuses, earlier?.statuses ?? [:]],
                isFirst: isFirstPage && context.isFirst && earlier == nil,
                ignoring: Set(paging.ignored.map(\.description)), sends: { locator.sends($0) })
    }

    /// A flag, a code or a status beside the records of a later page is another one than beside those before. Pages that came unchanged had
    /// that of the read before, where the stream has one list. The status of another one may be that of another thing.
    private var ofTurnedMember: Verdict? {
        guard found.selection.count > 0, !isFirstPage, !shape.statuses.isEmpty else { return nil }
        let isOfOneList = paging.listParameters.isEmpty && paging.segmentsBelowList == nil
        return StatusMembers.doubt(
            beside: shape.statuses,
            since: position.history.statuses.merging(
                (earlier?.statuses ?? [:]).filter { isOfOneList || !$0.key.lowercased().hasSuffix(".status") }
            ) { own, _ in own },
            ignoring: Set(paging.ignored.map(\.description)))
    }

    /// The body has a part, or parts of which some may have failed: 226 (RFC 3229), 207 and 208 (RFC 4918 and 5842).
    private var ofStatus: Verdict? {
        let status = reply.head.status
        guard [207, 208, 226].contains(status), !acceptedStatuses.contains(status) else { return nil }
        return Verdict(
            .contradicted, "HTTP \(status) is not understood: a part of the list may be missing",
            advice: "add response_actions: [{ status: \(status), action: accept }] if the list is whole")
    }

    /// An empty list came from elsewhere, such as a page to log in, and not from where the page before came from.
    private var ofEmptyListElsewhere: Verdict? {
        guard found.selection.count == 0, let redirect, isFirstPage || redirect != position.history.redirect else {
            return nil
        }
        return Verdict(
            .contradicted, "the list is empty, and a redirect led to another path",
            advice: "set base_url and path to where the list is")
    }

    /// The first page came from an address to which earlier answers did not lead, or a redirect led away from a page behind it.
    private var ofOtherPath: Verdict? {
        guard isFirstPage else { return ofLostPage }
        // Shapes of earlier versions tell neither of 202 nor of parameters.
        guard let redirect = shape.redirect, let earlier, earlier.redirect != redirect,
            isElsewhere || earlier.isAccepted != nil
        else { return nil }
        return Verdict(
            .contradicted, "a redirect led to another address than before",
            advice: "set base_url and path to where the list is, if it has moved")
    }

    private var ofLostPage: Verdict? {
        guard reply.address != locator.address else { return nil }
        // A number that is left out may stand elsewhere in the address.
        let numbers = PageLocator(address: reply.address, body: nil).numbers
        let hasOtherNumber = locator.numbers.contains { name, number in
            numbers.contains { $0.name == name && $0.value != number }
        }
        return isElsewhere && position.history.redirect == nil || hasOtherNumber ? .otherPageByRedirect : nil
    }

    private var ofOtherRequest: Verdict? {
        paging.doubtOnRedirect(to: reply.address, asked: locator, isFirst: isFirstPage)
    }

    /// The records came with 202, which they had not before: more may still be made.
    private var ofPromise: Verdict? {
        guard reply.head.status == 202, !acceptedStatuses.contains(202), earlier?.isAccepted == false else {
            return nil
        }
        return Verdict(
            .contradicted,
            "HTTP 202 says that the answer is still being made, and records came with another status before",
            advice: "set response_actions: [{ status: 202, action: accept }] if this API answers always so")
    }

    private var ofDoubledMember: Verdict? {
        doubled.map {
            Verdict(
                .contradicted, "\($0) stands twice with other values, of which only the last one is read",
                advice: "look at what the source answers, or \(Verdict.Cause.ignoring($0, "the last one is right"))")
        }
    }

    private var ofInnerLists: Verdict? {
        paging.doubtOnInnerLists(of: found, in: document, asked: locator, context)
    }
}
