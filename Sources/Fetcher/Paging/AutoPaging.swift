import Catalog
import JSON

/// Finds the next page in each response.
struct AutoPaging: PageFollower {
    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        switch try Recognition(head: page.head, root: page.root) {
        case .last, .nothing: return nil
        case .headerLink(let target), .jsonLink(_, let target): return try page.following(target)
        case .cursor(_, let parameter, let value):
            return page.following(.query(parameter), .text(.literal(value)))
        // Ending here would store a part as the whole.
        case .unclear(let member): throw .unclearPaging(member: member)
        case .token(_, let member):
            if page.rootIsRecord { return nil }
            throw .unclearPaging(member: member)
        }
    }

    /// A page that says nothing of a next one may get one in its head, while its body stays.
    func isToldByBody(_ page: ReceivedPage) -> Bool {
        let isLinked = page.head.headers["Link"] != nil
        return !isLinked && (page.rootIsRecord || Recognition.members.contains { page.root[$0] != nil })
    }
}
