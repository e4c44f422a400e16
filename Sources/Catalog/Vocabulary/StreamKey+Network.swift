extension StreamKey {
    /// How requests reach their host.
    static let network: [StreamKey] = [
        StreamKey(
            Field(
                "rate_limit", .mapping(ConfigurationReader.rateLimitFields),
                "How many requests the source's streams together may send in a time."),
            on: [.defaults, .source], toOptional: \.stream.rateLimit,
            show: { .members([("requests", .integer($0.requests)), ("per", .duration($0.per))]) },
            read: { $0.rateLimit($1) }),
        StreamKey(
            Field("max_concurrency", .integer(1...256), "How many of the source's requests may be under way at once."),
            on: [.defaults, .source], to: \.stream.maxConcurrency, show: { .value(.integer($0)) },
            read: { $1.integer(in: 1...256) }),
        StreamKey(
            Field(
                "proxy", .anyOf([.text, .mapping(ConfigurationReader.proxyFields)]),
                "environment, none, or the URL of an HTTP proxy."),
            on: [.defaults, .source], to: \.stream.proxy, show: { $0.shown }, read: { $0.proxy($1) }),
        StreamKey(
            Field(
                "ca", .text, "A PEM file with the certificates to trust instead of the system's, relative to this file."
            ),
            on: [.defaults, .source], toOptional: \.stream.certificateAuthority, show: { .value(.text($0)) },
            read: { $0.certificateAuthority($1) }),
        StreamKey(
            Field("allow_private_network", .flag, "Whether loopback and private addresses may be reached."),
            toOptional: \.stream.allowsPrivateNetwork, unset: .automatic, show: { .value(.flag($0)) },
            read: { $1.flag() }),
        duration(
            "wait_for_connectivity", "How long an unreachable host is waited for before a run fails.",
            to: \.stream.waitForConnectivity),
        StreamKey(
            Field(
                "respect_cache_control", .flag,
                "Whether a response's Cache-Control: max-age may postpone the next run."),
            to: \.stream.usesCacheLifetime, show: { .value(.flag($0)) }, read: { $1.flag() }),
    ]
}
