/// What can be proved.
enum Proof: String, CaseIterable {
    /// Random expressions, in random zones, beside PyPI's croniter.
    case cron

    /// Says on standard output what was found.
    func holds(_ options: ProofOptions) async throws -> Bool {
        switch self {
        case .cron: try CronProof(options).holds()
        }
    }
}
