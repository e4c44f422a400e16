import GarnerCatalog

extension JinjaEvaluator {
    private static let filters: Set<String> = [
        "abs", "base64decode", "base64encode", "capitalize", "count", "first", "float", "int", "items", "join", "last",
        "length", "list", "lower", "map", "max", "min", "reject", "replace", "reverse", "round", "safe", "select",
        "sort",
        "string", "sum", "title", "tojson", "trim", "unique", "upper", "urlencode",
    ]
    /// Filters that a text may wait for, and that are not computed here.
    private static let laterFilters: Set<String> = [
        "base64binascii_decode", "hash", "hmac", "regex_replace", "regex_search",
    ]

    mutating func filter(_ name: String, _ value: JinjaValue, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        if name == "default" || name == "d" { return try byDefault(value, arguments) }
        guard Self.filters.contains(name) || Self.laterFilters.contains(name) else { throw .unknown(name) }
        switch (value, name) {
        case (.now, "string"), (.now, "trim"), (.now, "safe"), (.joined, "string"), (.joined, "safe"),
            (.secret, "string"), (.secret, "trim"), (.secret, "safe"):
            return value
        case (.joined(let pieces), "trim") where pieces.first?.isTrimmed == true && pieces.last?.isTrimmed == true:
            return value
        case (.later, "string"), (.later, "safe"), (.operation, "string"), (.operation, "safe"):
            return try waiting("string", [value])
        case (.list(let values), _):
            if let result = try ofList(name, values, arguments) { return result }
        default: break
        }
        guard try isKnown(value), arguments.all.allSatisfy(\.isKnown) else {
            return try waiting("|" + name, [value] + arguments.all)
        }
        switch name {
        case "int", "float", "abs", "round": return try number(name, value, arguments)
        case "length", "count":
            switch value {
            case .missing, .null: return .integer(0)
            case .text(let text): return .integer(try spend(on: text).unicodeScalars.count)
            case .mapping(let members): return .integer(members.count)
            default: throw .value("'\(name)' needs a text or a list")
            }
        case "first", "last", "list", "join", "map", "select", "reject", "reverse", "sort", "unique", "sum", "max",
            "min":
            if name == "reverse", case .text(let text) = value {
                return .text(String(String.UnicodeScalarView(try spend(on: text).unicodeScalars.reversed())))
            }
            guard let elements = try elements(of: value), let result = try ofList(name, elements, arguments) else {
                throw .value("'\(name)' does not take this value")
            }
            return result
        case "items":
            guard case .mapping(let members) = value else { return .list([]) }
            return try made(.list(members.map { .list([.text($0.name), $0.value]) }))
        case "tojson":
            var text = PythonText(longest: Self.longestText, style: .json)
            try text.write(value)
            return .text(try spend(on: text.text))
        case "urlencode": return .text(try spend(on: try urlEncoded(value)))
        case _ where Self.laterFilters.contains(name): throw .unknown(name)
        default: return try ofText(name, try spend(on: try string(value)), arguments)
        }
    }

    private mutating func byDefault(_ value: JinjaValue, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        let otherwise = arguments[0, "default_value"] ?? .text("")
        let takesFalse = truth(of: arguments[1, "boolean"] ?? .bool(false)) == true
        switch truth(of: value) {
        case nil: return try waiting(keepsDefaults && takesFalse ? "or" : "default", [value, otherwise])
        case false? where takesFalse || value == .missing: return otherwise
        default: return value
        }
    }

