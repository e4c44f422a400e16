import TestSupport

extension RunFault {
    /// The program that prints tokens does something else.
    static let commands: [RunFault] = [
        command("prints a token", "page", "echo t2"),
        command("hangs", "token_command", "sleep 60; echo t2"),
        command("hangs behind its token", "token_command", "echo t2; exec sleep 60"),
        command("floods", "token_command", "exec yes"),
        command("prints nothing", "token_command", ":"),
        command("prints only blanks", "token_command", #"printf ' \t\r\n  \n'"#),
        command("exits with a code", "token_command", "echo 'no vault' >&2; exit 3"),
        command("exits with a code behind its token", "token_command", "echo t2; echo 'not t2' >&2; exit 3"),
        command("is killed by a signal", "token_command", "kill -9 $$"),
        command("prints bytes that are not UTF-8", "token_command", #"printf 't\377\376'"#),
        command("prints two lines", "token_command", "echo t2; echo t3"),
        command("prints a carriage return inside its line", "token_command", #"printf 't2\rX-Admin: 1\n'"#),
        command("prints a NUL", "token_command", #"printf 't2\000'"#),
        command("prints a space inside its line", "token_command", "echo 'token t2'"),
        command("prints Bearer before the token", "token_command", "echo 'Bearer t2'"),
        command("prints words to standard error beside a token", "page", "echo warning >&2; echo t2"),
        command("waits for words on standard input", "page", "cat; echo t2"),
        command("leaves a process behind", "page", "sleep 5 & echo t2"),
        command("prints a token that the server refuses", "unauthorized", "rm processes; echo t$$", isRetried: true),
        program("is missing", "token_command", first: nil, #"rm "$0"; echo t1"#),
        program("may not be run", "token_command", first: "echo t2", #"chmod 600 "$0"; echo t1"#),
        object("prints an object with a token", "page", #"echo '{"token":"t2","expires_in":3600}'"#),
        object("prints no JSON where an object is due", "token_command", "echo t2"),
        object("prints a part of an object", "token_command", #"printf '{"token":"t2'"#),
        object("prints an object that is not UTF-8", "token_command", #"printf '{"token":"t\377"}'"#),
        object("prints an object without a token", "token_command", #"echo '{"user":"zoo"}'"#),
        object("prints a list", "token_command", #"echo '["t2"]'"#),
        object("prints a number as the token", "token_command", #"echo '{"token":7}'"#),
        object("prints headers that are a list", "token_command", #"echo '{"headers":["X-Sign: t2"]}'"#),
        object("prints a header whose value is a number", "token_command", #"echo '{"headers":{"X-Sign":7}}'"#),
        object("prints a header with a line break", "token_command", #"echo '{"headers":{"X-Sign":"t2\\r\\nX: 1"}}'"#),
        object("prints a header whose name cannot be sent", "token_command", #"echo '{"headers":{"X Sign":"t2"}}'"#),
        object("prints a lifetime below zero", "page", #"echo '{"token":"t2","expires_in":-5}'"#, isRetried: true),
        object("prints a lifetime beyond time", "page", #"echo '{"token":"t2","expires_in":1e300}'"#),
        object("prints a lifetime that is no number", "page", #"echo '{"token":"t2","expires_in":"soon"}'"#),
    ]

    /// A program whose line is a token.
    private static func command(
        _ name: String, _ outcome: String, _ script: String, isRetried: Bool = false
    ) -> RunFault {
        fault(name, outcome, output: "token", good: "echo t1", script, isRetried: isRetried)
    }

    /// A program that prints an object.
    private static func object(
        _ name: String, _ outcome: String, _ script: String, isRetried: Bool = false
    ) -> RunFault {
        fault(name, outcome, output: "json", good: #"echo '{"token":"t1"}'"#, script, isRetried: isRetried)
    }

    /// A program that is run by `sh`. On a later page it printed a good token first, which the server then refuses.
    private static func fault(
        _ name: String, _ outcome: String, output: String, good: String, _ script: String, isRetried: Bool
    ) -> RunFault {
        RunFault(
            name: name, outcome: outcome, isRetried: isRetried,
            source: """
                auth: { type: command, run: [sh, token.sh], output: \(output), timeout: 1s }
                streams:
                  animals: { path: animals, primary_key: id }
                """
        ).with {
            $0.files = { page in
                let first = page == 1 ? "" : "mkdir ran 2>/dev/null && { \(good); exit 0; }\n"
                // A script that removes this file has the requests counted.
                return ["token.sh": "echo $$ >> processes\n\(first)\(script)\n"]
            }
            $0.repair = ["token.sh": good.replacing("t1", with: "t2") + "\n"]
            $0.isFaulty = { request, page in request.page >= page }
            $0.reply = { request, _ in request["Authorization"] == "Bearer t1" ? .status(401) : nil }
            $0.goodReply = { page($0) { ["Bearer t1", "Bearer t2"].contains($0) } }
        }
    }

    /// A program that is started by itself.
    ///
    /// - Parameters:
    ///   - first: what is there in its place, and may not be run.
    ///   - good: the program that prints a good token once.
    private static func program(_ name: String, _ outcome: String, first: String?, _ good: String) -> RunFault {
        command(name, outcome, "").with { fault in
            fault = RunFault(
                name: name, outcome: outcome,
                source: fault.source.replacing("[sh, token.sh]", with: "[./token]")
            ).with {
                $0.files = { page in page == 1 ? first.map { ["token": $0] } ?? [:] : [:] }
                $0.programs = { page in page == 1 ? [:] : ["token": "#!/bin/sh\n\(good)\n"] }
                $0.repair = ["token": "#!/bin/sh\necho t2\n"]
                ($0.isFaulty, $0.reply, $0.goodReply) = (fault.isFaulty, fault.reply, fault.goodReply)
                // Nothing is run again: the program is not there.
                $0.isRetried = false
            }
        }
    }

    private static func page(
        _ request: LoopbackRequest, _ accepts: (_ authorization: String?) -> Bool
    ) -> LoopbackReply {
        accepts(request["Authorization"]) ? .page(request.page, of: 3) : .status(401)
    }
}
