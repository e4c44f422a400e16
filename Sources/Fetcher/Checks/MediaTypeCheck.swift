/// The third check: JSON in UTF-8, in one value or one a line, as the head says.
struct MediaTypeCheck: Sendable {
    enum Verdict: Equatable {
        case json
        /// One value a line.
        case jsonLines
        case refused(FetchError.Kind)
        /// Another type, or none; the body's beginning may say what it is.
        case other(String?)
    }

    func verdict(on head: ResponseHead) -> Verdict {
        guard let type = head.headers["Content-Type"].flatMap(MediaType.init) else {
            return .other(head.headers["Content-Type"])
        }
        guard type.isJSON || type.isJSONLines else { return .other(type.name) }
        if let charset = type.charset, !["utf-8", "utf8", "us-ascii", "ascii"].contains(charset) {
            return .refused(.charset(charset))
        }
        return type.isJSONLines ? .jsonLines : .json
    }
}