    private mutating func number(
        _ name: String, _ value: JinjaValue, _ arguments: Arguments
    ) throws(JinjaError) -> JinjaValue {
        if value == .missing { return try missing("|" + name, [value]) }
        var number = value.double
        if case .text(let text) = value {
            let text = text.trimmingSpace()
            if name == "int", let integer = Int(text) { return .integer(integer) }
            if text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) { number = Double(text) }
        }
        switch name {
        case "int":
            if let integer = value.integral { return .integer(integer) }
            if case .duration(let seconds) = value.withoutMonths { return .integer(seconds / 86_400) }
            guard let number, number.isFinite else { return arguments[0, "default"] ?? .integer(0) }
            guard let integer = Int(exactly: number.rounded(.towardZero)) else {
                throw .value("a number is out of range")
            }
            return .integer(integer)
        case "float": return number.map { .number($0) } ?? arguments[0, "default"] ?? .number(0)
        case "abs":
            guard let integer = value.integral else { return .number(try numeric(number).magnitude) }
            return integer < 0 ? try negative(.integer(integer)) : .integer(integer)
        default:
            let digits = arguments[0, "precision"]?.integral ?? 0
            if let integer = value.integral, arguments[1, "method"] == nil { return .integer(integer) }
            guard (0...9).contains(digits) else { throw .value("'round' takes up to nine digits") }
            let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
            let rule: FloatingPointRoundingRule =
                switch arguments[1, "method"] {
                case .text("ceil")?: .up
                case .text("floor")?: .down
                default: .toNearestOrEven
                }
            return .number((try numeric(number) * scale).rounded(rule) / scale)
        }
    }

    private func numeric(_ number: Double?) throws(JinjaError) -> Double {
        guard let number else { throw .value("a number is needed") }
        return number
    }

    private mutating func urlEncoded(_ value: JinjaValue) throws(JinjaError) -> String {
        guard case .mapping(let members) = value else {
            return PercentEncoding.encoded(try spend(on: try string(value))).replacing("%2F", with: "/")
        }
        var pairs: [String] = []
        for member in members {
            pairs.append(PercentEncoding.encoded(member.name) + "=" + PercentEncoding.encoded(try string(member.value)))
        }
        return pairs.joined(separator: "&")
    }

    private mutating func ofText(_ name: String, _ text: String, _ arguments: Arguments) throws(JinjaError)
        -> JinjaValue
    {
        switch name {
        case "string", "safe": return .text(text)
        case "trim":
            guard case .text(let characters)? = arguments[0, "chars"] else { return .text(text.trimmingSpace()) }
            return .text(text.trimmingSpace(of: characters))
        case "lower": return .text(try spend(on: text.lowercased()))
        case "upper": return .text(try spend(on: text.uppercased()))
        case "title": return .text(try spend(on: text.withCapitalWords))
        case "capitalize": return .text(try spend(on: text.capitalized))
        case "replace":
            guard let old = arguments[0, "old"], let new = arguments[1, "new"] else {
                throw .value("'replace' needs two texts")
            }
            return .text(
                try replaced(text, try string(old), by: try string(new), most: arguments[2, "count"]?.integral))
        case "base64encode": return .text(try spend(on: JinjaBase64.encoded(text)))
        case "base64decode":
            guard let decoded = JinjaBase64.decoded(text) else { throw .value("a text is no Base64") }
            return .text(decoded)
        default: throw .unknown(name)
        }
    }

    // MARK: Lists

    /// Returns nil if the elements have to be known, or if it is no filter of lists.
    private mutating func ofList(
        _ name: String, _ values: [JinjaValue], _ arguments: Arguments
    ) throws(JinjaError) -> JinjaValue? {
        try spend(values.count / 16)
        switch name {
        case "length", "count": return .integer(values.count)
        case "first": return values.first ?? .missing
        case "last": return values.last ?? .missing
        case "list": return try made(.list(values))
        case "reverse": return try made(.list(values.reversed()))
        case "join":
            let separator = try string(arguments[0, "d"] ?? .text(""))
            guard let attribute = arguments[1, "attribute"] else {
                return try joined(.list(values), by: separator, isStrict: false)
            }
            return try joined(try attributes(attribute, of: values), by: separator, isStrict: false)
        case "map":
            if let attribute = arguments.named.first(where: { $0.name == "attribute" })?.value {
                return try attributes(attribute, of: values)
            }
            guard case .text(let filter)? = arguments.values.first else { throw .value("'map' needs a filter") }
            guard filter != "map" else { throw .unknown("map of map") }
            let rest = Arguments(values: Array(arguments.values.dropFirst()), named: arguments.named)
            var mapped: [JinjaValue] = []
            for value in values {
                try spend()
                mapped.append(try self.filter(filter, value, rest))
            }
            return try made(.list(mapped))
        case "select", "reject":
            var kept: [JinjaValue] = []
            for value in values {
                try spend()
                var test = value
                if case .text(let name)? = arguments.values.first {
                    test = try self.test(name, value, Arguments(values: Array(arguments.values.dropFirst()), named: []))
                }
                guard let holds = truth(of: test) else { return nil }
                if holds == (name == "select") { kept.append(value) }
            }
            return try made(.list(kept))
        case "unique", "sort", "sum", "max", "min":
            guard try isKnown(.list(values)) else { return nil }
            return try ofKnownList(name, values, arguments)
        default: return nil
        }
    }

    private mutating func attributes(_ name: JinjaValue, of values: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        var found: [JinjaValue] = []
        for value in values {
            try spend()
            var value = value
            for step in try string(name).parts(between: ".") {
                value = try item(value, Int(step).map { .integer($0) } ?? .text(step))
            }
            found.append(value)
        }
        return try made(.list(found))
    }

    private mutating func ofKnownList(
        _ name: String, _ values: [JinjaValue], _ arguments: Arguments
    ) throws(JinjaError) -> JinjaValue {
        switch name {
        case "sum":
            var sum = JinjaValue.integer(0)
            for value in values { sum = try arithmetic(.add, sum, value) }
            return sum
        case "max", "min": return values.isEmpty ? .missing : try extreme(name, [.list(values)])
        case "unique":
            var found: [JinjaValue] = []
            for value in values {
                try spend(1 + found.count / 16)
                var isNew = true
                for other in found where try equal(other, value) { isNew = false }
                if isNew { found.append(value) }
            }
            return .list(found)
        default:
            // An insertion sort is stable, and may throw.
            var sorted: [JinjaValue] = []
            let isReversed = truth(of: arguments[0, "reverse"] ?? .bool(false)) == true
            for value in values {
                try spend(1 + sorted.count / 16)
                var place = sorted.count
                while place > 0,
                    try isReversed ? precedes(sorted[place - 1], value) : precedes(value, sorted[place - 1])
                {
                    place -= 1
                }
                sorted.insert(value, at: place)
            }
            return .list(sorted)
        }
    }
}

extension JinjaValue {
    /// True for a piece of a text that surely has no white space at its ends.
    fileprivate var isTrimmed: Bool {
        switch self {
        case .secret, .now: true
        case .text(let text): text == text.trimmingSpace()
        default: false
        }
    }
}
