import GarnerFetcher
import Foundation
import GarnerModel
import SimulatedAPIs
import TestSupport

/// The answer of a simulated API, with bad manners.
struct BadAnswer: Sendable {
    private(set) var reply: APIReply
    /// The connection's end, in the place of an answer.
    private(set) var error: TransportError?
    /// The records that are in it.
    private(set) var given: Set<Int> = []
    /// The records that are no longer there, as it turns out.
    private(set) var gone: Set<Int> = []
    /// The manners that it shows.
    private(set) var shown: [Manner.Kind] = []

    private let shape: APIShape
    private let cut: PageCutting.Cut?
    /// The number of the page, from 1.
    private let page: Int
    /// The number of the last page of the whole list.
    private let lastPage: Int
    private let isLast: Bool
    private let isBehind: Bool
    /// The body without its records; nil if it is none of the API's.
    private var tree: AnswerTree?
    private var records: [AnswerTree] = []
    /// The body as the API gave it, to be left as it is where nothing is changed.
    private var original: (tree: AnswerTree?, records: [AnswerTree]) = (nil, [])
    private var isGzip = false
    /// True if a redirect led to this answer.
    private var isElsewhere = false
    private static let login = "/v1/login"

    /// - Parameters:
    ///   - list: the records that the server has.
    ///   - attempt: counts from 1 how often it was asked for the same.
    ///   - now: the server's time.
    init(
        of api: SimulatedAPI, _ shape: APIShape, to request: APIRequest, _ list: [Int], _ manners: [Manner],
        attempt: Int, now: Timestamp
    ) {
        self.shape = shape
        var (request, list) = (request, list)
        let zero = manners.first { $0.kind == .fromZero }.flatMap { _ in shape.pageParameter }
        let number = zero.flatMap { request[$0] }.flatMap { Int($0) }
        if let zero, let number { request = request.setting(zero, to: number + 1) }
        let whole = list
        for manner in manners where manner.kind == .truncated || manner.kind == .cutShort {
            list = Array(list.prefix(manner.cut))
        }
        // A redirect may lead to a few of the records, which look like all.
        let leadsToFew = manners.contains { $0.kind == .redirects && !$0.words.value.isEmpty }
        if request.path == Self.login, leadsToFew { list = Array(list.prefix(3)) }
        let cutting = PageCutting(Self.rule(of: manners, shape))
        var (reply, cut) = APIShape.ask(api, request, list, cutting)
        if let manner = manners.first(where: { $0.kind == .falseEnd || $0.kind == .lastLink }), let asked = cut,
            asked.start / max(asked.size, 1) + 1 == manner.page, !asked.isLast
        {
            (reply, cut) = APIShape.ask(api, request, Array(list.prefix(asked.start + asked.size)), cutting)
            shown.append(manner.kind)
        }
        lastPage = (whole.count - 1) / shape.size + 1
        (self.reply, self.cut) = (reply, cut)
        if list.count < whole.count { shown += manners.map(\.kind).filter { $0 == .cutShort } }
        page = cut.map { max($0.start, 0) / max($0.size, 1) + 1 } ?? 0
        (isLast, isBehind) = (cut?.isLast ?? false, cut.map { $0.ids.isEmpty && $0.start > 0 } ?? false)
        if reply.status < 300 { given = Set(cut?.ids ?? []) }
        if let smaller = manners.first(where: { $0.kind == .smaller }), let cut, page >= smaller.page, cut.size > 1 {
            shown.append(.smaller)
        }
        takeApart()
        for manner in manners { show(manner, attempt, now) }
        if let zero { countFromZero(zero, number ?? 0, manners) }
        putTogether()
        // What is said of the whole comes last.
        isElsewhere = request.path == Self.login
        for manner in manners { replace(manner, attempt, now) }
    }

    var response: Response {
        let bytes = Array(reply.body.utf8)
        guard isGzip else { return reply.response }
        return reply.response(
            of: Gzip.stored(Array(bytes.prefix(bytes.count / 2))) + Gzip.stored(Array(bytes.dropFirst(bytes.count / 2)))
        )
    }

    /// The answer in a line.
    var told: String {
        if let error { return "\(error)" }
        let headers = reply.headers.map { ", \($0.0): \($0.1)" }.joined()
        return "\(reply.status)\(headers), \(reply.body.isEmpty ? "no body" : Self.shortened(reply.body))"
    }

