extension Node {
    /// The value as it stands in the source, except that a string comes without its escapes.
    package var source: String {
        guard kind == .string else { return text }
        var canonical = CanonicalText()
        canonical.append(self)
        return String(decoding: canonical.bytes, as: UTF8.self)
    }
}
