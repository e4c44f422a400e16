extension BodyValue {
    /// nil where there is nothing at the place.
    package func value(at place: BodyPlace) -> BodyValue? {
        place.names.reduce(self as BodyValue?) { value, name in value?.member(name) }
    }

    /// This value with another one at the place; what leads there and is no object becomes one.
    package func setting(_ place: BodyPlace, to value: BodyValue) -> BodyValue {
        setting(place.names[...], to: value)
    }

    private func setting(_ names: ArraySlice<String>, to value: BodyValue) -> BodyValue {
        guard let name = names.first else { return value }
        var members: [Member] = if case .object(let members) = self { members } else { [] }
        let changed = (member(name) ?? .object([])).setting(names.dropFirst(), to: value)
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = changed
        } else {
            members.append(Member(name: name, value: changed))
        }
        return .object(members)
    }

    package func member(_ name: String) -> BodyValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
