/// The rule by which the request of the next page follows from a page.
package struct Paginator: Sendable, Equatable {
    package var kind: Kind
    package var limits: PageLimits

    package init(_ kind: Kind = .auto, limits: PageLimits = PageLimits()) {
        self.kind = kind
        self.limits = limits
    }

    /// The choice of a `PagingMethod`. A new one needs its file, and a line in each of the three lists here.
    package enum Kind: Sendable, Equatable {
        case auto
        case singlePage
        case jsonLink(JSONLink)
        case headerLink(HeaderLink)
        case headerCursor(HeaderCursor)
        case cursor(Cursor)
        case offset(Offset)
        case pageNumber(PageNumber)

        package var method: any PagingMethod { configured }

        var configured: any ConfiguredPaging {
            switch self {
            case .auto: Auto()
            case .singlePage: SinglePage()
            case .jsonLink(let method): method
            case .headerLink(let method): method
            case .headerCursor(let method): method
            case .cursor(let method): method
            case .offset(let method): method
            case .pageNumber(let method): method
            }
        }
    }

    /// The variants in the order of the documentation.
    private static let variants: [Variant<Paginator>] = [
        variant { (_: Auto) in .auto },
        variant { (_: SinglePage) in .singlePage },
        variant { .jsonLink($0) },
        variant { .headerLink($0) },
        variant { .headerCursor($0) },
        variant { .cursor($0) },
        variant { .offset($0) },
        variant { .pageNumber($0) },
    ]
}

extension Paginator {
    static let format = ValueFormat.variants(variants, hint: "write paginator: { type: auto }")

    private static func variant<Method: ConfiguredPaging>(
        _ kind: @escaping @Sendable (Method) -> Kind
    ) -> Variant<Paginator> {
        let limits = Method.self == SinglePage.self ? Keys(PageLimits()) : PageLimits.keys
        return Variant(
            type: Method.type, fields: Method.keys.fields + limits.fields,
            read: { reader, mapping in
                let (method, limits) = (Method.keys.read(reader, mapping), limits.read(reader, mapping))
                guard let method, let limits else { return nil }
                return Paginator(kind(method), limits: limits)
            },
            show: { paginator in
                (paginator.kind.method as? Method).map { Method.keys.show($0) + limits.show(paginator.limits) }
            })
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

    package init(
        maxPages: Int? = nil, stopsAfterEmptyPage: Bool? = nil, allowsOtherOrigins: Bool = false,
        ignoresTotal: Bool = false
    ) {
        self.maxPages = maxPages
        self.stopsAfterEmptyPage = stopsAfterEmptyPage
        self.allowsOtherOrigins = allowsOtherOrigins
        self.ignoresTotal = ignoresTotal
    }
}

extension PageLimits {
    static let keys = Keys(
        PageLimits(),
        Key("max_pages", .optional(.integer(1...Int.max)), to: \.maxPages, "The maximum number of pages per read."),
        Key(
            "stop_after_empty_page", .optional(.flag, unset: .automatic), to: \.stopsAfterEmptyPage,
            "Treat an empty page as the last, even if it announces more."),
        Key(
            "allow_cross_origin", .flag, to: \.allowsOtherOrigins,
            "Allow the next page to be at another scheme, host or port."),
        Key(
            "ignore_total", .setFlag, to: \.ignoresTotal,
            "Ignore the server's total, because it is wrong."))
}

extension ValueFormat where Value == Bool {
    /// A flag that is shown only if it is true. Reads that began before the flag existed can then go on.
    fileprivate static var setFlag: Self {
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

    /// A paginator for a collection with one page.
    struct SinglePage: ConfiguredPaging {
        static let type = "single_page"
        static let keys = Keys(SinglePage())

        var evidence: PagingEvidence { .none }

        func next(after page: PageView) -> Following { .end }
    }
}
