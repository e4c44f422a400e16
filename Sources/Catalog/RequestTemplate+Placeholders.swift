extension RequestTemplate {
    /// What must be known for each request.
    package var placeholders: Set<Template.Placeholder> {
        let texts = [path] + params.compactMap(\.value.literal) + (body?.literals ?? [])
        return Set(texts.flatMap { Template($0).placeholders })
    }
}

extension ConfiguredText {
    fileprivate var literal: String? {
        if case .literal(let text) = self { text } else { nil }
    }
}
