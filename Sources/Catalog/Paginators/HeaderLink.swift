extension Paginator {
    /// A paginator that follows the `Link` header with this relation (RFC 8288).
    package struct HeaderLink: ConfiguredPaging {
        package static let type = "header_link"
        package var relation: String

        package init(relation: String = "next") {
            self.relation = relation
        }

        static let keys = Keys(
            HeaderLink(), Key("rel", .name, to: \.relation, "The link's relation; by default next."))

        package var evidence: PagingEvidence { .link(relation: relation) }

        package func next(after page: PageView) -> Following { .linkHeader }

        /// The place is present if the page has any `Link` header. A server without one may page in another way.
        package func places(on page: PageView) -> NamedPlaces? { NamedPlaces(isInHead: page.header("Link") != nil) }
    }
}

extension Paginator.Kind {
    package static func headerLink(_ method: Paginator.HeaderLink) -> Self { Self(method) }
}
