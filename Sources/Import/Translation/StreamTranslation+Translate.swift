extension StreamTranslation {
    /// Translates all parts of the stream.
    func translate(among streams: StreamsByName) {
        defer {
            sortKeys()
            translatedKeys = stream
        }
        if node.type == "StateDelegatingStream" {
            lose(.firstReadDiffers, at: node)
            if let full = node["full_refresh_stream"] { node = full }
        }
        if node.type == "DynamicDeclarativeStream" {
            return lose(.streamsFromAPI, node["components_resolver"]?.type, at: node)
        }
        guard !loseCode(node, "a stream") else { return }
        checkComponent(node, at: "stream")
        let retriever = node["retriever"] ?? ManifestNode(.null, line: node.line)
        if retriever.type == "AsyncRetriever" { lose(.asynchronousJob, at: retriever) }
        loseCode(retriever, "a retriever")
        let requester = retriever["requester"] ?? retriever["creation_requester"] ?? ManifestNode(.mapping([]))
        var incremental = node["incremental_sync"]
        if let list = incremental, list.isList { incremental = list.list.first }
        attempt(at: incremental) { try nameWindowFields(incremental) }

        let selector = retriever["record_selector"]
        attempt(at: retriever["partition_router"]) {
            try translatePartitions(retriever["partition_router"], among: streams)
        }
        attempt(at: requester) { translateRequest(requester) }
        attempt(at: requester["authenticator"]) {
            translateAuthentication(requester["authenticator"], of: requester)
        }
        attempt(at: selector) { try translateRecords(selector) }
        translateFields(node["transformations"]?.list ?? [])
        attempt(at: selector) { try translateFilter(selector) }
        attempt(at: retriever["paginator"]) { try translatePages(retriever["paginator"], of: requester) }
        let decoder = retriever["decoder"] ?? retriever["download_decoder"]
        attempt(at: decoder) { translateDecoder(decoder) }
        attempt(at: incremental) { try translateWindows(incremental) }
        attempt(at: requester["error_handler"]) { translateAnswers(requester["error_handler"]) }
        attempt(at: node["primary_key"] ?? node) { try translateKey(node["primary_key"]) }
        settleWindowColumns()
        settleRequest()
        settleLaterPages(retriever)
        if let uploader = node["file_uploader"], !uploader.isNull { lose(.fileUpload, at: uploader) }
        if let reset = retriever["pagination_reset"], !reset.isNull { lose(.paginator, "pagination_reset", at: reset) }
    }

    private func nameWindowFields(_ incremental: ManifestNode?) throws {
        guard let incremental else { return }
        if let start = try known(incremental["partition_field_start"], of: incremental).printed {
            windowFields.start = start
        }
        if let end = try known(incremental["partition_field_end"], of: incremental).printed { windowFields.end = end }
    }

    /// Checks the parts of a request together.
    private func settleRequest() {
        writeMethod()
        settlePartitions()
        if let parent = parents.first, stream["parent"] != nil, !requestMentions("{parent.") {
            let isStored =
                ["fields", "record_filter"].contains { stream[$0]?.mentions("{parent.") == true }
                || stream["primary_key"]?.mentions("_\(parent.streamName)_") == true
            if stream["primary_key"] != nil, !isStored, effect < .notWritten {
                leaveParent()
            } else {
                lose(.partitions, "its requests hold nothing of the parent", at: node)
            }
        }
        if stream["incremental"] == nil, requestMentions("{incremental.") {
            lose(.cursor, "a request asks for a time, and there is no cursor", at: node)
        }
    }

    /// Leaves the parent out. Each of its records would lead to the same ones, of which a key keeps one.
    private func leaveParent() {
        stream["parent"] = nil
        stream["include_from_parent"] = nil
        let parent = parents.removeFirst()
        parentsInFull.removeAll { $0 === parent }
        slice = slice.filter { if case .parent = $0.value { false } else { true } }
    }

    /// Names what a connector sends with the first page alone. A URL of the next page is followed as it is.
    private func settleLaterPages(_ retriever: ManifestNode) {
        let flag = retriever["ignore_stream_slicer_parameters_on_paginated_requests"]
        let whole: [FileValue] = [.text("single_page"), .text("json_link"), .text("header_link")]
        guard flag?.bool == true, let type = stream["paginator"]?.mapping?["type"], !whole.contains(type) else {
            return
        }
        let sent = ["params", "headers", "json", "form", "body"].compactMap { stream[$0] }
        let isSent = ["{parent.", "{partition.", "{incremental."].contains { text in sent.contains { $0.mentions(text) }
        }
        if isSent { lose(.paginator, "values of the slice on the first page only", at: flag, effect: .differs) }
    }

    /// The order of keys that people read: where records come from, then what they are, then when they are read.
    private static let order = [
        "parent", "include_from_parent", "partitions", "path", "method", "params", "headers", "json", "form", "body",
        "auth",
        "record_selector", "response", "record_shape", "record_filter", "fields", "paginator", "response_actions",
        "incremental", "primary_key", "write_disposition", "dedupe", "flatten_depth",
    ]

    func sortKeys() {
        func place(_ entry: FileMapping.Entry) -> Int { Self.order.firstIndex(of: entry.key) ?? Self.order.count }
        let entries = stream.entries.enumerated().sorted { one, other in
            (place(one.element), one.offset) < (place(other.element), other.offset)
        }
        stream.entries = entries.map(\.element)
    }

    /// True if another translation asks for the same records.
    func asksForSame(as other: StreamTranslation) -> Bool {
        translatedKeys == other.translatedKeys && base == other.base && effect == other.effect
    }
}
