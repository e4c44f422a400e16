/// The proofs that this program can run.
enum Proof: String, CaseIterable {
    /// Random expressions, in random zones, beside PyPI's croniter.
    case cron
    /// Random worlds, `--count` of them `--from` a seed on; of one alone, `--log yes` prints all that happens.
    case seeds
    /// A simulation of `--years` years with `--streams` streams.
    case years

    /// Says on standard output what was found.
    func holds(_ options: ProofOptions) async throws -> Bool {
        switch self {
        case .cron: try CronProof(options).holds()
        case .seeds: Seeds(options).holds()
        case .years: YearsProof(options).holds()
        }
    }
}
