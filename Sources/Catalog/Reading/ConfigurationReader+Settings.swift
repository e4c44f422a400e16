extension ConfigurationReader {
    /// What a mapping says about the streams that it holds for.
    func assignments(from mapping: YAMLMapping, _ level: Level) -> [Assignment] {
        StreamKey.all.filter { $0.levels.contains(level) }.flatMap { key in
            mapping[key.name].map { key.read(self, $0, level) } ?? []
        }
    }

    /// One or more names of fields, each once.
    func fieldNames(_ value: YAMLValue) -> [String]? {
        guard let names = value.texts() else { return nil }
        guard !names.isEmpty, !names.contains("") else {
            value.fail("'\(value.name)' names no field", hint: "write the name of a field, such as id")
            return nil
        }
        guard Set(names).count == names.count else {
            value.fail("'\(value.name)' names a field twice", hint: "keep one of them")
            return nil
        }
        return names
    }

    static let rateLimitFields = [
        Field(
            "requests", .integer(1...Int(Int32.max)), "How many requests may be sent in that time.", isRequired: true),
        Field("per", .duration, "The time.", isRequired: true),
    ]

    func rateLimit(_ value: YAMLValue) -> RateLimit? {
        let example = "write rate_limit: { requests: 10, per: 1s }"
        guard let mapping = value.mapping(hint: example) else { return nil }
        mapping.expect(Self.rateLimitFields)
        let requests = mapping.required("requests", hint: example)?.integer(in: 1...Int(Int32.max))
        let per = mapping.required("per", hint: example)?.duration(atLeast: .milliseconds(1))
        guard let requests, let per else { return nil }
        return RateLimit(requests: requests, per: per)
    }

    func certificateAuthority(_ value: YAMLValue) -> String? {
        guard let path = name(value) else { return nil }
        if path.unicodeScalars.contains("\0") || path.hasPrefix("~") {
            value.fail("'\(value.name)' must be the path of a file", hint: "write a path such as certificates.pem")
            return nil
        }
        return resolve(path)
    }
}
