extension Paginator {
    /// The next URL stands in a `Link` header with this relation (RFC 8288).
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

        /// A header that links to any page is the place; a server that has none may page in another way.
        package func places(on page: PageView) -> NamedPlaces? { NamedPlaces(isInHead: page.header("Link") != nil) }
    }
}
