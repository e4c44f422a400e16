import GarnerCatalog
import GarnerModel

extension JinjaEvaluator {
    mutating func call(_ callee: JinjaExpression, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        switch callee.kind {
        case .name(let name): return try function(name, arguments)
        case .attribute(let base, let method):
            guard Self.changingMethods.contains(method) else {
                return try self.method(method, try value(base), arguments)
            }
            return try change(base, method, arguments)
        default: throw .unknown("a call of a value")
        }
    }

    private mutating func function(_ name: String, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        let first = arguments.all.first ?? .missing
        switch name {
        case "now_utc", "now_local": return .now(.init())
        // Zones other than UTC are taken for UTC.
        case "today_utc", "today_with_timezone": return .now(.init(format: "%Y-%m-%d", isDay: true))
        case "day_delta": return try dayDelta(arguments)
        case "duration":
            guard case .text(let text) = first else { return try waitingOrWrong("duration", arguments) }
            let duration = try JinjaTime.duration(of: text)
            return duration.months == 0 ? .duration(duration.seconds) : .calendarDuration(duration)
        case "format_datetime": return try formatDatetime(arguments)
        case "str_to_datetime":
            switch first {
            case .missing, .null, .now: return first
            default: return first.isKnown ? .time(try instant(of: first)) : try waiting("time", [first])
            }
        case "timestamp": return try timestamp(first)
        case "max", "min": return try extreme(name, arguments.all)
        case "generate_uuid": return .operation("uuid", [])
        case "sanitize_url":
            guard try isKnown(first) else { return try waiting(name, [first]) }
            return .text(
                try spend(on: PercentEncoding.encoded(try spend(on: try string(first))).replacing("%20", with: "+")))
        case "camel_case_to_snake_case":
            guard try isKnown(first) else { return try waiting(name, [first]) }
            return .text(try spend(on: try spend(on: try string(first)).inSnakeCase))
        case "range": return try range(arguments)
        case "namespace", "dict":
            guard arguments.values.isEmpty else { throw .unknown(name) }
            try spend(arguments.named.count * arguments.named.count / 16)
            return try made(.mapping(arguments.named.reduce(into: []) { $0 = $0.setting($1.name, to: $1.value) }))
        default: throw .unknown(name)
        }
    }

    /// An operation if one of the arguments is known later, else an error.
    func waitingOrWrong(_ name: String, _ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        guard arguments.all.allSatisfy(\.isKnown) else { return .operation(name, arguments.all) }
        throw .value("'\(name)' does not take this value")
    }

    // MARK: Times

    /// Reads a time that is known.
    mutating func instant(of value: JinjaValue, format: String? = nil) throws(JinjaError) -> Int {
        switch value {
        case .time(let time): return time
        case .number(let seconds):
            guard let whole = Int(exactly: (seconds * 1e6).rounded(.towardZero)) else { break }
            return try JinjaTime.instant(whole, after: 0)
        default: break
        }
        return try JinjaTime.instant(of: try string(value), format: format)
    }

    private mutating func dayDelta(_ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        guard case .integer(let days)? = arguments[0, "num_days"] else {
            return try waitingOrWrong("day_delta", arguments)
        }
        var format = "%Y-%m-%dT%H:%M:%S.%f%z"
        if case .text(let text)? = arguments[1, "format"] { format = text }
        return .now(.init(offset: try Self.exact(days.multipliedReportingOverflow(by: 86_400)), format: format))
    }

    private mutating func formatDatetime(_ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        let value = arguments[0, "dt"] ?? .missing
        let format = arguments[1, "format"] ?? .null
        guard case .text(let pattern) = format else {
            guard format.isKnown else { return try waiting("format_datetime", [value, format]) }
            throw .value("'format_datetime' needs a format")
        }
        if case .now(let now) = value {
            return .now(.init(offset: now.offset, months: now.months, format: pattern, isDay: now.isDay))
        }
        guard value != .missing, value != .null, try isKnown(value) else {
            return try waiting("format_datetime", [value, format])
        }
        var input: String?
        if case .text(let text)? = arguments[2, "input_format"] { input = text }
        let instant = try instant(of: value, format: input)
        return .text(try spend(on: try JinjaTime.text(of: instant, in: try spend(on: pattern))))
    }

    private mutating func timestamp(_ value: JinjaValue) throws(JinjaError) -> JinjaValue {
        switch value {
        case .now(let now): return .now(.init(offset: now.offset, months: now.months, format: "%s", isDay: now.isDay))
        case .integer: return value
        case .number(let number):
            guard let integer = Int(exactly: number.rounded(.towardZero)) else {
                throw .value("a number is out of range")
            }
            return .integer(integer)
        case .missing, .null: break
        default:
            guard value.isKnown else { break }
            return .integer(Int(Int64(try instant(of: value)).flooredDivision(by: 1_000_000).quotient))
        }
        return try waiting("format_datetime", [value, .text("%s")])
    }

    // MARK: Lists

    /// Evaluates `max` and `min`, of a list or of the arguments.
    mutating func extreme(_ name: String, _ arguments: [JinjaValue]) throws(JinjaError) -> JinjaValue {
        var values = arguments
        if arguments.count == 1 {
            guard case .list(let list) = arguments[0] else {
                return try waitingOrWrong(name, Arguments(values: arguments, named: []))
            }
            values = list
        }
        try spend(values.count / 16)
        for index in values.indices { values[index] = try known(values[index]) }
        guard values.allSatisfy(\.isKnown) else { return try waiting(name, values) }
        if values.contains(where: { if case .time = $0 { true } else { false } }) {
            for index in values.indices { values[index] = .time(try instant(of: values[index])) }
        }
        guard var found = values.first else { throw .value("'\(name)' of nothing") }
        for value in values.dropFirst() {
            let isBetter = try name == "max" ? precedes(found, value) : precedes(value, found)
            if isBetter { found = value }
        }
        return found
    }

    private mutating func range(_ arguments: Arguments) throws(JinjaError) -> JinjaValue {
        var numbers: [Int] = []
        for value in arguments.all {
            guard let number = value.integral else { return try waitingOrWrong("range", arguments) }
            numbers.append(number)
        }
        guard (1...3).contains(numbers.count) else { throw .value("'range' takes one to three numbers") }
        let (start, end) = numbers.count == 1 ? (0, numbers[0]) : (numbers[0], numbers[1])
        let step = numbers.count == 3 ? numbers[2] : 1
        guard step != 0 else { throw .value("the step of a range is 0") }
        var values: [JinjaValue] = []
        for number in stride(from: start, to: end, by: step) {
            try spend()
            values.append(.integer(number))
        }
        return .list(values)
    }
}
