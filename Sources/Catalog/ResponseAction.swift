/// What is done with responses that match, instead of what their status says.
package struct ResponseAction: Sendable, Equatable {
    /// 100...599; nil: any.
    package var status: Int?
    /// nil: any body.
    package var bodyContains: String?
    package var action: Action

    package init(status: Int? = nil, bodyContains: String? = nil, action: Action) {
        self.status = status
        self.bodyContains = bodyContains
        self.action = action
    }

    package enum Action: String, Sendable, CaseIterable {
        /// The response counts as a page without records, behind which none follows.
        case ignore
        case retry, fail
    }
}
