import Catalog
import Fetcher

// What an error says about the rest of a read.
extension FetchError.Kind {
    /// Whether going on behind the stored pages would lead there again.
    var spoilsRead: Bool {
        switch self {
        case .repeatedPage, .unchangedPage: true
        default: false
        }
    }

    /// Whether the same answer is to be expected at this position again, which a first page may not give.
    var spoilsPosition: Bool {
        switch self {
        // What a token endpoint says is not of the page.
        case .token: false
        case .status(let status, _), .response(let status, .fail, _):
            (400..<500).contains(status) && ![408, 425, 429].contains(status)
        default: category == .badContent
        }
    }

    /// Whether it will come again as long as nobody changes something: the configuration, the credentials, or the API.
    var isPermanent: Bool {
        switch self {
        case .status(let status, _), .response(let status, .fail, _): [401, 403, 404, 410].contains(status)
        default: category == .misconfigured || category == .unauthorized
        }
    }

    /// Whether it says something of what was asked for, and not of the source, so that the rest can be read.
    var isOfOneSlice: Bool {
        switch self {
        case .status(let status, _), .response(let status, _, _): status != 429
        case .token: false
        case .redirect, .repeatedPage, .linkToOtherOrigin, .bodyTooLarge, .excessiveRatio, .graphQL: true
        default: category == .badContent
        }
    }
}
