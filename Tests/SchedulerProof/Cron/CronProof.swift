import GarnerCatalog
import Foundation
import GarnerScheduler
import TestSupport

/// `cron --seed N --cases N --python PATH`: the next instants of random expressions beside those of croniter.
///
/// Where the two differ, cron's own loop is walked through the hours in question, and has to say what `DueTimes` says.
struct CronProof {
    private let seed: Int
    private let cases: Int
    private let python: String

    /// The number of lines that fit into a pipe in both directions.
    private static let batch = 400

    init(_ options: ProofOptions) {
        seed = options["seed", default: 1]
        cases = options["cases", default: 100_000]
        python = options["python"] ?? "python3"
    }

    func holds() throws -> Bool {
        guard let oracle = try CroniterProcess(python: python) else {
            print("cron: skipped, since \(python) has no croniter; install it with: pip install croniter")
            return true
        }
        var random = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
        var (tally, samples) = ([String: Int](), [String]())
        var unexplained = 0
        for start in stride(from: 0, to: cases, by: Self.batch) {
            let batch = (start..<min(cases, start + Self.batch)).map { _ in CronCase(&random) }
            for (item, answer) in zip(batch, try oracle.answers(to: batch)) {
                let verdict = item.verdict(on: answer)
                tally[verdict.description, default: 0] += 1
                guard case .unexplained = verdict else { continue }
                unexplained += 1
                if samples.count < 20 { samples.append("\(item): \(answer), and here \(item.ownAnswer)") }
            }
        }
        oracle.end()
        print("cron: seed \(seed), \(cases) cases, croniter \(oracle.version)")
        for (verdict, count) in tally.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            print("  \(String(repeating: " ", count: max(0, 9 - String(count).count)))\(count) \(verdict)")
        }
        for sample in samples { print("  \(sample)") }
        return unexplained == 0
    }
}
