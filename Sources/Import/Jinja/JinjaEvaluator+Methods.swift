import GarnerModel

extension JinjaEvaluator {
    mutating func method(_ name: String, _ base: JinjaValue, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        if name == "get" { return try get(base, arguments) }
        switch base {
        case .missing, .null: return .missing
        case .now(let now): return try method(name, of: now, arguments)
        case .time(let time): return try method(name, of: time, arguments)
        case .duration(let seconds):
            guard name == "total_seconds" else { throw .unknown(".\(name)") }
            return .number(Double(seconds))
        case .calendarDuration: return try method(name, base.withoutMonths, arguments)
        case .mapping(let members): return try method(name, of: members)
        case .text(let text):
            guard Self.textMethods.contains(name) else { throw .unknown(".\(name)") }
            for argument in arguments.all where !(try isKnown(argument)) {
                guard case .list? = arguments.all.first, name == "join" else {
                    guard name == "format" else { return try waiting("." + name, [base] + arguments.all) }
                    break
                }
            }
            return try method(name, of: try spend(on: text), arguments)
        case .later, .operation, .joined, .secret: return try waiting("." + name, [base] + arguments.all)
        case .bool, .integer, .number, .list: throw .unknown(".\(name)")
        }
    }

    private mutating func get(_ base: JinjaValue, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        guard let key = arguments.values.first else { throw .value("'get' needs a name") }
        let otherwise = arguments.values.count > 1 ? arguments.values[1] : nil
        switch base {
        case .mapping:
            let found = try item(base, key)
            return found == .missing ? otherwise ?? .null : found
        case .later, .operation:
            let found = try item(base, key)
            if keepsDefaults, found.bare.later?.root == .record, otherwise != .mapping([]) {
                return try waiting("default", [found, otherwise ?? .null])
            }
            guard let otherwise, truth(of: otherwise) != false else { return found }
            return try waiting("default", [found, otherwise])
        case .missing, .null: return otherwise ?? .missing
        default: return try waitingOrWrong("get", Arguments(values: [base] + arguments.values, named: []))
        }
    }

    /// Changes a list or a mapping, and returns nothing.
    mutating func change(
        _ place: JinjaExpression, _ method: String, _ arguments: Arguments
    ) throws(JinjaError) -> JinjaValue {
        let base = try value(place)
        let added = arguments.values.first ?? .missing
        switch (method, base, added) {
        case ("append", .list(let values), _):
            // The list itself was counted when it was made.
            _ = try made(added)
            try keep(.list(values + [added]), at: place)
        case ("extend", .list(let values), _):
            guard let more = try elements(of: added) else { return try waiting(".extend", [base, added]) }
            try keep(try made(.list(values + more)), at: place)
        case ("update", .mapping(let members), .mapping(let more)):
            try spend(members.count * more.count / 16)
            let all = (more + arguments.named.map { .init($0.name, $0.value) })
                .reduce(into: members) { $0 = $0.setting($1.name, to: $1.value) }
            try keep(try made(.mapping(all)), at: place)
        case (_, .missing, _), (_, .null, _): return .missing
        case (_, .later, _), (_, .operation, _), (_, _, .later), (_, _, .operation):
            return try waiting("." + method, [base] + arguments.all)
        default: throw .value("'\(method)' does not take this value")
        }
        return .null
    }

    private mutating func method(_ name: String, of members: [JinjaValue.Member]) throws(JinjaError) -> JinjaValue {
        switch name {
        case "keys": try made(.list(members.map { .text($0.name) }))
        case "values": try made(.list(members.map(\.value)))
        case "items": try made(.list(members.map { .list([.text($0.name), $0.value]) }))
        default: throw .unknown(".\(name)")
        }
    }

    // MARK: Times

