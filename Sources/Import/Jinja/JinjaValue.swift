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

    package struct Now: Hashable, Sendable {
        /// Seconds after the time of the read; less than 0 for a time before it.
        package var offset = 0
        /// The pattern in which it is written, such as `%Y-%m-%d`; nil if it is a value of the type datetime.
        package var format: String?
        /// True if it is a day without a time.
        package var isDay = false

        package init(offset: Int = 0, format: String? = nil, isDay: Bool = false) {
            (self.offset, self.format, self.isDay) = (offset, format, isDay)
        }
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
        case .missing, .null, .bool, .integer, .number, .text, .time, .duration: true
        case .list(let values): values.allSatisfy(\.isKnown)
        case .mapping(let members): members.allSatisfy(\.value.isKnown)
        case .secret, .now, .later, .operation, .joined: false
        }
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