    /// A body whose records are named by the first and the last few characters of their list.
    private static func shortened(_ body: String) -> String {
        body.count <= 420 ? body : "\(body.prefix(200)) … \(body.suffix(200))"
    }

    private static func rule(of manners: [Manner], _ shape: APIShape) -> PageCutting.Rule {
        let smaller = manners.first { $0.kind == .smaller }
        let givesLastAgain = manners.contains { $0.kind == .lastAgain }
        let stuck = manners.first { $0.kind == .stuck }.map { max($0.page, 2) - 1 }
        return { start, size, total in
            var cut = (start: start, size: size)
            if let stuck, size > 0, start >= stuck * size, start < total { cut.start = (stuck - 1) * size }
            if givesLastAgain, start >= total, total > 0, size > 0 { cut.start = (total - 1) / size * size }
            if let smaller, size > 1, start >= (smaller.page - 1) * size {
                cut.size = size / 2
                if shape.isNumbered { cut.start = cut.start / size * cut.size }
            }
            return cut
        }
    }

    private mutating func takeApart() {
        guard let parsed = AnswerTree(reply.body), let list = parsed[shape.list] else { return }
        if case .list(let elements) = list { records = elements } else if !list.isNothing { return }
        tree = parsed
        if !records.isEmpty { tree?.set(shape.list, to: .list([])) }
        original = (tree, records)
    }

    private mutating func putTogether() {
        guard var tree, (tree, records) != original else { return }
        // What a server writes for an empty list stays.
        if !records.isEmpty || isMap { tree.set(listPlace, to: isMap ? .map(records) : .list(records)) }
        reply.body = tree.text
    }

    /// The place of the records, which may have been renamed.
    private var listPlace: AnswerTree.Path {
        guard let tree, tree[shape.list] == nil, let elsewhere else { return shape.list }
        return elsewhere
    }

    private var elsewhere: AnswerTree.Path?
    /// True if the records are the members of an object, which names them by numbers.
    private var isMap = false
}

// What shows in the JSON and the header fields.
extension BadAnswer {
    private mutating func show(_ manner: Manner, _ attempt: Int, _ now: Timestamp) {
        let before = (tree, reply.headers.map { $0.0 + $0.1 }, records)
        let (name, value) = manner.words
        let isThere = page >= manner.page
        switch manner.kind {
        case .partial where tree != nil:
            setTotals { "\($0 - manner.times)" }
            if page == manner.page, !records.isEmpty {
                drop(manner.times)
                set([name], value)
            }
        case .refusedOnce where manner.times > 1 && page == manner.page - 1 && !isLast:
            let all = given
            drop(1)
            gone = all.subtracting(given)
        case .truncated where isLast || isBehind: set([name], value)
        case .oddEnd where isLast:
            for path in shape.nexts where tree?[path].map(\.isNothing) ?? true { set(path, value) }
        case .oddNext where isThere && !isLast:
            if tree?.isObject == true { for path in shape.nexts { set(path, value) } }
            setHeader("Link") { link in
                let next = link.split(separator: ",").first { $0.contains("rel=\"next\"") }
                return next.map { String($0).replacing("\"next\"", with: manner.linkRelation) } ?? link
            }
        case .vague where isThere && !isLast:
            for path in shape.nexts { removeNext(path) }
            reply.headers.removeAll { $0.0 == "Link" || $0.0 == "X-Next-Page" }
            if name.first?.isUppercase == true, name != "LastEvaluatedKey" {
                reply.headers.append((name, value))
            } else if tree?.isObject == true {
                set([name], value)
            } else {
                reply.headers.append(("X-Next-Cursor", "x7"))
            }
        case .lastLink where reply.status == 200 && (manner.times == 1 || page < manner.page): nameLastPage(name)
        case .stuck where page >= max(manner.page, 2) && cut.map { $0.start < $0.total } ?? false: shown.append(.stuck)
        case .oddTotal: setTotals { [start = cut?.start ?? 0] in Self.total($0, as: value, from: start) }
        case .wrongTotal: setTotals { "\(min($0, manner.cut))" }
        case .twins where page > 1:
            for index in records.indices where !index.isMultiple(of: 2) {
                records[index] = records[index - 1]
                records[index].set(["twin"], to: .plain("true"))
            }
        case .renamed where isThere: rename(to: name)
        case .elsewhere where isThere && tree?[shape.list] != nil:
            if !manner.isInPlace {
                tree?.rename(shape.list, to: "objects")
                elsewhere = shape.list.dropLast() + ["objects"]
            }
            if !name.isEmpty { set([name], "[]") }
            isMap = manner.isMap
        default: break
        }
        if before != (tree, reply.headers.map { $0.0 + $0.1 }, records) { shown.append(manner.kind) }
    }

