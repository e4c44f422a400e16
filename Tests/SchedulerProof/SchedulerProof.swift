import Foundation

/// Proofs of the schedules, which take minutes and are run by name.
@main
struct SchedulerProof {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let proof = arguments.first.flatMap(Proof.init), let options = ProofOptions(arguments.dropFirst()) else {
            let names = Proof.allCases.map(\.rawValue).joined(separator: "|")
            FileHandle.standardError.write(Data("usage: SchedulerProof \(names) [--name value]…\n".utf8))
            exit(64)
        }
        exit(try await proof.holds(options) ? 0 : 1)
    }
}
