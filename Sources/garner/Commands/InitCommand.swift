import ArgumentParser
import Catalog
import Sync

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a commented garner.yaml to start from.",
        discussion: """
            The file is valid as written. An existing file is never overwritten.

              garner init
              garner init https://api.example.org/v1/ --config zoo.yaml
            """)

    @Argument(help: "The base URL of your API.")
    var url: String?

    @OptionGroup var shared: SharedOptions

    func run() throws {
        let path = Setup(shared).namedConfiguration ?? "garner.yaml"
        if access(path, F_OK) == 0 {
            throw Failure(
                code: ExitCode.cannotCreate, kind: "exists", message: "\(path) exists already", place: path,
                hint: "edit it, or name another file with --config")
        }
        let text = try starterText(for: path)
        try AtomicFile.write(to: path, replaces: false) { file in
            var text = text
            try text.withUTF8 { try file(UnsafeRawBufferPointer($0)) }
        }
        if !shared.quiet {
            let option = shared.config.map { " --config \($0)" } ?? ""
            let steps = ["check", "sync", "tables"].map { "  garner \($0)\(option)\n" }.joined()
            StandardError.write("Wrote \(path). Edit it, then:\n\(steps)")
        }
    }

    /// Throws where the URL cannot be one of an API; all else in the file is known to be right.
    private func starterText(for path: String) throws -> String {
        let text = StarterFile.text(baseURL: url)
        do {
            _ = try Configuration(parsing: text, file: path, environment: [:], selectorProblem: { _ in nil })
        } catch {
            var failure = Failure(error)
            (failure.code, failure.kind, failure.place) = (ExitCode.usage, "usage", url)
            throw failure
        }
        return text
    }
}
