import Catalog

/// What the configuration says of responses, whatever their status says: the first action that matches counts.
struct ResponseActionCheck: Sendable {
    /// How much of a body is searched for a text.
    private static let inspectedBytes = 64 << 10

    let actions: [ResponseAction]

    /// Reads of the body no more than an action has to know.
    ///
    /// "Not modified" and redirects are meant only where an action names their status.
    func action(on head: ResponseHead, _ body: inout IncomingBody) async throws -> ResponseAction.Action? {
        let keepsMeaning = head.status == 304 || Redirection.statuses.contains(head.status)
        for action in actions where action.status == head.status || (action.status == nil && !keepsMeaning) {
            guard let text = action.bodyContains else { return action.action }
            let start = try await body.start(atLeast: Self.inspectedBytes).prefix(Self.inspectedBytes)
            if start.contains(text.utf8) { return action.action }
        }
        return nil
    }
}
