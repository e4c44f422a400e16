import GarnerCatalog

/// Translates what is done with answers that are no pages.
extension StreamTranslation {
    func translateAnswers(_ handler: ManifestNode?) {
        var actions: [AnswerAction] = []
        for handler in Self.handlers(handler, depth: 0) {
            guard !loseCode(handler, "an error handler", effect: .differs) else { continue }
            for strategy in handler["backoff_strategies"]?.list ?? [] {
                attempt(at: strategy) { try noteWaiting(strategy) }
            }
            for filter in handler["response_filters"]?.list ?? [] {
                attempt(at: filter) { actions += try self.actions(of: filter) }
            }
        }
        // An action that Garner takes anyway is not written, unless a later one would count instead.
        var kept: [AnswerAction] = []
        for action in actions.prefix(Self.mostActions).reversed()
        where !action.isUsual || kept.contains(where: action.precedes) {
            kept.insert(action, at: 0)
        }
        var written: [FileValue] = []
        for action in kept where !written.contains(action.value) { written.append(action.value) }
        if !written.isEmpty { stream["response_actions"] = .list(written) }
    }

    private static let mostActions = 500

    private static func handlers(_ handler: ManifestNode?, depth: Int) -> [ManifestNode] {
        guard let handler, handler.isMapping, depth < 20 else { return [] }
        guard handler.type == "CompositeErrorHandler" else { return [handler] }
        return (handler["error_handlers"]?.list ?? []).flatMap { handlers($0, depth: depth + 1) }
    }

    /// Times to wait that Garner finds by itself are no loss.
    private func noteWaiting(_ strategy: ManifestNode) throws {
        guard !strategy.isCustom else {
            return lose(.waitingTime, strategy["class_name"]?.text ?? "custom code", at: strategy)
        }
        guard ["WaitTimeFromHeader", "WaitUntilTimeFromHeader"].contains(strategy.type),
            let header = try knownText(strategy["header"], of: strategy)
        else { return }
        let known = ["retry-after", "x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset"]
        if !known.contains(header.lowercased()) { lose(.waitingTime, String(header.prefix(60)), at: strategy) }
    }

    private struct AnswerAction {
        enum Test: Hashable {
            case status(Int)
            case text(String)
            case condition(String)
        }

        let test: Test
        let action: String

        /// True for what Garner does without being told.
        var isUsual: Bool {
            guard case .status(let status) = test else { return false }
            let isRepeated = [408, 425, 429, 500, 502, 503, 504].contains(status)
            return action == "fail" && status >= 400 || action == "retry" && isRepeated
                || action == "accept" && (200..<300).contains(status)
        }

        /// True if another action would count for some of the answers without this one.
        func precedes(_ other: AnswerAction) -> Bool {
            if case .status(let status) = other.test, test != .status(status) { return false }
            return action != other.action
        }

        var value: FileValue {
            var keys = FileMapping()
            switch test {
            case .status(let status): keys["status"] = .int(status)
            case .text(let text): keys["body_contains"] = .text(text)
            case .condition(let condition): keys["when"] = .text(condition)
            }
            keys["action"] = .text(action)
            return .mapping(keys)
        }
    }

    /// Returns an action for each of the tests of a filter, of which one is enough.
    private func actions(of filter: ManifestNode) throws -> [AnswerAction] {
        let word = (filter["action"]?.text ?? "FAIL").uppercased()
        let actions = [
            "FAIL": "fail", "RETRY": "retry", "RATE_LIMITED": "retry", "SUCCESS": "accept", "IGNORE": "ignore",
        ]
        guard let action = actions[word] else {
            // A refused token is renewed in any case.
            if word == "REFRESH_TOKEN_THEN_RETRY" { return [] }
            throw LossError(.responseFilter, String(word.prefix(40)), at: filter)
        }
        var tests: [AnswerAction.Test] = []
        for code in filter["http_codes"].map({ $0.isList ? $0.list : [$0] }) ?? [] {
            guard let status = try known(code, of: filter).integerValue, (100...599).contains(status) else { continue }
            tests.append(.status(status))
        }
        if let text = try knownText(filter["error_message_contains"], of: filter) {
            tests.append(.text(text.doublingDollars))
        }
        if let predicate = filter["predicate"], !predicate.isNull {
            let effect: Loss.Effect = action == "retry" ? .none : .differs
            if let test = try condition(predicate, of: filter, effect) { tests.append(test) }
        }
        return tests.map { AnswerAction(test: $0, action: action == "ignore" && ends($0) ? "end" : action) }
    }

    private func condition(
        _ predicate: ManifestNode, of filter: ManifestNode, _ effect: Loss.Effect
    ) throws -> AnswerAction.Test? {
        do {
            let value = try value(predicate, of: filter)
            guard !value.isFalsy else { return nil }
            // A text in the body, or in one of its texts.
            if let parts = value.bare.arguments(of: "in"), parts.count == 2, case .text(let text) = parts[0],
                let later = parts[1].bare.later, later.root == .response
            {
                return .text(text.doublingDollars)
            }
            let condition = RecordCondition(root: .response, sign: "$", code: .responseFilter)
            return try condition.text(value).map { .condition($0) }
        } catch let error as LossError {
            throw LossError(.responseFilter, error.loss.detail, at: predicate, effect: effect)
        } catch let error as JinjaError {
            throw LossError(.responseFilter, error.words, at: predicate, effect: effect)
        }
    }

    /// True for an answer that says that the list had ended before: to a page that is counted, and no refusal.
    private func ends(_ test: AnswerAction.Test) -> Bool {
        let retriever = node["retriever"]
        let strategy = retriever?["paginator"]?["pagination_strategy"]?.type ?? ""
        guard strategy == "PageIncrement" || strategy == "OffsetIncrement", parents.isEmpty else { return false }
        guard case .status(let status) = test else { return false }
        return [400, 404, 416, 422].contains(status)
    }
}
