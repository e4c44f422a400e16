import ArgumentParser

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a completion script for a shell.",
        discussion: """
              garner completions bash > /etc/bash_completion.d/garner
              garner completions zsh > ~/.zfunc/_garner
              garner completions fish > ~/.config/fish/completions/garner.fish
            """)

    @Argument(help: "The shell that runs the script.")
    var shell: Shell

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    func run() throws {
        let shell: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        try StandardOutput.write(exactly: Garner.completionScript(for: shell) + "\n")
    }
}
