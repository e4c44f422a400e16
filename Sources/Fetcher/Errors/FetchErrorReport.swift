import Catalog

/// Makes a stream's errors, in one place, so that each is without secrets.
struct FetchErrorReport: Sendable {
    let stream: StreamName
    let redaction: Redaction

    func error(_ kind: FetchError.Kind, at url: String? = nil, request: RequestEntry? = nil) -> FetchError {
        var request = request
        let origin = request?.redirectedTo
        request?.redirectedTo = origin.map { redaction.quoted($0) }
        return FetchError(
            stream: stream, kind: kind.quoted(with: redaction), url: url.map(redaction.redacted), request: request)
    }
}
