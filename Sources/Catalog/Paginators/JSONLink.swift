package import JSON

extension Paginator {
    /// A paginator that reads the next URL from the body.
    package struct JSONLink: ConfiguredPaging {
        package static let type = "json_link"
        package var nextURLPath: Selector

        package init(nextURLPath: Selector) {
            self.nextURLPath = nextURLPath
        }

        static let keys = Keys(
            JSONLink(nextURLPath: "$"),
            Key(
                "next_url_path", .jsonPath, to: \.nextURLPath, required: "add 'next_url_path: $.next'",
                "The JSONPath of the next URL."))

        package var evidence: PagingEvidence { .body }

        package func next(after page: PageView) -> Following { page.node(at: nextURLPath).map { .link($0) } ?? .end }

        package func places(on page: PageView) -> NamedPlaces? {
            NamedPlaces(nodes: page.node(at: nextURLPath).map { [$0] } ?? [])
        }
    }
}

extension Paginator.Kind {
    package static func jsonLink(_ method: Paginator.JSONLink) -> Self { Self(method) }
}
