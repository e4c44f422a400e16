/// A value of a Jinja expression of which only the configuration is known.
///
/// A value that depends on answers, records or the time stays a tree. A translation turns it into a placeholder of Garner, or
/// names it as a loss.
package indirect enum JinjaValue: Hashable, Sendable {
    /// A name that nothing has a value for.
    case missing
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JinjaValue])
    /// The members in their order; each name once.
    case mapping([Member])
    /// An instant that the configuration tells, in microseconds since 1970.
    case time(Int)
    /// A length of time in seconds.
    case duration(Int)
    /// A length of time with months, whose days the calendar decides.
    case calendarDuration(CalendarDuration)
    /// A secret of the configuration: the name of the environment variable that will hold it.
    case secret(String)
    /// The time of the read, with a length of time added to it.
    case now(Now)
    /// A value of the request, the answer or the record: `response.paging.next` is of the root `response`.
    case later(Later)
    /// A function, filter, operator or test that has to wait for its arguments.
    case operation(String, [JinjaValue])
    /// A text of pieces, at least one of which is known later or is secret.
    case joined([JinjaValue])

    package struct Member: Hashable, Sendable {
        package let name: String
        package var value: JinjaValue

        package init(_ name: String, _ value: JinjaValue) { (self.name, self.value) = (name, value) }
    }

    package struct CalendarDuration: Hashable, Sendable {
        package var months: Int
        /// The seconds beside the months, which count after them.
        package var seconds: Int

        package init(months: Int, seconds: Int = 0) { (self.months, self.seconds) = (months, seconds) }

        /// In seconds, with months of 30 and years of 365 days.
        package var usual: Int { length(month: 30, year: 365) }
        /// In seconds, with months of 31 and years of 366 days.
        package var longest: Int { length(month: 31, year: 366) }

        /// Saturates at the ends of `Int`.
        private func length(month: Int, year: Int) -> Int {
            let (days, isFar) = (months / 12).multipliedReportingOverflow(by: year * 86_400)
            let (sum, overflows) = (days &+ months % 12 * month * 86_400).addingReportingOverflow(seconds)
            guard isFar || overflows else { return sum }
            return (isFar ? months : seconds) < 0 ? .min : .max
        }
    }

    package struct Now: Hashable, Sendable {
        /// Seconds after the time of the read; less than 0 for a time before it.
        package var offset = 0
        /// Months that count before the offset.
        package var months = 0
        /// The pattern in which it is written, such as `%Y-%m-%d`; nil if it is a value of the type datetime.
        package var format: String?
        /// True if it is a day without a time.
        package var isDay = false

        package init(offset: Int = 0, months: Int = 0, format: String? = nil, isDay: Bool = false) {
            (self.offset, self.months, self.format, self.isDay) = (offset, months, format, isDay)
        }

        /// How far it is from the time of the read.
        package var distance: CalendarDuration { CalendarDuration(months: months, seconds: offset) }
    }

    /// A place in something that is known later.
    package struct Later: Hashable, Sendable {
        package enum Root: String, Hashable, Sendable {
            case record, response, headers, state
            /// `stream_slice`, `stream_partition`.
            case slice
            /// `stream_interval`.
            case interval
            case nextPageToken = "next_page_token"
            case lastRecord = "last_record"
            case lastRecords = "last_records"
            case lastPageSize = "last_page_size"
            /// The token of a login, `session_token`.
            case sessionToken = "session_token"
            /// The answers of jobs, which nothing is made of.
            case job
        }

        package enum Step: Hashable, Sendable {
            case member(String)
            case index(Int)
        }

        package let root: Root
        package var steps: [Step]

        package init(_ root: Root, _ steps: [Step] = []) { (self.root, self.steps) = (root, steps) }
    }

    /// True if nothing in it waits, and nothing is secret.
    package var isKnown: Bool {
        switch self {
        case .missing, .null, .bool, .integer, .number, .text, .time, .duration, .calendarDuration: true
        case .list(let values): values.allSatisfy(\.isKnown)
        case .mapping(let members): members.allSatisfy(\.value.isKnown)
        case .secret, .now, .later, .operation, .joined: false
        }
    }

    /// The value, with the usual days for the months of a length of time.
    var withoutMonths: JinjaValue {
        if case .calendarDuration(let duration) = self { .duration(duration.usual) } else { self }
    }

    /// The value of a member of a mapping; `missing` for other values.
    package subscript(name: String) -> JinjaValue {
        guard case .mapping(let members) = self else { return .missing }
        return members.first { $0.name == name }?.value ?? .missing
    }
}

/// Why a Jinja text cannot be evaluated. It is told as a loss, with the line of the text.
package enum JinjaError: Error, Hashable {
    /// The text is no Jinja.
    case syntax(String)
    /// A function, filter, test or statement that is not in the closed list.
    case unknown(String)
    /// A value that the operation does not take, such as a time that cannot be read.
    case value(String)
    /// More than 10,000 steps, or a text of more than 64 KiB.
    case limit
}
