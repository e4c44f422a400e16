import GarnerCatalog
import GarnerJSON
import GarnerTasks

/// Starts programs for Garner. The library that fetches has none of its own.
package protocol ProgramRunner: Sendable {
    /// Runs a program to its end. Throws `ProgramError`, and `CancellationError`, after which no process of it is left.
    ///
    /// - Parameter maximumOutput: The number of bytes of its output beyond which it is ended.
    func run(_ words: [String], maximumOutput: Int) async throws -> ProgramResult
}

/// The end of a program.
package struct ProgramResult: Sendable {
    /// A phrase such as "exited with 1"; nil if it exited with 0.
    package let problem: String?
    package let output: [UInt8]
    package let errors: [UInt8]
    /// True if it was ended because it wrote more than the maximum.
    package let isCut: Bool

    package init(problem: String?, output: [UInt8], errors: [UInt8], isCut: Bool) {
        (self.problem, self.output, self.errors, self.isCut) = (problem, output, errors, isCut)
    }
}

/// A program that cannot be started.
package struct ProgramError: Error, Sendable {
    package let reason: String

    package init(reason: String) { self.reason = reason }
}

/// The tokens that a program prints.
struct CommandTokens: TokenProvider {
    /// The largest output that is read, in bytes. Headers are never longer.
    private static let maximumOutput = 64 << 10

    let command: TokenCommand
    let clock: any Clock<Duration>

    func grant(for source: TokenSource) async throws -> TokenGrant {
        do {
            guard let programs = source.programs else {
                throw TokenError.notStarted(reason: "this program does not start others")
            }
            return try grant(in: await result(from: programs), learning: source.runtimeSecrets)
        } catch let problem as TokenError {
            throw FetchError.Kind.token(endpoint: command.words[0], problem)
        }
    }

    private func result(from programs: any ProgramRunner) async throws -> ProgramResult {
        let (command, clock) = (command, clock)
        do {
            return try await race {
                try await programs.run(command.words, maximumOutput: Self.maximumOutput)
            } _: {
                try await clock.sleep(for: command.timeout)
                throw TokenError.programTimedOut(command.timeout)
            }
        } catch let error as ProgramError {
            throw TokenError.notStarted(reason: error.reason)
        }
    }

    private func grant(in result: ProgramResult, learning secrets: RuntimeSecrets) throws(TokenError) -> TokenGrant {
        guard !result.isCut else {
            throw .badOutput(reason: "it is longer than \(Self.maximumOutput) bytes", isObject: command.output == .json)
        }
        let text = String(decoding: result.output, as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }.map(String.init)
        // Whatever a program prints that failed may be a secret, too.
        if command.output == .token { for line in lines { secrets.learn(Secret(line)) } }
        if let problem = result.problem {
            // Its errors may quote what it printed, in a form that nothing recognises.
            let said = String(decoding: result.errors, as: UTF8.self).split(whereSeparator: \.isNewline).last ?? ""
            throw .programFailed(status: problem, words: lines.isEmpty ? String(said) : "")
        }
        let isObject = command.output == .json
        guard let first = lines.first else { throw .badOutput(reason: "there is no output", isObject: isObject) }
        guard isObject else {
            guard lines.count == 1 else { throw .badOutput(reason: "there are \(lines.count) lines") }
            let token = String(first.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            guard !token.lowercased().hasPrefix("bearer ") else {
                throw .badOutput(reason: "it begins with 'Bearer', which is added to the token")
            }
            guard Self.isToken(token) else { throw .badOutput(reason: "it is no text that a header can carry") }
            secrets.learn(Secret(token))
            return TokenGrant(accessToken: Secret(token), lifetime: command.expires)
        }
        guard let document = try? Document(parsing: Bytes(result.output)) else {
            throw .badOutput(reason: "it is no JSON", isObject: true)
        }
        return try document.withRoot { root throws(TokenError) in try grant(in: root, learning: secrets) }
    }

    private func grant(in root: Node, learning secrets: RuntimeSecrets) throws(TokenError) -> TokenGrant {
        var headers: [RequestTemplate.Parameter] = []
        if let node = root["token"] {
            guard let token = node.string, Self.isToken(token) else {
                throw .badOutput(reason: "token is no text that a header can carry", isObject: true)
            }
            secrets.learn(Secret(token))
            headers.append(.authorization("Bearer \(token)"))
        }
        if let object = root["headers"] {
            for member in object.members {
                let name = member.key.text
                guard let value = member.value.string, HeaderSyntax.isName(name), HeaderSyntax.isValue(value) else {
                    throw .badOutput(reason: "headers has a name or a value that cannot be sent", isObject: true)
                }
                secrets.learn(Secret(value))
                headers.append(.init(name: name, value: .secret(Secret(value))))
            }
        }
        guard !headers.isEmpty else { throw .badOutput(reason: "it has neither token nor headers", isObject: true) }
        let lifetime = root["expires_in"].flatMap(TokenAnswer.lifetime)
        return TokenGrant(headers: headers, lifetime: lifetime ?? command.expires)
    }

    /// Returns true for "1*VSCHAR" without spaces (RFC 6749, A.12; RFC 6750, 2.1).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
