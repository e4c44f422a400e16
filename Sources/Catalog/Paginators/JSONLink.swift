package import GarnerJSON

extension Paginator {
    /// A paginator that reads the next URL from the body.
    package struct JSONLink: ConfiguredPaging {
        package static let type = "json_link"
        /// The places of the URL. The first that has one counts.
        package var nextURLPaths: [Selector]

        package init(nextURLPath: Selector) {
            nextURLPaths = [nextURLPath]
        }

        package init(nextURLPaths: [Selector]) { self.nextURLPaths = nextURLPaths }

        static let keys = Keys(
            JSONLink(nextURLPath: "$"),
            Key(
                "next_url_path", ValueFormat<Selector>.jsonPath.alternatives, to: \.nextURLPaths,
                required: "add 'next_url_path: $.next'",
                "The JSONPath of the next URL, or a list of which the first that has one counts."))

        package var evidence: PagingEvidence { .body }

        package var wayOn: (key: String, paths: [Selector])? { ("next_url_path", nextURLPaths) }

        package func next(after page: PageView) -> Following {
            guard let sign = page.sign(at: nextURLPaths) else { return .end }
            return sign.node.string.map { .link($0) } ?? .notUnderstood(sign)
        }

        package func places(on page: PageView) -> NamedPlaces? {
            NamedPlaces(nodes: nextURLPaths.compactMap(page.node))
        }
    }
}

extension Paginator.Kind {
    package static func jsonLink(_ method: Paginator.JSONLink) -> Self { Self(method) }
}
