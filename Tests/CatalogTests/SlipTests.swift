import GarnerModel
import Testing

@testable import GarnerCatalog

/// Slips of indentation and punctuation: each is told with its line, and its advice is followed.
struct SlipTests {
    private static let right = """
        version: 1
        sources:
          zoo:
            base_url: https://zoo.example/
            streams:
              people:
                path: /people
                primary_key: id
                params:
                  limit: 100
              pets:
                path: /pets

        """

    @Test(arguments: [
        ("        primary_key", "      primary_key", "move line 8 to the right by 2 spaces"),
        ("        primary_key", "       primary_key", "move line 8 to the right by 1 space"),
        ("        primary_key", "          primary_key", "move line 8 to the left by 2 spaces"),
        ("    streams:", "  streams:", "move line 5 to the right by 2 spaces"),
        ("    streams:", "streams:", "move line 5 to the right by 4 spaces"),
        ("    streams:", "      streams:", "move line 5 to the left by 2 spaces"),
        ("    base_url", "      base_url", "move line 4 to the left by 2 spaces"),
        ("  zoo:", "zoo:", "move line 3 to the right by 2 spaces"),
        ("      people:", "    people:", "move line 6 to the right by 2 spaces"),
        ("      pets:", "     pets:", "move line 11 to the right by 1 space"),
        ("      pets:\n        path", "    pets:\n      path", "move lines 11 to 12 to the right by 2 spaces"),
        (
            "        path: /people\n        primary_key: id\n        params:\n          limit",
            "      path: /people\n      primary_key: id\n      params:\n        limit",
            "move lines 7 to 10 to the right by 2 spaces"
        ),
        ("  primary_key", " \u{A0}primary_key", "write spaces in line 8"),
        ("        path: /people", "       \u{A0}path: /people", "write spaces in line 7"),
        ("       primary_key", "\u{A0}\u{A0}\u{A0}\u{A0}\u{A0}\u{A0}\u{A0}primary_key", "write spaces in line 8"),
        ("primary_key: id", "primary_key:id", "put a space after the first ':' of line 8"),
        ("path: /pets", "path:/pets", "put a space after the first ':' of line 12"),
        ("base_url: ", "base_url:", "put a space after the first ':' of line 4"),
        ("version: 1", "version:1", "put a space after the first ':' of line 1"),
        ("pets:", "pets", "put ':' after the first word of line 11"),
        ("primary_key: id", "// primary_key: id", "write # in place of // in line 8"),
        ("primary_key: id", "//the key", "write # in place of // in line 8"),
        ("version: 1\n", "version: 1\n// my pets\n", "write # in place of // in line 2"),
        ("primary_key: id", "primary_key id", "put ':' after the first word of line 8"),
        (
            "primary_key: id", "primary_key:\n          - id\n          name",
            "put '- ' before the text of line 10, in the column of the one on line 9"
        ),
        (
            "primary_key: id", "response_actions:\n          -{ status: 404, action: ignore }",
            "put a space after the '-' of line 9"
        ),
        (
            "primary_key: id",
            "response_actions:\n          -{ status: 404, action: ignore }\n          -{ status: 410, action: ignore }",
            "put a space after the '-' of lines 9, 10"
        ),
        (
            "primary_key: id", "response_actions:\n          -status: 404\n            action: ignore",
            "put a space after the '-' of line 9"
        ),
        (
            "primary_key: id", "attachments:\n          -field: photo\n          -field: scan",
            "put a space after the '-' of lines 9, 10"
        ),
        (
            "primary_key: id", "attachments:\n          -\"field\": photo\n            media_types: [text/csv]",
            "put a space after the '-' of line 9"
        ),
        (
            "primary_key: id", "paginator: {type:page_number, page_param:p}",
            "put a space after the ':' of each key in the braces of line 8"
        ),
        (
            "primary_key: id", "schedule: {every:15m,jitter:\"30s\"}",
            "put a space after the ':' of each key in the braces of line 8"
        ),
        ("path: /pets", "path: \"/pets", "put \" at the end of line 12"),
        ("path: /people", "path: '/people", "put ' at the end of line 7"),
        ("path: /people", "path: \"/people   # all", "put \" before the comment of line 7"),
        (
            "primary_key: id", "primary_key: \"id\n        record_selector: \"$.data[*]\"",
            "put \" at the end of line 8"
        ),
        ("primary_key: id", "headers: { A: \"b }", "put \" before the last bracket of line 8"),
        (
            "primary_key: id", "fields: { rename: { a: \"b } }", "put \" before the last 2 brackets of line 8"
        ),
        ("primary_key: id", "search: [id, \"name]", "put \" before the last bracket of line 8"),
        (
            "primary_key: id", "schedule: { cron: */5 * * * *, timezone: Europe/Berlin }",
            "write cron: \"*/5 * * * *\" in line 8"
        ),
        (
            "primary_key: id", "schedule:\n          cron: * 8,20 * * 1-5   # twice",
            "write cron: \"* 8,20 * * 1-5\" in line 9"
        ),
        (
            "primary_key: id", "schedule: */5 * * * *", "write schedule: { cron: \"*/5 * * * *\" } in line 8"
        ),
        ("primary_key: id", "primary_key: #id", "put quotes around the value of line 8"),
        ("limit: 100", "color: #fff 000", "put quotes around the value of line 10"),
        ("primary_key: id", "schedule: { cron: @daily }", "write cron: \"@daily\" in line 8"),
    ])
    func `a slip is told with its line, and mended as the advice says`(old: String, new: String, hint: String) throws {
        let text = try #require(Self.right.firstRange(of: old).map { Self.right.replacingCharacters($0, new) })
        let issues = Fixture.issues(text)
        #expect(issues.map(\.hint) == [hint], "\(issues)")
        let line = issues.first?.place.line ?? 0
        #expect(hint.contains("line \(line)") || hint.contains("lines \(line),") || hint.hasPrefix("move lines"))
        let mended = try #require(Self.follow(hint, in: text))
        #expect(Fixture.issues(mended).isEmpty)
        #expect(try Fixture.parse(mended).streams.map(\.name.description) == ["zoo.people", "zoo.pets"])
    }

