extension ConfigurationReader {
    /// What several keys say together.
    func check(_ draft: StreamDraft) {
        checkBody(draft)
        checkIncremental(draft)
        checkPlaceholders(draft)
        checkStoring(draft)
    }

    private func checkBody(_ draft: StreamDraft) {
        let request = draft.stream.request
        if request.body != nil, request.method == .get, let place = draft.place(of: "method") {
            issues.fail(at: place, "GET sends no 'json'", hint: "write 'method: POST', or remove the line")
        }
        guard let place = draft.place(of: "paginator") else { return }
        for parameter in draft.stream.paginator.kind.parameters {
            guard let target = BodyPlace(parameter) else { continue }
            guard let body = request.body else {
                if draft.mentions("json") { return }
                issues.fail(
                    at: place,
                    "'\(parameter)' of 'paginator' is a place in 'json', which '\(draft.name)' does not have",
                    hint: "add 'json: …' to the stream, or write the name of a query parameter")
                continue
            }
            guard !target.fits(into: body) else { continue }
            issues.fail(
                at: place, "'\(parameter)' of 'paginator' has no place in the 'json' of '\(draft.name)'",
                hint: "what it is inside of must be a mapping")
        }
    }

    private func checkIncremental(_ draft: StreamDraft) {
        guard let place = draft.place(of: "incremental") else {
            guard draft.syncMode == .incremental, !draft.mentions("incremental"),
                let place = draft.place(of: "sync_mode")
            else { return }
            issues.fail(
                at: place, "'sync_mode: incremental' needs 'incremental' in '\(draft.name)'",
                hint: "add incremental: { cursor_field: updated_at }")
            return
        }
        if draft.syncMode == .fullRefresh {
            issues.fail(
                at: draft.place(of: "sync_mode") ?? place,
                "'sync_mode: full_refresh' contradicts 'incremental' of '\(draft.name)'",
                hint: "remove one of them, or write 'sync_mode: incremental' in the stream")
        }
        if draft.stream.deleteMissing != .ignore {
            issues.fail(
                at: draft.place(of: "delete_missing") ?? place,
                "'delete_missing: \(draft.stream.deleteMissing.rawValue)' cannot work with 'incremental' of '\(draft.name)'",
                hint: "write 'delete_missing: ignore' in the stream: who reads only changes cannot tell what is missing"
            )
        }
    }
}

extension Paginator.Kind {
    /// What is sent, by name or as a place in the body.
    fileprivate var parameters: [String] {
        switch self {
        case .auto, .singlePage, .jsonLink, .headerLink: []
        case .headerCursor(let cursor): [cursor.cursorParam]
        case .cursor(let cursor): [cursor.cursorParam]
        case .offset(let offset): [offset.offsetParam, offset.limitParam]
        case .pageNumber(let page): [page.pageParam] + (page.pageSizeParam.map { [$0] } ?? [])
        }
    }
}
