import GarnerCatalog
import Testing

struct TokenCommandTests {
    @Test func `a program, its output and its times are read`() throws {
        let stream = try Fixture.streamOfSource(
            "auth: { type: command, run: [vault, read, -field=token], output: json, expires: 50m, timeout: 5s }")
        #expect(
            stream.request.authentication
                == .command(
                    TokenCommand(
                        words: ["vault", "read", "-field=token"], output: .json, expires: .seconds(3000),
                        timeout: .seconds(5))))
    }

    @Test func `what is not written has its default`() throws {
        let stream = try Fixture.streamOfSource("auth: { type: command, run: [token] }")
        #expect(stream.request.authentication == .command(TokenCommand(words: ["token"])))
        #expect(TokenCommand(words: []).timeout == .seconds(60))
    }

    @Test(arguments: [
        ("{ type: command }", "'auth.run' is missing"), ("{ type: command, run: [] }", "'auth.run' names no program"),
        ("{ type: command, run: token }", "'auth.run' must be a list, not text"),
        ("{ type: command, run: [t], output: yaml }", "'auth.output' cannot be 'yaml'"),
        ("{ type: command, run: [t], expires: 5 }", "'auth.expires' has no unit: '5'"),
        (
            "{ type: command, run: [t, \"${TOKEN}\"] }",
            "'auth.run[1]' holds '${…}', but other programs see what arguments hold"
        ),
    ])
    func `a wrong value says what is right`(text: String, message: String) {
        #expect(Fixture.issues(Fixture.streamText("auth: \(text)")).map(\.message) == [message])
    }
}
