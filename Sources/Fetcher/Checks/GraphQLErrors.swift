import Catalog
import JSON

/// A GraphQL server tells what failed in the body, with status 200, beside the part that did not fail
/// (spec.graphql.org, 7.1.2).
enum GraphQLErrors {
    /// Throws where the body tells of errors: what it holds is then not all that was asked for.
    static func check(_ document: Document) throws(FetchError.Kind) {
        let message = document.withRoot { root -> String? in
            guard let errors = root["errors"], errors.kind == .array,
                let first = errors.elements.first(where: { _ in true })
            else { return nil }
            return first["message"]?.string ?? first.string ?? "no message"
        }
        if let message { throw .graphQL(message: message) }
    }
}

extension RequestTemplate {
    /// Whether the body is a GraphQL request: a document under `query`.
    var isGraphQL: Bool {
        guard method == .post, case .text(.literal(let query))? = body?.member("query") else { return false }
        return query.contains("{")
    }
}
