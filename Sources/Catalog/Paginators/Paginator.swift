package import GarnerJSON

/// The rule by which the request of the next page follows from a page.
package struct Paginator: Sendable, Equatable {
    package var kind: Kind
    package var limits: PageLimits

    package init(_ kind: Kind = .auto, limits: PageLimits = PageLimits()) {
        self.kind = kind
        self.limits = limits
    }

    /// A paging method with its settings, such as `.pageNumber(.init(basePage: 0))`.
    package struct Kind: Sendable, Equatable {
        let configured: any ConfiguredPaging

        package var method: any PagingMethod { configured }

        init(_ method: some ConfiguredPaging) { configured = method }

        package static func == (left: Kind, right: Kind) -> Bool { left.configured.equals(right.configured) }
    }

    /// All paging methods, in the order of the documentation. A new one needs its file, and its line here.
    private static let variants: [Variant<Paginator>] = [
        variant(Auto.self),
        variant(SinglePage.self),
        variant(JSONLink.self),
        variant(HeaderLink.self),
        variant(HeaderCursor.self),
        variant(Cursor.self),
        variant(Offset.self),
        variant(PageNumber.self),
    ]
}

extension Paginator {
    static let format = ValueFormat.variants(variants, implied: Auto.type, hint: "write paginator: { type: auto }")

    private static func variant<Method: ConfiguredPaging>(_ method: Method.Type) -> Variant<Paginator> {
        let limits = Method.self == SinglePage.self ? PageLimits.keysOfOnePage : PageLimits.keys
        return Variant(
            type: Method.type, fields: Method.keys.fields + limits.fields,
            read: { reader, mapping in
                let (method, limits) = (Method.keys.read(reader, mapping), limits.read(reader, mapping))
                guard let method, let limits else { return nil }
                return Paginator(Kind(method), limits: limits)
            },
            show: { paginator in
                (paginator.kind.method as? Method).map { Method.keys.show($0) + limits.show(paginator.limits) }
            }, example: Method.keys.example)
    }
}

extension Paginator {
    /// The keys and values as a file has them. A value that is not set is left out.
    var effectiveValues: [(String, EffectiveConfiguration.Value)] {
        if case .members(let members) = Self.format.show(self) { members } else { [] }
    }
}

/// The limits of paging, which apply to all responses.
package struct PageLimits: Sendable, Equatable {
    package var maxPages: Int?
    /// True if an empty page is the last one, even if it announces more. With nil the read ends there too, but does not
    /// count as complete.
    package var stopsAfterEmptyPage: Bool?
    /// True if a next URL may have another scheme, host or port.
    package var allowsOtherOrigins: Bool
    /// True if the server's numbers of all records or pages count something else.
    package var ignoresTotal: Bool
    /// The places of values that the server always gets wrong, and that say nothing of the pages.
    package var ignored: [Selector]
    /// The names of header fields of which the same is true.
    package var ignoredHeaders: [String]
    /// The condition on an answer that the last page meets. `@` and `$` are both the answer.
    package var lastWhen: FilterExpression?

    package init(
        maxPages: Int? = nil, stopsAfterEmptyPage: Bool? = nil, allowsOtherOrigins: Bool = false,
        ignoresTotal: Bool = false, ignored: [Selector] = [], ignoredHeaders: [String] = [],
        lastWhen: FilterExpression? = nil
    ) {
        self.ignored = ignored
        self.ignoredHeaders = ignoredHeaders
        self.maxPages = maxPages
        self.stopsAfterEmptyPage = stopsAfterEmptyPage
        self.allowsOtherOrigins = allowsOtherOrigins
        self.ignoresTotal = ignoresTotal
        self.lastWhen = lastWhen
    }
}

extension PageLimits {
    /// A value of an answer, by its JSONPath, or a field of its head, by its name.
    fileprivate enum Place: Sendable, CustomStringConvertible {
        case body(Selector)
        case header(String)

        var description: String {
            switch self {
            case .body(let path): path.description
            case .header(let name): name
            }
        }
    }

    fileprivate var ignoredPlaces: [Place] {
        get { ignored.map(Place.body) + ignoredHeaders.map(Place.header) }
        set {
            ignored = newValue.compactMap { if case .body(let path) = $0 { path } else { nil } }
            ignoredHeaders = newValue.compactMap { if case .header(let name) = $0 { name } else { nil } }
        }
    }

    private static let ignored = Key(
        "ignore",
        ValueFormat<Place>.text { reader, value in
            value.text()?.hasPrefix("$") == false
                ? reader.headerName(value).map(Place.header) : reader.selector(value).map(Place.body)
        }.list(hint: "write a list of JSONPaths and names of headers, such as [\"$.truncated\"]") {
            $0.isEmpty ? .nothing : .value(.list($0.map(\.description)))
        }, to: \PageLimits.ignoredPlaces,
        "The JSONPaths and headers that the server always gets wrong, so that they say nothing of the pages.")

    /// The keys that also hold where there is one page.
    static let keysOfOnePage = Keys(PageLimits(), ignored)

    static let keys = Keys(
        PageLimits(), ignored,
        Key("max_pages", .optional(.integer(1...Int.max)), to: \.maxPages, "The maximum number of pages per read."),
        Key(
            "stop_after_empty_page", .optional(.flag, unset: .automatic), to: \.stopsAfterEmptyPage,
            "Treat an empty page as the last, even if it announces more."),
        Key(
            "allow_cross_origin", .flag, to: \.allowsOtherOrigins,
            "Allow the next page to be at another scheme, host or port."),
        Key(
            "ignore_total", .setFlag, to: \.ignoresTotal,
            "Ignore the server's total, because it is wrong."),
        Key(
            "last_when", .optional(.text { $0.conditionOnAnswer($1, example: "$.last == true") }), to: \.lastWhen,
            "The condition that the last answer meets, such as $.last == true."))
}

extension ConfigurationReader {
    /// Reads a condition that few answers meet. A member alone is refused: it would be there in others, too.
    func conditionOnAnswer(_ value: YAMLValue, example: String, otherwise: String = "") -> FilterExpression? {
        guard let condition = filter(value, example: example, otherwise: otherwise) else { return nil }
        guard condition.asksForPresence else { return condition }
        return value.failed(
            "'\(value.name)' asks only whether there is such a member, whatever its value",
            hint: "compare it with the value that it has in the answers that are meant, such as \(example)")
    }
}

extension ValueFormat where Value == Bool {
    /// A flag that is shown only if it is true. Reads that began before the flag existed can then go on.
    static var setFlag: Self {
        Self(schema: .flag, read: { $1.flag() }, show: { $0 ? .value(.flag(true)) : .nothing })
    }
}

extension Paginator {
    /// A paginator that detects the next page in each response: in the Link header, the usual places of a next URL, or
    /// the usual cursors.
    struct Auto: ConfiguredPaging {
        static let type = "auto"
        static let keys = Keys(Auto())

        var evidence: PagingEvidence { .response }

        func next(after page: PageView) -> Following { .asShown }
    }

    struct SinglePage: ConfiguredPaging {
        static let type = "single_page"
        static let keys = Keys(SinglePage())

        var evidence: PagingEvidence { .none }

        func next(after page: PageView) -> Following { .end }
    }
}

extension Paginator.Kind {
    package static let auto = Self(Paginator.Auto())
    package static let singlePage = Self(Paginator.SinglePage())
}