    /// Other mistakes of the file are told, too.
    @Test func `a slip hides no other mistake`() {
        let text = Self.right.replacing("primary_key: id", with: "primary_key:id").replacing(
            "limit: 100", with: "a: {}")
        #expect(Fixture.issues(text).map(\.place.line) == [8, 10])
    }

    /// What is no slip keeps its own advice.
    @Test(arguments: [
        ("primary_key: # id", "write a text, or a list"), ("table:", "write a text, in quotes"),
        ("endpoint:\n  path: /a", "write 'path' here, without 'endpoint:' around it"),
        ("request:\n  path: /a", "write 'path' here, without 'request:' around it"),
        ("request:\n  color: red", "known here are"),
        ("path: /a\nschedul:\n  every: 5m", "did you mean 'schedule'?"), ("zzz: 1", "known here are"),
        ("rate_limit:\n  requests: 5", "move it into a source"),
    ])
    func `a key that is unknown on each level is not moved`(lines: String, hint: String) {
        let issues = Fixture.issues(Fixture.streamText(lines))
        #expect(issues.first?.hint?.hasPrefix(hint) == true, "\(issues)")
    }

    @Test func `a slip in a line with a secret does not show it`() {
        let issues = Fixture.issues(
            Self.right.replacing("path: /pets", with: "auth: { type: bearer }\n        token:hunter2"))
        #expect(!issues.isEmpty && !"\(issues)".contains("hunter2"))
    }

