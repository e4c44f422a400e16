import Model

/// Finds the next page in each response.
struct AutoPaging: PageFollower {
    var linkRelation: String? { "next" }

    func next(after page: ReceivedPage) throws(FetchError.Kind) -> NextPage? {
        let detection = page.detection
        // A stream of Garner 0.1 goes on as it did.
        let isOld = page.context.followsAsBefore
        if let end = detection.end, !isOld || ["$.has_more", "$.hasMore"].contains(end) { return nil }
        for sign in detection.signs where sign.isOld || !isOld {
            if let next = try page.following(sign) { return next }
        }
        return isOld ? nil : page.followingByNumber
    }

    /// A page that says nothing of a next one may get one in its head, while its body and its validator stay.
    func memory(of page: ReceivedPage, next: NextPage?) -> PageSummary.Memory {
        if page.detection.dependsOnHead { return .none }
        if next?.isFromHead == true { return .full }
        return page.rootIsRecord || page.detection.hasSign ? .full : .body
    }
}
