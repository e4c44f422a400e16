/// The options on the command line: `--name value`, each name once.
struct ProofOptions {
    private var values: [String: String] = [:]

    /// Returns nil if a name has no value, or a value has no name.
    init?(_ arguments: some Sequence<String>) {
        var name: String?
        for argument in arguments {
            if let known = name {
                values[known] = argument
                name = nil
            } else if argument.hasPrefix("--") {
                name = String(argument.dropFirst(2))
            } else {
                return nil
            }
        }
        if name != nil { return nil }
    }

    subscript(name: String) -> String? { values[name] }

    subscript(name: String, default standard: Int) -> Int { values[name].flatMap { Int($0) } ?? standard }
}
