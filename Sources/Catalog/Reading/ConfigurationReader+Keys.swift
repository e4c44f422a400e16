extension ConfigurationReader {
    /// What a stream inherits from its source, and a source from the defaults.
    static let inheritedKeys = [
        "headers", "params", "paginator", "record_selector", "primary_key", "sync_mode", "write_disposition",
        "delete_missing", "max_delete_ratio", "flatten_depth", "schedule", "retry", "limits", "allow_private_network",
    ]

    static let notYetSupportedKeys = [
        "history", "schema_contract", "child_tables", "dedupe", "incremental", "response_actions",
        "wait_for_connectivity", "partitions", "parent", "include_from_parent", "attachments", "rate_limit",
        "max_concurrency", "method", "json", "body", "proxy", "ca", "search", "hooks", "on_success", "on_failure",
        "on_change", "ping",
    ]

    static let misplacedAtTop: [String: String] = {
        var hints = misplaced(["base_url", "streams", "path", "table", "auth"])
        for key in inheritedKeys { hints[key] = "move it into 'defaults:', a source or a stream" }
        return hints
    }()

    static func misplaced(_ keys: [String]) -> [String: String] {
        let owners = [
            "base_url": "move it into a source", "streams": "move it into a source", "path": "move it into a stream",
            "table": "move it into a stream", "auth": "move it into a source or a stream",
        ]
        return owners.filter { keys.contains($0.key) }
    }
}
