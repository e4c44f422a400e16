import SimulatedAPIs
import TestSupport

/// A simulated API, the way in which it is read, and the bad manners that it has. A seed makes it.
struct MannersCase: Sendable, Equatable {
    enum Setup: Hashable, Sendable, CustomStringConvertible {
        /// Only the path.
        case alone
        /// What `garner init` writes.
        case initialized
        /// The line of that number that a person may have written.
        case line(Int)

        var description: String {
            switch self {
            case .alone: "alone"
            case .initialized: "init"
            case .line(let number): "line \(number + 1)"
            }
        }
    }

    enum Writing: String, CaseIterable, Sendable {
        case merge
        case hard = "delete_missing: hard"
        /// Nothing brakes it.
        case unbraked = "delete_missing: hard, max_delete_ratio: 1"
        case replace = "write_disposition: replace"
    }

    let seed: UInt64
    var api: Int
    var setup = Setup.alone
    var writing = Writing.merge
    /// True if a sync without bad manners has stored everything before.
    var knowsRows = true
    /// The numbers of records that go, and that come, after that sync.
    var gone = 0
    var added = 0
    var manners: [Manner] = []
    /// True if only a header field tells the next page.
    private var isByLink = false
    /// True if answers tell the next page.
    private var hasSign = false
    /// True if answers state how many records there are.
    private var statesTotal = false
    /// True if the parameter of a page counts from 1.
    private var isNumbered = false

    /// The number of syncs with bad manners.
    static let rounds = 2

    /// The ways to read an API.
    static func setups(of api: Int) -> [Setup] {
        [.alone, .initialized] + SimulatedAPI.all[api].lines.indices.map { .line($0) }
    }

    /// A case of an API with good manners.
    init(usual api: Int, _ setup: Setup) {
        (seed, self.api, self.setup, knowsRows) = (0, api, setup, false)
    }

    init(of seed: UInt64, _ shapes: [APIShape]) {
        var random = SplitMix64(seed: seed)
        self.seed = seed
        api = 0
        let count = [1, 1, 1, 2, 2, 3].randomElement(using: &random) ?? 1
        while manners.count < count {
            let manner = Manner(using: &random)
            let all = manners + [manner]
            // What overtakes is judged otherwise, and stands alone.
            let isAlone = manner.kind == .overtaking && !manners.isEmpty
            guard !isAlone, !manners.contains(where: { $0.kind == manner.kind }),
                let fitting = shapes.indices.filter({ api in all.allSatisfy { $0.suits(shapes[api]) } }).randomElement(
                    using: &random)
            else { continue }
            (manners, api) = (all, fitting)
            if overtakes { break }
        }
        isByLink = shapes[api].nexts.isEmpty
        hasSign = !shapes[api].nexts.isEmpty || shapes[api].hasLink
        isNumbered = shapes[api].pageParameter != nil
        statesTotal = !shapes[api].totals.isEmpty || !shapes[api].totalHeaders.isEmpty
        setup = Self.setups(of: api).randomElement(using: &random) ?? .alone
        writing = Writing.allCases.randomElement(using: &random) ?? .merge
        knowsRows = Int.random(in: 0..<4, using: &random) > 0
        if knowsRows, Int.random(in: 0..<3, using: &random) == 0 {
            gone = Int.random(in: 0...3, using: &random)
            added = Int.random(in: 0...2, using: &random)
        }
        // Nothing but its brake keeps a table that is replaced by a small part of a list.
        if has(.cutShort) || has(.stuck), seed.isMultiple(of: 2) { writing = .replace }
        // A merge keeps what overtakes hides.
        if overtakes, writing == .merge { writing = .unbraked }
        // A usual first sync is what they must not change.
        if manners.allSatisfy(\.isHarmless) { knowsRows = false }
        // A page that nothing announces may be refused as an end, or be empty, and numbered pages are requested ahead.
        if manners.contains(where: \.needsCounting) || (overtakes || has(.elsewhere)) && seed.isMultiple(of: 2),
            let line = shapes[api].countingLine
        {
            setup = .line(line)
        }
        // Nothing tells a read that takes records where they seem to be which place is null.
        if manners.contains(where: { $0.page == 1 && $0.kind == .refusedOnce && $0.words.value == Manner.nullInPlace })
        {
            setup = .initialized
        }
        // Only such a read asks what an object without a list is.
        if manners.contains(where: {
            $0.page == 1 && $0.kind == .refusedOnce && Manner.withoutList.contains($0.form % Manner.bodies.count)
        }) {
            (setup, knowsRows) = (.alone, true)
        }
        if needsRows { knowsRows = true }
    }

    var isHonest: Bool { manners.allSatisfy(isHonest) }

    /// Returns true if some answer of that sync shows what the server does. A redirect to records is known to the read after the first one.
    func isHonest(in round: Int) -> Bool {
        isHonest && (round == 1 || !manners.contains { $0.kind == .redirects && !$0.words.value.isEmpty })
    }

