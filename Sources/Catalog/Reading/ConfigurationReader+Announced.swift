extension ConfigurationReader {
    /// What is part of the vocabulary and read, but honoured by no run yet.
    static let announced: Set<String> = [
    ]

    func refuseAnnounced(in draft: StreamDraft) {
        for assignment in draft.inForce {
            let name = assignment.path.joined(separator: ".")
            guard announced.contains(name) else { continue }
            issues.fail(
                at: assignment.place, "'\(name)' is not yet supported",
                hint: "remove it; this version of garner does without")
        }
    }
}