    /// Removes a place of the next page, and the objects that then have nothing: an empty one says that this is the last page.
    private mutating func removeNext(_ path: AnswerTree.Path) {
        tree?.set(path, to: nil)
        let owner = path.dropLast()
        if !owner.isEmpty, tree?[owner]?.isNothing == true { removeNext(Array(owner)) }
    }

    /// Names the last page by a link.
    private mutating func nameLastPage(_ name: String) {
        guard let parameter = shape.pageParameter else { return }
        let target = "https://api.example.test/v1/x?\(parameter)=\(lastPage)"
        switch name {
        case "Link":
            guard let place = reply.headers.firstIndex(where: { $0.0 == "Link" }) else {
                return reply.headers.append(("Link", "<\(target)>; rel=\"last\""))
            }
            if !reply.headers[place].1.contains("rel=\"last\"") {
                reply.headers[place].1 += ", <\(target)>; rel=\"last\""
            }
        case "_links": set(["_links", "last"], #"{"href":"\#(target)"}"#)
        default: set(["links", "last"], "\"\(target)\"")
        }
    }

    private static func total(_ total: Int, as value: String, from start: Int) -> String {
        switch value {
        case "text": "\"\(total)\""
        case "rest": "\(max(total - start, 0))"
        default: value
        }
    }

    private mutating func set(_ path: AnswerTree.Path, _ value: String) {
        tree?.set(path, to: AnswerTree(value) ?? .plain(value))
    }

    /// Leaves records out of the middle of the page.
    private mutating func drop(_ count: Int) {
        let count = min(count, records.count)
        let places = ((records.count - count) / 2)..<((records.count + count) / 2)
        guard let ids = cut?.ids, ids.count == records.count else { return }
        records.removeSubrange(places)
        given.subtract(ids[places])
    }

    private mutating func setTotals(_ body: (Int) -> String) {
        for path in shape.totals { if let total = tree?[path]?.integer { set(path, body(total)) } }
        for header in shape.totalHeaders { setHeader(header) { Int($0).map(body)?.replacing("\"", with: "") ?? $0 } }
    }

    private mutating func setHeader(_ name: String, _ body: (String) -> String) {
        for index in reply.headers.indices where reply.headers[index].0 == name {
            reply.headers[index].1 = body(reply.headers[index].1)
        }
    }

    /// Renames the objects around the list, or makes one of the members that stand beside it.
    private mutating func rename(to name: String) {
        guard let wrapper = shape.wrappers.first(where: { tree?[[$0]] != nil }) else {
            for marker in shape.markers {
                guard let value = tree?[[marker]] else { continue }
                tree?.set([marker], to: nil)
                tree?.set([name, marker], to: value)
            }
            return
        }
        tree?.rename([wrapper], to: name)
    }

    /// Names pages from 0 in links and in the number of the page, and tells which lies before.
    private mutating func countFromZero(_ parameter: String, _ number: Int, _ manners: [Manner]) {
        guard let manner = manners.first(where: { $0.kind == .fromZero }) else { return }
        let words = manner.words
        // Else a total tells of the first page, too.
        if manner.form.isMultiple(of: 2) { setTotals { _ in "null" } }
        let names = [parameter, parameter.replacing("[", with: "%5B").replacing("]", with: "%5D")]
        func lowered(_ text: String) -> String {
            names.reduce(text) { text, name in text.replacing("\(name)=\(number + 2)", with: "\(name)=\(number + 1)") }
        }
        let leaves = tree?.leaves(outside: shape.list) ?? []
        for path in leaves {
            guard let value = tree?[path], case .plain(let text) = value else { continue }
            let names = ["page", "number", "nextPage", "prevPage"]
            let page = names.contains(path.last ?? "") ? value.integer : nil
            set(path, page.map { "\($0 - 1)" } ?? lowered(text))
        }
        setHeader("Link", lowered)
        setHeader("X-Next-Page") { Int($0).map { "\($0 - 1)" } ?? $0 }
        guard number > 0 else { return }
        shown.append(.fromZero)
        if tree?.isObject == true {
            set([words.name], words.name == "has_previous" ? "true" : "\(number - 1)")
        } else if reply.status == 200 {
            let link = "<https://api.example.test/v1/x?\(names[1])=\(number - 1)>; rel=\"prev\""
            if reply.headers.contains(where: { $0.0 == "Link" }) {
                setHeader("Link") { "\($0), \(link)" }
            } else {
                reply.headers.append(("Link", link))
            }
        }
    }
}

// What comes in the place of the whole answer, or is done to it.
extension BadAnswer {
    private mutating func replace(_ manner: Manner, _ attempt: Int, _ now: Timestamp) {
        let (name, value) = manner.words
        let isNow =
            page == manner.page && attempt <= manner.times || page == manner.page && manner.times >= Manner.always
        switch manner.kind {
        case .closes where isNow:
            (error, given) = (name == "closed" ? .closed : .lostConnection(answerBegan: false), [])
        case .waits where isNow: wait(name, value, now)
        case .accepts where isNow: answer(with: value, 202)
        case .refuses where isNow:
            // With the empty list at its place, or without any. A word that is no refusal by itself stands beside a list, else it
            // might be a record.
            let needsList =
                ["errcode", "isError", "throttled", "failed"].contains(name) || name == "error" && value == "1"
            let hasList = manner.form.isMultiple(of: 2) || value == "\"maintenance\"" || needsList
            var body = hasList ? emptyBody ?? .object([]) : .object([])
            body.set([name], to: AnswerTree(value))
            body.set(["message"], to: AnswerTree("\"the server is busy\""))
            answer(with: body.text, 200)
        case .redirects where isElsewhere && !value.isEmpty: break
        case .redirects where isElsewhere:
            setTotals { _ in "0" }
            answer(with: (emptyBody ?? .list([])).text, 200)
        case .redirects where isNow: answer(with: "", Int(name) ?? 302, [("Location", Self.login)])
        case .nothingBehind where isBehind, .refusedOnce where page == manner.page && attempt == 1:
            answer(with: value == Manner.nullInPlace ? bodyOfNull : value, Int(name) ?? 200)
        case .missingPage where page == manner.page && page > 1 && cut?.ids.isEmpty == false:
            answer(with: #"{"message":"no such page"}"#, Int(name) ?? 404)
        case .blanks: for header in reply.headers { setHeader(header.0) { "\($0) \t" } }
        case .gzip where !reply.body.isEmpty: isGzip = true
        case .lastAgain where cut.map { $0.start >= $0.total && !$0.ids.isEmpty } ?? false: break
        default: return
        }
        shown.append(manner.kind)
    }

    /// The body without records and without a next page; nil if it is none of the API's.
    private var emptyBody: AnswerTree? {
        var body = tree
        for path in shape.nexts where body?[path] != nil { body?.set(path, to: nil) }
        if body?[listPlace] != nil { body?.set(listPlace, to: .list([])) }
        return body
    }

    /// The API's body with null in the place of its list, and a total of 0.
    private var bodyOfNull: String {
        mutating get {
            setTotals { _ in "0" }
            var body = emptyBody ?? .plain("null")
            body.set(listPlace, to: .plain("null"))
            return body.text
        }
    }

    /// Gives another answer, without records.
    private mutating func answer(with body: String, _ status: Int, _ headers: [(String, String)] = []) {
        (reply.body, reply.status, reply.headers, given) = (body, status, headers, [])
    }

    private mutating func wait(_ status: String, _ way: String, _ now: Timestamp) {
        let reset = now.millisecondsSince1970 + 5000
        let headers: [(String, String)] =
            switch way {
            case "decimal": [("Retry-After", "5.2")]
            case "date": [("Date", Self.date(now)), ("Retry-After", Self.date(now.advanced(by: .seconds(6))))]
            case "reset": [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "\(reset / 1000)")]
            case "microseconds": [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "\(reset * 1000)")]
            case "milliseconds": [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "\(reset)")]
            default: [("Retry-After", "3")]
            }
        answer(with: #"{"message":"slow down"}"#, Int(status) ?? 429, headers)
    }

    /// The date of a header field (RFC 9110, 5.6.7).
    private static func date(_ time: Timestamp) -> String {
        let date = Date(timeIntervalSince1970: Double(time.millisecondsSince1970 / 1000))
        let style = Date.VerbatimFormatStyle(
            format: """
                \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
                \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
                """, locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt,
            calendar: Calendar(identifier: .gregorian))
        return date.formatted(style)
    }
}
