import Hummingbird

/// A request's context that knows the address the request came in on, and so the URLs to answer with.
struct LoopbackContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Ends in a slash.
    let baseURL: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        baseURL = Self.baseURL(port: source.channel.localAddress?.port)
    }

    static func baseURL(port: Int?) -> String {
        port.map { "http://127.0.0.1:\($0)/" } ?? "http://127.0.0.1/"
    }
}