    @Test func `a key of streams below params is told of`() throws {
        let text = Self.right.replacing("limit: 100", with: "limit: 100\n          record_selector: $.data[*]")
        #expect(
            try Fixture.parse(text).warnings.map(\.message) == [
                "'record_selector' is a parameter of 'zoo.people', since it stands below 'params'"
            ])
        let mended = text.replacing("          record_selector", with: "        record_selector")
        #expect(try Fixture.parse(mended).warnings.isEmpty)
    }

    @Test(arguments: ["\n          id\n          name", "\n          -id\n          -name"])
    func `lines without dashes are one name`(lines: String) throws {
        let text = Self.right.replacing("primary_key: id", with: "primary_key:\(lines)")
        #expect(try Fixture.parse(text).warnings.map(\.hint) == ["write primary_key: [id, name]"])
    }

    private static func follow(_ hint: String, in text: String) -> String? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if let match = hint.wholeMatch(of: /write (.*"(.+)".*) in line ([0-9]+)/), let number = Int(match.3) {
            let key = match.1.prefix { $0 != ":" }
            lines[number - 1] = lines[number - 1].replacing("\(key): \(match.2)", with: match.1)
            return lines.joined(separator: "\n")
        }
        if let match = hint.wholeMatch(of: /put (["']) (.+) of line ([0-9]+)/), let number = Int(match.3) {
            var rest = lines[number - 1][...]
            if match.2 == "before the comment", let comment = rest.firstRange(of: " #") {
                rest = rest[..<comment.lowerBound]
            }
            for _ in 0..<(match.2.hasSuffix("bracket") ? 1 : match.2.hasSuffix("brackets") ? 2 : 0) {
                rest = rest.lastIndex { "]}".contains($0) }.map { rest[..<$0] } ?? rest
            }
            while rest.last == " " { rest = rest.dropLast() }
            lines[number - 1] = "\(rest)\(match.1)\(lines[number - 1][rest.endIndex...])"
            return lines.joined(separator: "\n")
        }
        let numbers = hint.matches(of: /[0-9]+/).compactMap { Int($0.output) }
        guard let row = numbers.first.map({ $0 - 1 }), lines.indices.contains(row) else { return nil }
        if hint.hasPrefix("move"), let distance = numbers.last {
            let last = hint.hasPrefix("move lines") ? numbers[1] - 1 : row
            for row in row...last {
                let line = lines[row]
                lines[row] =
                    hint.contains("right")
                    ? String(repeating: " ", count: distance) + line : String(line.dropFirst(distance))
            }
        } else if hint.contains("each key in the braces") {
            lines[row] = lines[row].replacing(/([{,] *[a-z_]+):/) { "\($0.1): " }
        } else if hint.hasPrefix("write # in place") {
            lines[row] = lines[row].replacing("//", with: "#")
        } else if hint.hasPrefix("write spaces") {
            lines[row] = lines[row].replacing("\u{A0}", with: " ")
        } else if hint.hasPrefix("put quotes around") {
            lines[row] = lines[row].replacing(/#.*/) { "\"\($0.0)\"" }
        } else if hint.hasPrefix("put a space after the '-'") {
            for row in numbers.map({ $0 - 1 }) { lines[row] = lines[row].replacing(/^ *-/) { "\($0.0) " } }
        } else if hint.hasPrefix("put a space"), let colon = lines[row].firstIndex(of: ":") {
            lines[row].insert(" ", at: lines[row].index(after: colon))
        } else if hint.hasPrefix("put ':'") {
            let indent = lines[row].prefix { $0 == " " }
            let word = lines[row].dropFirst(indent.count).prefix { $0 != " " }
            lines[row] = "\(indent)\(word):\(lines[row].dropFirst(indent.count + word.count))"
        } else {
            let before = lines[numbers[1] - 1].prefix { $0 == " " }
            lines[row] = "\(before)- \(lines[row].drop { $0 == " " })"
        }
        return lines.joined(separator: "\n")
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, _ text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