    private mutating func method(
        _ name: String, of now: JinjaValue.Now, _ arguments: Arguments
    ) throws(JinjaError) -> JinjaValue {
        func written(_ format: String) -> JinjaValue {
            .now(.init(offset: now.offset, months: now.months, format: format, isDay: now.isDay))
        }
        switch (name, arguments.values.first) {
        case ("strftime", .text(let format)?): return written(format)
        case ("isoformat", _): return written(now.isDay ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%S+00:00")
        case ("timestamp", _): return written("%s")
        case ("date", _): return .now(.init(offset: now.offset, months: now.months, format: "%Y-%m-%d", isDay: true))
        case ("replace", nil) where arguments.named.allSatisfy({ ["microsecond", "tzinfo"].contains($0.name) }):
            return .now(now)
        case ("replace", nil)
        where ["hour", "minute", "second"].allSatisfy({ part in arguments.named.contains { $0.name == part } })
            && arguments.named.allSatisfy({
                $0.name == "tzinfo"
                    || ["hour", "minute", "second", "microsecond"].contains($0.name) && $0.value == .integer(0)
            }):
            return .now(.init(offset: now.offset, months: now.months, format: now.format, isDay: true))
        default: return try waiting("." + name, [.now(now)] + arguments.all)
        }
    }

    private mutating func method(_ name: String, of time: Int, _ arguments: Arguments) throws(JinjaError) -> JinjaValue
    {
        switch (name, arguments.values.first) {
        case ("strftime", .text(let format)?):
            return .text(try spend(on: try JinjaTime.text(of: time, in: try spend(on: format))))
        case ("isoformat", _): return .text(JinjaTime.text(of: time, separator: "T"))
        case ("timestamp", _): return .number(Double(time) / 1e6)
        case ("date", _): return .text(try JinjaTime.text(of: time, in: "%Y-%m-%d"))
        case ("replace", nil):
            var parts = JinjaTime.partNames.map { JinjaTime.part($0, of: time) ?? 0 }
            for (name, value) in arguments.named where name != "tzinfo" {
                guard let place = JinjaTime.partNames.firstIndex(of: name), let number = value.integral else {
                    return try waitingOrWrong(".replace", arguments)
                }
                parts[place] = number
            }
            guard let changed = JinjaTime.instant(of: parts) else { throw .value("the calendar has no such time") }
            return .time(changed)
        default: throw .unknown(".\(name)")
        }
    }

    // MARK: Texts

    private static let textMethods: Set<String> = [
        "split", "replace", "lower", "upper", "strip", "lstrip", "rstrip", "startswith", "endswith", "join", "format",
        "title", "capitalize",
    ]

    private mutating func method(_ name: String, of text: String, _ arguments: Arguments) throws(JinjaError)
        -> JinjaValue
    {
        func argument(_ place: Int, _ name: String = "") throws(JinjaError) -> String? {
            switch arguments[place, name] {
            case .text(let text)?: return try spend(on: text)
            case nil, .null?: return nil
            default: throw .value("'\(name)' needs a text")
            }
        }
        switch name {
        case "lower": return .text(try spend(on: text.lowercased()))
        case "upper": return .text(try spend(on: text.uppercased()))
        case "title": return .text(try spend(on: text.inTitleCase))
        case "capitalize": return .text(try spend(on: text.capitalized))
        case "strip": return .text(text.trimmingSpace(of: try argument(0)))
        case "lstrip": return .text(text.trimmingSpace(.leading, of: try argument(0)))
        case "rstrip": return .text(text.trimmingSpace(.trailing, of: try argument(0)))
        case "split":
            let most = arguments[1, "maxsplit"].map { $0.integral ?? -1 } ?? -1
            let separator = try argument(0, "sep")
            guard separator != "" else { throw .value("'split' at nothing") }
            let limit = most < 0 ? Int.max : most
            try spend(onSearching: text, for: separator ?? "")
            let parts = separator.map { text.parts(between: $0, most: limit) } ?? text.words(most: limit)
            return try made(.list(parts.map { .text($0) }))
        case "replace":
            guard let old = try argument(0), let new = try argument(1) else {
                throw .value("'replace' needs two texts")
            }
            return .text(try replaced(text, old, by: new, most: arguments[2, "count"]?.integral))
        case "startswith", "endswith":
            let affixes = try texts(arguments.values.first ?? .missing)
            for affix in affixes {
                let isThere =
                    name == "startswith"
                    ? text.utf8.starts(with: affix.utf8) : text.utf8.reversed().starts(with: affix.utf8.reversed())
                if isThere { return .bool(true) }
            }
            return .bool(false)
        case "join": return try joined(arguments.values.first ?? .missing, by: text, isStrict: true)
        default: return try formatted(text, arguments)
        }
    }

    private func texts(_ value: JinjaValue) throws(JinjaError) -> [String] {
        let values = if case .list(let values) = value { values } else { [value] }
        let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard texts.count == values.count else { throw .value("a text is needed") }
        return texts
    }

    mutating func replaced(
        _ text: String, _ old: String, by new: String, most: Int? = nil
    ) throws(JinjaError) -> String {
        guard !old.isEmpty else { throw .value("'replace' of nothing") }
        try spend(onSearching: text, for: old)
        let parts = text.parts(between: old, most: most.map { $0 < 0 ? .max : $0 } ?? .max)
        try spend(parts.count / 16)
        let (added, overflows) = new.utf8.count.multipliedReportingOverflow(by: parts.count - 1)
        guard !overflows, added <= Self.longestText else { throw .limit }
        return try spend(on: parts.joined(separator: new))
    }

    /// Joins the elements of a list. Those that are known later stay pieces of the text.
    mutating func joined(_ list: JinjaValue, by separator: String, isStrict: Bool) throws(JinjaError) -> JinjaValue {
        guard let elements = try elements(of: list) else { return try waiting("|join", [list, .text(separator)]) }
        var pieces: [JinjaValue] = []
        var length = 0
        for (index, element) in elements.enumerated() {
            let isText = if case .text = element { true } else { !element.isKnown }
            guard isText || !isStrict else { throw .value("'join' takes texts only") }
            if index > 0 { pieces.append(.text(separator)) }
            pieces.append(element)
            length += separator.utf8.count
            guard length <= Self.longestText else { throw .limit }
        }
        return try concatenated(pieces)
    }

    /// Evaluates `format` with `{}`, `{0}` and `{name}`.
    private mutating func formatted(_ text: String, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        var pieces: [JinjaValue] = []
        var rest = text.unicodeScalars[...]
        var count = 0
        while let bracket = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            pieces.append(.text(String(rest[..<bracket])))
            let sign = rest[bracket]
            rest = rest[bracket...].dropFirst()
            if rest.first == sign {
                pieces.append(.text(String(Character(sign))))
                rest = rest.dropFirst()
                continue
            }
            guard sign == "{", let end = rest.firstIndex(of: "}") else { throw .value("a format is wrong") }
            let name = String(rest[..<end])
            rest = rest[end...].dropFirst()
            guard !name.unicodeScalars.contains(where: { ":!.[{".unicodeScalars.contains($0) }) else {
                throw .unknown("{\(name)}")
            }
            let place = name.isEmpty ? count : Int(name) ?? -1
            if name.isEmpty { count += 1 }
            guard let value = arguments[place, name] else { throw .value("a format has more places than values") }
            pieces.append(value)
        }
        return try concatenated(pieces + [.text(String(rest))])
    }
}
