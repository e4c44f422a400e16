/// Evaluates the Jinja texts of a manifest as far as the configuration decides them.
///
/// The rest stays a tree. Its operations are named as in Jinja: `and`, `or`, `not`, `if` (test, then, else), `add`, `sub`,
/// `mul`, `div`, `floordiv`, `mod`, `pow`, `eq`, `ne`, `lt`, `lteq`, `gt`, `gteq`, `in`, `notin`, `item` (base, key), `slice`
/// (base, list of start, end and step), `defined`, `none`, `is mapping` and other tests, `default`, `string`, `|int` and other
/// filters, `.split` and other methods, and functions: `format_datetime` (time, format), `time` for `str_to_datetime`, `max`,
/// `min`, `duration`, `day_delta`, `uuid`, `camel_case_to_snake_case`. `if-block` and `for-loop` are statements that have to
/// wait; their argument is the test or the list.
package struct JinjaEvaluator {
    /// The literals of Python that are read out of the text of a result.
    package enum Literals: Sendable {
        /// Every one, as Airbyte reads most texts: `5`, `True`, `None`, `'a'`, `[1]`, `{'a': 1}`.
        case all
        /// Lists and mappings, as Airbyte reads parameters and forms: `1.10` keeps its digits.
        case collections
        case none
    }

    static let mostSteps = 10_000
    static let longestText = 65_536
    /// How deep a value may be.
    private static let deepestValue = 128
    static let changingMethods: Set<String> = ["append", "extend", "update"]

    let config: JinjaValue
    let parameters: JinjaValue
    /// The time that is now, in microseconds since 1970; nil if what is compared with it has to wait.
    let now: Int?

    /// True to keep what stands for members of a record that are not there, also if it counts as false.
    package var keepsDefaults = false
    private var scopes: [[String: JinjaValue]] = []
    private(set) var steps = 0
    /// How many conditions are around it that are decided later.
    private var undecided = 0
    /// True if something was computed with a name that has no value. Airbyte's result is empty then.
    private var meetsMissing = false

    package init(config: JinjaValue, parameters: JinjaValue, now: Int? = nil) {
        (self.config, self.parameters, self.now) = (config, parameters, now)
    }

    /// Returns the value of a manifest's text.
    ///
    /// A text without braces is itself. A text that is one expression has its type; but a text that it results in, and one
    /// of several pieces, is read as a literal of Python where it is one.
    package mutating func value(of text: String, reading literals: Literals = .all) throws(JinjaError) -> JinjaValue {
        guard text.contains("{{") || text.contains("{%") else { return .text(text) }
        guard text.utf8.count <= Self.longestText else { throw .limit }
        (scopes, steps, undecided, meetsMissing) = ([[:]], 0, 0, false)
        let statements = try JinjaParser.statements(of: text.trimmingSpace())
        var pieces: [JinjaValue] = []
        try run(statements, into: &pieces)
        let result = try joined(pieces)
        guard literals != .none, let literal = try literal(result) else { return result }
        switch literal {
        case .list, .mapping: return literal
        default: return literals == .all ? literal : result
        }
    }

    /// Returns the value of a manifest's text as a text, and what is known later as it is.
    ///
    /// The result is null where nothing but `None` comes out.
    package mutating func text(of text: String) throws(JinjaError) -> JinjaValue {
        let value = try value(of: text, reading: .none)
        return value.isKnown && value != .null ? .text(try string(value)) : value
    }

    /// Puts the pieces of a text together.
    private mutating func joined(_ pieces: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        guard !meetsMissing else { return .text("") }
        var pieces = pieces.filter { $0 != .missing }
        while pieces.count > 1, case .text(let first) = pieces[0] {
            pieces[0] = .text(first.trimmingSpace(.leading))
            guard pieces[0] == .text("") else { break }
            pieces.removeFirst()
        }
        while pieces.count > 1, case .text(let last) = pieces[pieces.count - 1] {
            pieces[pieces.count - 1] = .text(last.trimmingSpace(.trailing))
            guard pieces[pieces.count - 1] == .text("") else { break }
            pieces.removeLast()
        }
        guard pieces.count != 1 else { return pieces[0] }
        return try concatenated(pieces)
    }

    /// Reads a text as a literal of Python; nil if it is none.
    ///
    /// One in brackets or quotes may have values that are known later: `{'page': {{ next_page_token }}}`. A text is read with a name in
    /// each of their places. The names are characters that no manifest means anything by.
    private mutating func literal(_ value: JinjaValue) throws(JinjaError) -> JinjaValue? {
        guard case .joined(let pieces) = value else {
            guard case .text(let text) = value else { return nil }
            return PythonLiteral.value(of: text)
        }
        guard case .text(let first)? = pieces.first, let sign = first.utf8.first, "{[\"'".utf8.contains(sign) else {
            return nil
        }
        var text = ""
        var laterPieces: [JinjaValue] = []
        for piece in pieces {
            if case .text(let literal) = piece {
                guard !literal.contains(PythonLiteral.mark) else { return nil }
                text += literal
            } else {
                text += "\(PythonLiteral.mark)\(laterPieces.count)\(PythonLiteral.mark)"
                laterPieces.append(piece)
            }
        }
        return try PythonLiteral.value(of: text, with: laterPieces).map { (value) throws(JinjaError) in try made(value)
        }
    }

    // MARK: Limits

    mutating func spend(_ count: Int = 1) throws(JinjaError) {
        guard count >= 0, count <= Self.mostSteps - steps else {
            steps = Self.mostSteps
            throw .limit
        }
        steps += count
    }

    /// Counts a text that is made or read. 64 bytes are a step.
    @discardableResult
    mutating func spend(on text: String) throws(JinjaError) -> String {
        guard text.utf8.count <= Self.longestText else { throw .limit }
        try spend(text.utf8.count / 64)
        return text
    }

    /// Counts a search for a text in another.
    mutating func spend(onSearching text: String, for part: String) throws(JinjaError) {
        try spend(on: text)
        try spend(on: part)
        try spend(text.utf8.count * part.utf8.count / 4096)
    }

    /// Counts the parts of a list, a mapping or an operation that is made.
    mutating func made(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        try spend(try size(of: value, depth: 0, room: Self.mostSteps - steps))
        return value
    }

    /// Returns true if nothing in it waits. Large values cost steps.
    mutating func isKnown(_ value: JinjaValue) throws(JinjaError) -> Bool {
        switch value {
        case .list, .mapping:
            try spend(try size(of: value, depth: 0, room: Self.mostSteps * 16) / 16)
            return value.isKnown
        default: return value.isKnown
        }
    }

    private func size(of value: JinjaValue, depth: Int, room: Int) throws(JinjaError) -> Int {
        guard depth < Self.deepestValue else { throw .limit }
        var size = 1
        func add(_ values: some Sequence<JinjaValue>) throws(JinjaError) {
            for value in values {
                size += try self.size(of: value, depth: depth + 1, room: room - size)
                guard size <= room else { throw .limit }
            }
        }
        switch value {
        case .list(let values), .operation(_, let values), .joined(let values): try add(values)
        case .mapping(let members): try add(members.lazy.map(\.value))
        default: break
        }
        return size
    }

    /// Returns an operation that waits.
    mutating func waiting(_ name: String, _ arguments: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        try made(.operation(name, arguments))
    }

    /// Evaluates what is needed only if a condition holds that is decided later.
    mutating func valueLater(_ expression: JinjaExpression) throws(JinjaError) -> JinjaValue {
        undecided += 1
        defer { undecided -= 1 }
        return try value(expression)
    }

    /// Notes that something is computed with a name that has no value.
    mutating func missing(_ name: String, _ arguments: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        guard undecided == 0 else { return try waiting(name, arguments) }
        meetsMissing = true
        return .missing
    }

    // MARK: Names

    mutating func value(ofName name: String) -> JinjaValue {
        if let scope = scopes.last(where: { $0[name] != nil }), let value = scope[name] { return value }
        switch name {
        case "config": return config
        case "parameters": return parameters
        default: return Self.roots[name].map { .later(.init($0)) } ?? .missing
        }
    }

    private static let roots: [String: JinjaValue.Later.Root] = [
        "record": .record, "response": .response, "headers": .headers, "last_record": .lastRecord,
        "last_records": .lastRecords, "last_page_size": .lastPageSize, "stream_slice": .slice,
        "stream_partition": .slice,
        "stream_segment": .slice, "stream_interval": .interval, "stream_state": .state,
        "next_page_token": .nextPageToken,
        "session_token": .sessionToken, "creation_response": .job, "polling_response": .job, "download_target": .job,
    ]

    private mutating func set(_ name: String, _ value: JinjaValue) {
        scopes[scopes.count - 1][name] = value
    }

    /// Changes a list or a mapping where it is kept. One that has no name of its own is forgotten.
    mutating func keep(_ value: JinjaValue, at place: JinjaExpression) throws(JinjaError) {
        switch place.kind {
        case .name(let name):
            guard let index = scopes.lastIndex(where: { $0[name] != nil }) else { return }
            scopes[index][name] = undecided == 0 ? value : .operation("if-block", [])
        case .attribute(let base, let member):
            try keep(try changed(try self.value(base), .text(member), to: value), at: base)
        case .item(let base, let key):
            try keep(try changed(try self.value(base), try self.value(key), to: value), at: base)
        default: break
        }
    }

    private mutating func changed(
        _ base: JinjaValue, _ key: JinjaValue, to value: JinjaValue
    ) throws(JinjaError) -> JinjaValue {
        switch (base, key) {
        case (.mapping(let members), _): return try made(.mapping(members.setting(try string(key), to: value)))
        case (.list(var values), .integer(let index)):
            let place = index < 0 ? values.count &+ index : index
            guard values.indices.contains(place) else { return base }
            values[place] = value
            return try made(.list(values))
        default: return base
        }
    }

    // MARK: Statements

    private mutating func run(_ statements: [JinjaStatement], into pieces: inout [JinjaValue]) throws(JinjaError) {
        for statement in statements {
            try spend()
            switch statement {
            case .data(let text): pieces.append(.text(text))
            case .output(let expression): pieces.append(try value(expression))
            case .set(.names(let names), let expression): try set(names, try value(expression))
            case .set(.attribute(let name, let member), let expression):
                let base = value(ofName: name)
                try keep(
                    try changed(base, .text(member), to: try value(expression)), at: try JinjaExpression(.name(name)))
            case .setBlock(let name, let body):
                var inner: [JinjaValue] = []
                try run(body, into: &inner)
                set(name, try concatenated(inner))
            case .branches(let branches, let changes): try run(branches, changes, into: &pieces)
            case .loop(let loop): try run(loop, into: &pieces)
            }
        }
    }

    /// Names whose values are decided later are those of a statement that waits.
    private mutating func wait(_ statement: JinjaValue, _ changes: Set<String>, into pieces: inout [JinjaValue]) {
        pieces.append(statement)
        for name in changes {
            let index = scopes.lastIndex { $0[name] != nil } ?? scopes.count - 1
            scopes[index][name] = statement
        }
    }

    private mutating func run(
        _ branches: [(test: JinjaExpression?, body: [JinjaStatement])], _ changes: Set<String>,
        into pieces: inout [JinjaValue]
    ) throws(JinjaError) {
        for (test, body) in branches {
            let test = try test.map { (test) throws(JinjaError) in try value(test) } ?? .bool(true)
            guard let holds = truth(of: test) else {
                return wait(try waiting("if-block", [test]), changes, into: &pieces)
            }
            if holds { return try run(body, into: &pieces) }
        }
    }

    private mutating func set(_ names: [String], _ value: JinjaValue) throws(JinjaError) {
        if names.count == 1 { return set(names[0], value) }
        guard case .list(let values) = value, values.count == names.count else {
            guard case .list = value else {
                for name in names { set(name, try waiting("item", [value, .text(name)])) }
                return
            }
            throw .value("as many values as names")
        }
        for (name, value) in zip(names, values) { set(name, value) }
    }

    private mutating func run(_ loop: JinjaStatement.Loop, into pieces: inout [JinjaValue]) throws(JinjaError) {
        let source = try value(loop.values)
        guard var values = try elements(of: source) else {
            return wait(try waiting("for-loop", [source]), loop.changes, into: &pieces)
        }
        if let condition = loop.condition {
            var chosen: [JinjaValue] = []
            for value in values {
                scopes.append([:])
                try set(loop.names, value)
                let test = try self.value(condition)
                scopes.removeLast()
                guard let holds = truth(of: test) else {
                    return wait(try waiting("for-loop", [source]), loop.changes, into: &pieces)
                }
                if holds { chosen.append(value) }
            }
            values = chosen
        }
        for (index, value) in values.enumerated() {
            try spend()
            scopes.append(["loop": Self.state(index, values.count)])
            try set(loop.names, value)
            try run(loop.body, into: &pieces)
            scopes.removeLast()
        }
        if values.isEmpty { try run(loop.otherwise, into: &pieces) }
    }

    /// The value of `loop`.
    private static func state(_ index: Int, _ count: Int) -> JinjaValue {
        .mapping([
            .init("index", .integer(index + 1)), .init("index0", .integer(index)), .init("first", .bool(index == 0)),
            .init("last", .bool(index == count - 1)), .init("length", .integer(count)),
        ])
    }

    /// Returns what a loop goes through; nil if it is known later.
    mutating func elements(of value: JinjaValue) throws(JinjaError) -> [JinjaValue]? {
        switch value {
        case .missing, .null: return []
        case .list(let values):
            try spend(values.count / 16)
            return values
        case .mapping(let members):
            try spend(members.count)
            return members.map { .text($0.name) }
        case .text(let text):
            try spend(text.unicodeScalars.count)
            return text.unicodeScalars.map { .text(String(Character($0))) }
        case .later, .operation, .joined, .secret: return nil
        default: throw .value("a list is needed")
        }
    }
}

extension [JinjaValue.Member] {
    /// Returns the members with one that has another value, or that is new at the end.
    func setting(_ name: String, to value: JinjaValue) -> [JinjaValue.Member] {
        var members = self
        if let index = firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append(.init(name, value))
        }
        return members
    }
}
