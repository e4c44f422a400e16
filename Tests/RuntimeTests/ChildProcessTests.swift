import Foundation
import Synchronization
import TestSupport
import Testing

@testable import GarnerRuntime

@Suite(.timeLimit(.minutes(2)))
struct ChildProcessTests {
    init() { signal(SIGPIPE, SIG_IGN) }  // as Garner does

    private func command(_ script: String, input: String = "", environment: [String: String] = [:]) -> ChildProcess {
        ChildProcess(
            words: ["sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 },
            input: input)
    }

    private func text(_ ending: ChildProcess.Ending) -> String { String(decoding: ending.output, as: UTF8.self) }

    @Test func `a program reads its input, sees its environment, and is heard`() async throws {
        let ending = try await command(
            "cat; echo \"$GARNER_STREAM\" >&2; env | wc -l", input: "a run\n",
            environment: ["GARNER_STREAM": "zoo.animals"]
        ).run()
        #expect(ending.problem(of: "sh") == nil)
        #expect(text(ending).hasPrefix("a run\nzoo.animals\n"))
        #expect(!ending.isCut)
    }

    @Test func `arguments are not looked into by a shell`() async throws {
        let ending = try await ChildProcess(
            words: ["printf", "%s|", "$HOME", "a b", "*"], environment: ["PATH": "/usr/bin:/bin"], input: ""
        ).run()
        #expect(text(ending) == "$HOME|a b|*|")
    }

    @Test(arguments: [
        ("exit 3", HookError.exited(program: "sh", code: 3)), ("kill -9 $$", .killed(program: "sh", signal: 9)),
    ])
    func `how it ended is told`(script: String, problem: HookError) async throws {
        #expect(try await command(script).run().problem(of: "sh") == problem)
    }

    @Test(arguments: [("/no/such/program", ENOENT), ("garner-no-such-program", ENOENT), ("/etc/passwd", EACCES)])
    func `what is no program is told`(program: String, code: Int32) async throws {
        await #expect(throws: HookError.notStarted(program: program, code: code)) {
            _ = try await ChildProcess(words: [program], environment: ["PATH": "/usr/bin:/bin"], input: "x").run()
        }
    }

    @Test(arguments: [
        ("echo", false, "chmod +x "), ("#!/no/such/shell\necho", true, "that is not there: #!/no/such/shell"),
        ("#!/bin/sh\r\necho\r\n", true, "sed -i 's/\\r$//' "),
    ])
    func `what is wrong with a script is told`(text: String, isExecutable: Bool, words: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("script")
        // Another program writes the file. If this one did, programs that other tests start meanwhile would have it
        // open for writing, too, and no file can be run while it is.
        _ = try await command(
            "umask 022; cat >\"$SCRIPT\"; chmod \(isExecutable ? "755" : "644") \"$SCRIPT\"", input: text,
            environment: ["SCRIPT": path]
        ).run()
        let child = ChildProcess(words: [path], environment: ["PATH": "/usr/bin:/bin"], input: "")
        let error = await #expect(throws: HookError.self) { _ = try await child.run() }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a long input arrives whole, and one that nobody reads stops nothing`() async throws {
        let long = String(repeating: "0123456789abcdef", count: 20_000)
        #expect(text(try await command("wc -c", input: long).run()).contains("320000"))
        #expect(try await command("exit 0", input: long).run().problem(of: "sh") == nil)
    }

    @Test func `what it says without end is cut`() async throws {
        let ending = try await command("head -c 300000 /dev/zero | tr '\\0' x").run()
        #expect(ending.problem(of: "sh") == nil)
        #expect(ending.output.count == 64 << 10)
        #expect(ending.output.allSatisfy { $0 == UInt8(ascii: "x") })
        #expect(ending.isCut)
    }

    @Test func `what it leaves in the background is not waited for`() async throws {
        let folder = try TemporaryFolder()
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        // The one in the background holds the pipe of the output until somebody opens the other end of the fifo.
        let ending = try await command("(exec 3<\"$1\") & echo done".replacing("$1", with: fifo)).run()
        #expect(ending.problem(of: "sh") == nil)
        #expect(text(ending) == "done\n")
        close(open(fifo, O_RDWR | O_NONBLOCK))
    }

    @Test func `a cancellation ends all that it has started`() async throws {
        let folder = try TemporaryFolder()
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let running = Task {
            // Both of them hold the fifo open.
            try await command(
                "exec 3>\"$1\"; trap '' TERM; echo begun >&3; sleep 600 & wait".replacing("$1", with: fifo)
            ).run()
        }
        let begun = Watched(false)
        let everythingEnded = Task.detached {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let reader = FileHandle(forReadingAtPath: fifo)
                    begun.value = reader?.availableData.isEmpty == false
                    continuation.resume(returning: reader?.availableData.isEmpty)
                }
            }
        }
        await begun.until { $0 }
        running.cancel()
        #expect(try await running.value.problem(of: "sh") == .killed(program: "sh", signal: SIGKILL))
        // A fifo ends when nobody is left who may write into it.
        #expect(await everythingEnded.value == true)
    }

    #if os(Linux)
        @Test func `it has the usual signals, and a group of its own`() async throws {
            let ending = try await command("cut -d ' ' -f 5 /proc/$$/stat; echo $$; kill -PIPE $$; echo ignored").run()
            let numbers = text(ending).split(separator: "\n")
            #expect(numbers.count == 2 && numbers.first == numbers.last)
            #expect(ending.problem(of: "sh") == .killed(program: "sh", signal: SIGPIPE))
        }
    #endif
}
