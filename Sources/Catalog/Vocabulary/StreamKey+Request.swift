extension StreamKey {
    /// What a stream asks for.
    static let request: [StreamKey] = [
        StreamKey(
            Field(
                "base_url", .text, "The URL that the paths of all streams are added to; http or https.",
                isRequired: true),
            on: [.source], to: \.stream.request.baseURL, show: { .value(.text($0)) }, read: { $0.baseURL($1) }),
        StreamKey(
            Field("path", .text, "What is added to 'base_url'; may hold a query and placeholders."),
            on: [.stream], to: \.stream.request.path, show: { .value(.text($0)) }, read: { $0.path($1) }),
        StreamKey(
            Field("method", .choice(Method.allCases.map(\.rawValue)), "GET, or POST (the default with 'json')."),
            on: [.stream], toOptional: \.method, show: { .value(.text($0.rawValue)) },
            read: { $1.choice(Method.allCases) }),
        StreamKey(
            Field("json", .anything, "The body of every request, sent as JSON; texts may hold placeholders."),
            on: [.stream], toOptional: \.stream.request.body, show: { .value(.text($0.description)) },
            read: { $0.body($1) }),
        .parameters(
            Field("headers", .named(.secret), "Headers of every request; merged by name with inherited ones."),
            to: \.stream.request.headers, folding: { $0.lowercased() }, read: { $0.headers($1) }),
        .parameters(
            Field(
                "params", .named(.secret),
                "Query parameters of every request; merged by name with inherited ones; may hold placeholders."),
            to: \.stream.request.params, folding: { $0 }, read: { $0.params($1) }),
        StreamKey(
            Field("auth", .variants(ConfigurationReader.authenticationVariants), "How requests prove who sends them."),
            on: [.source, .stream], to: \.stream.request.authentication, show: { .members($0.effectiveValues) },
            read: { $0.authentication($1) }),
        StreamKey(
            Field("paginator", .variants(ConfigurationReader.paginatorVariants), "How the next page is found."),
            to: \.stream.paginator, show: { .members($0.effectiveValues) }, read: { $0.paginator($1) }),
    ]

    private typealias Method = RequestTemplate.Method
}