    /// Returns true if some answer of the read shows the manner.
    func isHonest(_ manner: Manner) -> Bool {
        switch manner.kind {
        case .falseEnd, .cutShort, .missingPage, .wrongTotal: false
        // No list in an answer is a fault, but null in the place of the list may be an empty list.
        case .refusedOnce where manner.words.name == "200":
            manner.page == 1 || manner.words.value != Manner.nullInPlace || knowsRows && writing != .merge
        // Behind a short page that announces nothing, a refusal is an end, and a read asks again only where rows are missing that it would
        // delete.
        case .refusedOnce:
            knowsRows && writing != .merge || manners.count == 1 && (manner.times == 1 || hasSign || statesTotal)
        // In mid-list, a sign under such a name may be another one than that of the page before, which is absent. The total of a capped
        // list alone tells.
        case .vague:
            (manner.page == 1 || manner.words.name.lowercased().contains("next")
                || ["about", "stream"].contains(manner.words.name))
                && !SimulatedAPI.all[api].isCapped
        // A last page says nothing of a page that is asked for without its number, as by a token. Where the links are others, too,
        // none names the last page.
        case .lastLink:
            manner.times == 1
                || SimulatedAPI.all[api].name != "Zoho CRM" && !(manner.words.name == "Link" && has(.oddNext))
        // Few records behind a redirect are other ones only where none led there before.
        case .redirects: manner.words.value.isEmpty || manner.page == 1 && knowsRows
        // The numbers of pages stay as they were, so that the total alone tells. Nothing tells of the only page that there is, nor where
        // only the last number is stated, or the last page comes again under a number behind it.
        case .smaller:
            !has(.oddTotal)
                && (statesTotal
                    || !lines.contains { $0.contains("single_page") } && !has(.lastAgain)
                        && SimulatedAPI.all[api].name != "pages from 0 with the last one")
        // A name that nobody knows, in mid-list: the next page was there before, and is absent now.
        // Nor does a short first page tell that the place which the configuration names is missing.
        // Of a capped list, the total tells.
        case .renamed:
            manner.page == 1 && !isByLine && !SimulatedAPI.all[api].isCapped
                || !["zed", "about"].contains(manner.words.name)
        // The total alone tells that a list is capped, and no page but the first that there is one, if 204 stands for all others.
        case .oddTotal, .fromZero:
            !SimulatedAPI.all[api].isCapped
                && !(manner.kind == .fromZero && has(.truncated) && SimulatedAPI.all[api].name == "Zoho CRM")
        // Many links are none to a page, unless the configuration says so, and a last page is ahead only by its number.
        case .oddNext where isByLink:
            switch manner.linkRelation {
            case "'next'", "\"next-page\"": true
            case "\"last\"": isNumbered
            default: lines.contains { $0.contains("header_link") }
            }
        // What init has found is the key that the configuration names.
        case .twins: setup != .initialized
        default: true
        }
    }

    var overtakes: Bool { has(.overtaking) }

    /// True if the table must have rows before. A first answer without a list may be the record that was asked for.
    var needsRows: Bool {
        overtakes
            || manners.contains {
                $0.isMap && ($0.page == 1 || has(.fromZero))
                    || $0.page == 1 && $0.kind == .refusedOnce && $0.words.value == Manner.nullInPlace
            }
    }

    private func has(_ kind: Manner.Kind) -> Bool { manners.contains { $0.kind == kind } }

    /// The API. Pages are requested ahead of others only behind the first few.
    var server: SimulatedAPI {
        var api = SimulatedAPI.all[api]
        if overtakes { api.count = 3 * api.count }
        return api
    }

    /// The lines of the stream beside its path.
    var lines: [String] {
        let written: [String] =
            switch setup {
            case .alone, .initialized: []
            case .line(let number): [SimulatedAPI.all[api].lines[number]]
            }
        return written + (writing == .merge ? [] : writing.rawValue.components(", "))
    }

    /// The case as people read it.
    var told: String {
        let name = SimulatedAPI.all[api].name
        var lines = ["  \(name) with \(server.count) records, read by \(setupTold), \(writing.rawValue)"]
        lines.append(
            knowsRows
                ? "  a sync without bad manners stores all; then \(gone) records go and \(added) come"
                : "  there is no table yet")
        lines += manners.map { "  \(isHonest($0) ? "" : "(a lie) ")\($0.told(isByLink: isByLink))" }
        return lines.joined(separator: "\n")
    }

    private var isByLine: Bool { if case .line = setup { true } else { false } }

    /// The name of a case of an API with good manners.
    var usualName: String { "\(SimulatedAPI.all[api].name), \(setup)" }

    private var setupTold: String {
        switch setup {
        case .alone: "path alone"
        case .initialized: "what garner init writes"
        case .line(let number): SimulatedAPI.all[api].lines[number]
        }
    }
}

extension Manner {
    /// How often each kind comes; twice if it is not here. Kinds come more often that have many forms, of which few answers show one, or
    /// that a rule meets in some of its cases only, so that 500 cases find a rule that is broken.
    private static let weights: [Kind: Int] = [
        .refuses: 15, .elsewhere: 6, .fromZero: 6, .truncated: 6, .overtaking: 12, .redirects: 8, .nothingBehind: 8,
        .lastAgain: 7, .stuck: 8, .refusedOnce: 12, .vague: 8, .lastLink: 6, .oddNext: 10, .renamed: 5, .partial: 6,
        .cutShort: 6,
    ]
    /// The forms of a refusal that are an object in which an object stands where a list is expected.
    static let withoutList = bodies.indices.filter { bodies[$0].value.hasSuffix("{}}") }
    private static let kinds = Kind.allCases.flatMap { Array(repeating: $0, count: weights[$0] ?? 2) }

    init(using random: inout SplitMix64) {
        kind = Self.kinds.randomElement(using: &random) ?? .partial
        page = Int.random(in: 1...5, using: &random)
        form = Int.random(in: 0..<60, using: &random)
        times = [1, 2, 3, Self.always].randomElement(using: &random) ?? 1
        if kind == .partial || kind == .truncated || kind == .cutShort { times = min(times, 3) }
        if kind == .redirects && !words.value.isEmpty || kind == .refusedOnce && Bool.random(using: &random) {
            page = 1
        }
        if kind == .refusedOnce, page == 1, Bool.random(using: &random) {
            form = Self.withoutList.randomElement(using: &random) ?? form
        }
        if kind == .missingPage || kind == .lastLink && times > 1 { page = max(page, 2) }
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator).map(String.init)
    }
}
