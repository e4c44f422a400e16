extension RequestTemplate {
    /// What must be known for each request.
    package var placeholders: Set<Template.Placeholder> {
        let texts = [path] + params.compactMap(\.value.literal) + (body?.literals ?? [])
        return Set(texts.flatMap { Template($0).placeholders })
    }

    /// The fields of the parent's record among them, sorted.
    package var parentFields: [String] {
        placeholders.compactMap { if case .parent(let field) = $0 { field } else { nil } }.sorted()
    }
}

extension ConfiguredText {
    fileprivate var literal: String? {
        if case .literal(let text) = self { text } else { nil }
    }
}
