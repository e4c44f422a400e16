/// Members of a mapping that is made, each name once, in the order in which they came.
struct OrderedMembers {
    private(set) var members: [ManifestNode.Member] = []
    /// The places of members by their names, once there are too many to look through.
    private var places: [String: Int] = [:]

    init(_ members: [ManifestNode.Member] = []) {
        for member in members { set(member.value, for: member.name) }
    }

    private func place(of name: String) -> Int? {
        places.isEmpty ? members.firstIndex { $0.name == name } : places[name]
    }

    func contains(_ name: String) -> Bool { place(of: name) != nil }

    subscript(name: String) -> ManifestNode? { place(of: name).map { members[$0].value } }

    mutating func set(_ value: ManifestNode, for name: String) {
        if let place = place(of: name) {
            members[place].value = value
            return
        }
        members.append(ManifestNode.Member(name: name, value: value))
        if !places.isEmpty {
            places[name] = members.count - 1
        } else if members.count > 16 {
            for (place, member) in members.enumerated() { places[member.name] = place }
        }
    }
}
