package import GarnerJSON

extension Paginator {
    /// A paginator that reads the next page's cursor from the body, and sends it as a parameter.
    package struct Cursor: CursorPaging {
        package static let type = "cursor"
        /// The places of the cursor. The first that has one counts.
        package var cursorPaths: [Selector]
        package var cursorParam: ParameterPlace
        /// The place of a value that is false on the last page.
        package var hasMorePath: Selector?
        package var firstCursor: String?

        package init(
            cursorPath: Selector, cursorParam: ParameterPlace = "cursor", hasMorePath: Selector? = nil,
            firstCursor: String? = nil
        ) {
            self.init(cursorPaths: [cursorPath], cursorParam: cursorParam, hasMorePath: hasMorePath)
            self.firstCursor = firstCursor
        }

        package init(cursorPaths: [Selector], cursorParam: ParameterPlace = "cursor", hasMorePath: Selector? = nil) {
            self.cursorPaths = cursorPaths
            self.cursorParam = cursorParam
            self.hasMorePath = hasMorePath
        }

        static let keys = Keys(
            Cursor(cursorPath: "$"),
            Key(
                "cursor_path", ValueFormat<Selector>.jsonPath.alternatives, to: \.cursorPaths,
                required: "add 'cursor_path: $.next_cursor'",
                "The JSONPath of the next cursor, or a list of which the first that has one counts."),
            Key("cursor_param", .parameter, to: \.cursorParam, "The parameter for the cursor; default: cursor."),
            Key(
                "first_cursor", .optional(.firstCursor), to: \.firstCursor,
                "The cursor of the first page, which has none by default."),
            Key(
                "has_more_path", .optional(.jsonPath), to: \.hasMorePath,
                "The JSONPath of a value that is false on the last page.")
        ) { _, mapping, method in
            method.hasMorePath?.refuseFlagOfEnd(at: mapping["has_more_path"])
        }

        package var evidence: PagingEvidence { .body }

        package var wayOn: (key: String, paths: [Selector])? { ("cursor_path", cursorPaths) }

        package func next(after page: PageView) -> Following {
            let flag = page.flag(at: hasMorePath)
            if flag?.isLast == true { return .end }
            let isBehindOthers = page.locator.value(of: cursorParam) != nil || page.recordCount == 0
            let sign = page.sign(at: cursorPaths) { path, node in
                // The value of a record may be any number.
                !"\(path)".contains("[-1]") && node.isNoCursor(behindOthers: isBehindOthers)
            }
            guard let sign else {
                if case .notUnderstood(let place, let node) = flag { return .notUnderstood(place: place, node) }
                return .end
            }
            guard sign.node.pagingText != nil || canSend(sign.node) else { return .notUnderstood(sign) }
            return .request(page.locator.setting(cursorParam, to: BodyValue(sign.node)))
        }

        /// Returns true for an array or object that a body takes as it is, such as Elasticsearch's `search_after` and
        /// DynamoDB's `ExclusiveStartKey`.
        private func canSend(_ cursor: Node) -> Bool {
            switch cursorParam {
            case .body, .placeholder(takesAnyValue: true): cursor.kind == .array || cursor.kind == .object
            case .query, .placeholder: false
            }
        }

        package func places(on page: PageView) -> NamedPlaces? {
            let flag = page.flag(at: hasMorePath)
            return NamedPlaces(
                nodes: (cursorPaths + [hasMorePath].compactMap(\.self)).compactMap(page.node),
                saysLast: flag?.isLast == true, saysMore: flag?.isMore == true)
        }
    }
}

extension Paginator.Kind {
    package static func cursor(_ method: Paginator.Cursor) -> Self { Self(method) }
}

extension Selector {
    /// Names of values that are true on the last page. Taken for a flag of more pages, the first `false` would end the read.
    private static let flagsOfEnd: Set = [
        "end", "endoflist", "eof", "finished", "isend", "islast", "islastpage", "last", "lastpage", "nomore",
    ]

    /// Fails for the path of a value that is true on the last page.
    func refuseFlagOfEnd(at value: YAMLValue?) {
        let name = "\(self)".split { ".[]'".contains($0) }.last.map { $0.lowercased().filter(\.isLetter) } ?? ""
        guard Self.flagsOfEnd.contains(name) else { return }
        value?.fail(
            "'has_more_path' is false on the last page, and \(self) seems to be true there",
            hint: "write last_when: \(self) == true instead")
    }
}

/// A paginator that sends a cursor as a parameter, wherever it reads the next one.
protocol CursorPaging: ConfiguredPaging {
    var cursorParam: ParameterPlace { get set }
    /// The cursor of the first page; nil to send none.
    var firstCursor: String? { get }
}

extension CursorPaging {
    package func first(from locator: PageLocator) -> PageLocator {
        firstCursor.map { locator.setting(cursorParam, to: .text(.literal($0))) } ?? locator
    }

    package var placeholder: PagePlaceholder? { .cursor }

    package func placed(at place: ParameterPlace) -> Self {
        var method = self
        method.cursorParam = place
        return method
    }
}

extension ValueFormat where Value == String {
    /// The cursor of a first page, into which nothing is filled.
    static var firstCursor: Self {
        text { reader, value in
            guard let text = reader.name(value) else { return nil }
            let unknown = Template.unknownNames(in: text).first.map { "{\($0.prefix(60))}" }
            guard let placeholder = Template(text).placeholders.first.map({ "\($0)" }) ?? unknown else { return text }
            return value.failed(
                "'\(value.name)' holds '\(placeholder)', and nothing is filled in there",
                hint: "write the cursor itself, such as first_cursor: \"*\"")
        }
    }
}
