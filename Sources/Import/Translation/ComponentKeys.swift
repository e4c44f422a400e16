import GarnerCatalog

/// Words of a component that no translation looks at, since they are misspelt or unknown.
extension StreamTranslation {
    private struct Kind {
        let keys: [String]
        /// The key that must be there, where nothing else tells it, and what becomes of the stream without it.
        let required: (key: String, effect: Loss.Effect)?

        init(_ keys: String, required: (key: String, effect: Loss.Effect)? = nil) {
            (self.keys, self.required) = (keys.split(separator: " ").map(String.init) + ["type"], required)
        }
    }

    private static let kinds: [String: Kind] = [
        "DeclarativeStream": Kind(
            "name primary_key retriever schema_loader incremental_sync transformations state_migrations file_uploader"),
        "SimpleRetriever": Kind(
            "requester record_selector paginator partition_router decoder pagination_reset page_size_reduction "
                + "ignore_stream_slicer_parameters_on_paginated_requests request_window_splitting"),
        "HttpRequester": Kind(
            "url_base url path http_method authenticator error_handler request_parameters request_headers request_body "
                + "request_body_data request_body_json fetch_properties_from_endpoint query_properties use_cache "
                + "connect_timeout_in_seconds read_timeout_in_seconds use_tcp_keepalive"),
        "RecordSelector": Kind("extractor record_filter schema_normalization transform_before_filtering"),
        "DpathExtractor": Kind("field_path record_expander", required: ("field_path", .notWritten)),
        "RecordFilter": Kind("condition", required: ("condition", .differs)),
        "DefaultPaginator": Kind("pagination_strategy page_size_option page_token_option"),
        "OffsetIncrement": Kind("page_size inject_on_first_request"),
        "PageIncrement": Kind("page_size start_from_page inject_on_first_request"),
        "CursorPagination": Kind("cursor_value page_size stop_condition"),
        "DatetimeBasedCursor": Kind(
            "cursor_field cursor_datetime_formats cursor_granularity datetime_format start_datetime end_datetime "
                + "start_time_option end_time_option step lookback_window partition_field_start partition_field_end "
                + "is_data_feed is_client_side_incremental is_compare_strictly global_substream_cursor clamping "
                + "allow_catalog_defined_cursor_field"),
        "ListPartitionRouter": Kind("cursor_field values request_option"),
        "SubstreamPartitionRouter": Kind("parent_stream_configs"),
        "ParentStreamConfig": Kind(
            "stream parent_key partition_field request_option extra_fields incremental_dependency lazy_read_pointer"),
    ]

    /// The types at a place, where nothing else tells an unknown one, and what becomes of the stream with another.
    private static let types: [String: (names: [String], effect: Loss.Effect)] = [
        "stream": (["DeclarativeStream", "StateDelegatingStream"], .notWritten),
        "retriever": (["SimpleRetriever", "AsyncRetriever"], .notWritten),
        "requester": (["HttpRequester"], .notWritten),
        "record_selector": (["RecordSelector"], .notWritten),
        "extractor": (["DpathExtractor", "ResponseToFileExtractor"], .notWritten),
        "record_filter": (["RecordFilter"], .differs),
        "paginator": (["DefaultPaginator", "NoPagination"], .notWritten),
        "error_handler": (["DefaultErrorHandler", "CompositeErrorHandler"], .differs),
    ]

    /// The parts that are looked at with what holds them. A parent's stream is looked at when it is translated.
    private static let parts = [
        "retriever", "requester", "record_selector", "extractor", "record_filter", "paginator", "pagination_strategy",
        "error_handler", "incremental_sync", "partition_router", "parent_stream_configs",
    ]

    func checkComponent(_ node: ManifestNode, at place: String, depth: Int = 0) {
        guard depth < ManifestLimit.depth, !node.isCustom else { return }
        for part in node.list { checkComponent(part, at: place, depth: depth + 1) }
        guard node.isMapping, !node.type.isEmpty else { return }
        if let types = Self.types[place], !types.names.contains(node.type) {
            return lose(.other, "the type \(node.type.prefix(60))", at: node, effect: types.effect)
        }
        if let kind = Self.kinds[node.type] { check(node, as: kind) }
        for part in Self.parts {
            if let inner = node[part] { checkComponent(inner, at: part, depth: depth + 1) }
        }
    }

    private func check(_ node: ManifestNode, as kind: Kind) {
        let absent = kind.keys.filter { node[$0] == nil }
        for member in node.members
        where !kind.keys.contains(member.name) && !member.name.hasPrefix("$") && node.parameters[member.name] == nil {
            guard let meant = Suggestion.misspelt(member.name, among: absent) else { continue }
            lose(
                .other, "\(member.name.prefix(60)), which may be meant as \(meant)",
                at: member.value.line == nil ? node : member.value, effect: .differs)
        }
        if let required = kind.required, absent.contains(required.key) {
            lose(.other, "\(node.type) without \(required.key)", at: node, effect: required.effect)
        }
    }
}
