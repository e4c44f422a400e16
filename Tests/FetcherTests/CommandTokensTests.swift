import GarnerCatalog
import Synchronization
import TestSupport
import Testing

@testable import GarnerFetcher

/// Tokens that a program prints.
struct CommandTokensTests {
    /// A runner that prints what a test says, and counts.
    private final class Programs: ProgramRunner {
        let runs = Watched(0)
        private let result: @Sendable (Int) async throws -> ProgramResult

        init(_ result: @escaping @Sendable (Int) async throws -> ProgramResult) { self.result = result }

        func run(_ words: [String], maximumOutput: Int) async throws -> ProgramResult {
            try await result(
                runs.change {
                    $0 += 1
                    return $0
                })
        }

        static func printing(_ text: String, errors: String = "", problem: String? = nil, isCut: Bool = false)
            -> Programs
        {
            Programs { _ in
                ProgramResult(problem: problem, output: Array(text.utf8), errors: Array(errors.utf8), isCut: isCut)
            }
        }
    }

    /// The headers of the requests to the API.
    private let sent = Watched<[[String]]>([])

    private func fetcher(
        _ programs: any ProgramRunner, _ command: TokenCommand = TokenCommand(words: ["./token"]),
        clock: ManualClock = ManualClock(), accepts: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws -> PageFetcher {
        let stream = stream(at: "https://zoo.example/", path: "animals") {
            $0.request.authentication = .command(command)
            $0.retry = RetryPolicy(maxAttempts: 1)
        }
        let tokens = TokenSources(storage: nil, programs: programs).source(for: .command(command), clock: clock)
        return try PageFetcher(
            stream: stream,
            transport: ScriptedTransport { [sent] request in
                let fields = request.headers.filter { $0.name != "Accept" }.map { "\($0.name): \($0.value.reveal())" }
                sent.change { $0.append(fields) }
                return fields.contains(where: accepts) ? scripted("[1]") : .status(401)
            }, timing: timing(clock: clock, random: 0.5), tokens: tokens)
    }

    @Test(arguments: ["t0ken", "t0ken\n", "t0ken\r\n", " t0ken  \n"])
    func `a line is sent as a bearer token`(output: String) async throws {
        let fetcher = try fetcher(Programs.printing(output))
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(sent.value == [["Authorization: Bearer t0ken"]])
    }

    @Test func `an object gives headers, a token and its lifetime`() async throws {
        let clock = ManualClock()
        let programs = Programs.printing(
            #"{"token":"t","headers":{"X-Amz-Date":"20260101","X-Sign":"abc"},"expires_in":100}"#)
        let fetcher = try fetcher(programs, TokenCommand(words: ["sign"], output: .json), clock: clock)
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(sent.value == [["Authorization: Bearer t", "X-Amz-Date: 20260101", "X-Sign: abc"]])
        clock.advance(by: .seconds(89))
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(programs.runs.value == 1)
        clock.advance(by: .seconds(2))
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(programs.runs.value == 2)
    }

    @Test func `the program runs again when the configured time is over`() async throws {
        let clock = ManualClock()
        let programs = Programs.printing("t")
        let fetcher = try fetcher(programs, TokenCommand(words: ["t"], expires: .seconds(50)), clock: clock)
        for seconds in [0, 44, 2] {
            clock.advance(by: .seconds(seconds))
            _ = try await fetcher.page(at: fetcher.firstPosition)
        }
        #expect(programs.runs.value == 2)
    }

    @Test func `a refused token makes the program run once more, and no oftener`() async throws {
        let programs = Programs { number in
            ProgramResult(problem: nil, output: Array("t\(number)".utf8), errors: [], isCut: false)
        }
        let fetcher = try fetcher(programs) { $0.hasSuffix("t2") }
        _ = try await fetcher.page(at: fetcher.firstPosition)
        #expect(sent.value == [["Authorization: Bearer t1"], ["Authorization: Bearer t2"]])
        let other = try self.fetcher(Programs.printing("t")) { _ in false }
        #expect(await failureKind { try await other.page(at: other.firstPosition) } == .unauthorized(status: 401))
        #expect(sent.value.count == 4)
    }

    private static let bad: [(String, TokenCommand.Output, String)] = [
        ("", .token, "there is no output"), ("\n\n", .token, "there is no output"),
        (" \t\r\n ", .token, "there is no output"), (" \n ", .json, "there is no output"),
        ("a\nb", .token, "there are 2 lines"), ("a b", .token, "it is no text that a header can carry"),
        ("Bearer t", .token, "it begins with 'Bearer', which is added to the token"),
        ("é", .token, "it is no text that a header can carry"), ("", .json, "there is no output"),
        ("t", .json, "it is no JSON"), ("{}", .json, "it has neither token nor headers"),
        ("[]", .json, "it has neither token nor headers"),
        (#"{"token":7}"#, .json, "token is no text that a header can carry"),
        (#"{"headers":{"X":1}}"#, .json, "headers has a name or a value that cannot be sent"),
        (#"{"headers":{"a b":"1"}}"#, .json, "headers has a name or a value that cannot be sent"),
        (#"{"headers":{"X":"1\r\nY: 2"}}"#, .json, "headers has a name or a value that cannot be sent"),
    ]

    @Test(arguments: bad)
    func `output that is no token is refused, and nothing is sent`(
        output: String, form: TokenCommand.Output, reason: String
    ) async throws {
        let fetcher = try fetcher(Programs.printing(output), TokenCommand(words: ["t"], output: form))
        #expect(
            await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                == .token(endpoint: "t", .badOutput(reason: reason, isObject: form == .json)))
        #expect(sent.value == [])
    }

    @Test func `a program that floods is refused`() async throws {
        let fetcher = try fetcher(Programs.printing("tttt", isCut: true))
        #expect(
            await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                == .token(endpoint: "./token", .badOutput(reason: "it is longer than 65536 bytes")))
    }

    @Test func `a program that fails is named with its last words, without what it printed`() async throws {
        let silent = Programs.printing("", errors: "trying\nno vault\n", problem: "exited with 3")
        let fetcher = try fetcher(silent)
        #expect(
            await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                == .token(endpoint: "./token", .programFailed(status: "exited with 3", words: "no vault")))
        let loud = Programs.printing(
            #"{"token":"s3cr\u0065t-token"}"#, errors: "no: s3cret-token\n", problem: "exited with 3")
        let other = try self.fetcher(loud, TokenCommand(words: ["t"], output: .json))
        let error = await #expect(throws: FetchError.self) { try await other.page(at: other.firstPosition) }
        #expect(error?.kind == .token(endpoint: "t", .programFailed(status: "exited with 3", words: "")))
        #expect(error?.description.contains("s3cret") == false)
    }

    @Test func `a program that does not end is cancelled at its time limit`() async throws {
        let clock = ManualClock()
        let wasCancelled = Watched(false)
        let programs = Programs { _ in
            do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.value = true }
            throw CancellationError()
        }
        let fetcher = try fetcher(programs, TokenCommand(words: ["t"], timeout: .seconds(9)), clock: clock)
        let page = Task { await failureKind { try await fetcher.page(at: fetcher.firstPosition) } }
        await programs.runs.until { $0 > 0 }
        await clock.sleepers { $0.contains(.seconds(9)) }
        clock.advance(by: .seconds(9))
        #expect(await page.value == .token(endpoint: "t", .programTimedOut(.seconds(9))))
        #expect(wasCancelled.value)
    }

    @Test func `a program that cannot be started is told`() async throws {
        let fetcher = try fetcher(Programs { _ in throw ProgramError(reason: "no such file") })
        #expect(
            await failureKind { try await fetcher.page(at: fetcher.firstPosition) }
                == .token(endpoint: "./token", .notStarted(reason: "no such file")))
    }
}
