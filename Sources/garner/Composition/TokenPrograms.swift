import Fetcher
import LibC

/// Starts the programs that print tokens.
struct TokenPrograms: ProgramRunner {
    let environment: [String: String]

    func run(_ words: [String], maximumOutput: Int) async throws -> ProgramResult {
        let child = ChildProcess(
            words: words, environment: ChildProcess.inherited(environment), input: "",
            maximumOutput: maximumOutput, mergesErrors: false, endsAtMaximum: true)
        let ending: ChildProcess.Ending
        do {
            ending = try await child.run()
        } catch HookError.notStarted(let program, let code) {
            throw ProgramError(reason: "\(program): \(String(cString: strerror(code)))")
        }
        try Task.checkCancellation()
        return ProgramResult(
            problem: ending.phrase, output: ending.output, errors: ending.errors,
            isCut: ending.isCut)
    }
}
