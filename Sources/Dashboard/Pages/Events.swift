extension Dashboard {
    /// The server-sent events that tell a page when to come again.
    func eventStream() -> WebResponse {
        guard let events = events.events() else {
            return .text("Too many pages listen already.\n", status: 503).adding("Retry-After", "60")
        }
        return WebResponse(type: "text/event-stream", .parts(events))
    }
}
