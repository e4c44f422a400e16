/// The rules by which a connector changes its settings before anything uses them.
struct SettingRules {
    /// The settings as the connector uses them.
    private(set) var config: JinjaValue
    /// The rules that cannot be applied to the settings.
    private(set) var losses: [Loss] = []

    private static let most = 200

    /// - Parameter rules: `spec.config_normalization_rules`; nil for none.
    init(_ rules: ManifestNode?, _ config: JinjaValue) {
        self.config = config
        let migrations = rules?["config_migrations"]?.list ?? []
        let all = migrations.flatMap { $0["transformations"]?.list ?? [] } + (rules?["transformations"]?.list ?? [])
        for rule in all.prefix(Self.most) {
            do {
                try apply(rule)
            } catch let error as LossError {
                losses.append(error.loss)
            } catch {
                losses.append(Loss(.jinja, (error as? JinjaError)?.words, line: rule.line, effect: .differs))
            }
        }
    }

    private mutating func apply(_ rule: ManifestNode) throws {
        if let condition = rule["condition"]?.text, !condition.isEmpty {
            var value = try value(of: condition)
            if case .secret = value { value = .bool(true) }
            guard value.isKnown else {
                throw LossError(.other, "a setting under a condition", at: rule, effect: .differs)
            }
            if value.isFalsy { return }
        }
        switch rule.type {
        case "ConfigAddFields":
            for field in rule["fields"]?.list.prefix(Self.most) ?? [] {
                guard let written = field["value"] else { continue }
                let value = try written.text.map { try self.value(of: $0) } ?? JinjaValue(known: written)
                config = config.setting(value.isNothing ? .missing : value, at: try path(field["path"])[...])
            }
        case "ConfigRemoveFields":
            for pointer in rule["field_pointers"]?.list.prefix(Self.most) ?? [] {
                config = config.setting(.missing, at: try path(pointer)[...])
            }
        case "ConfigRemapField":
            let path = try path(rule["field_path"])
            guard let present = path.reduce(config, { $0[$1] }).printed, let other = rule["map"]?[present] else {
                return
            }
            config = config.setting(JinjaValue(known: other), at: path[...])
        default:
            throw LossError(
                rule.isCustom ? .customCode : .other, rule["class_name"]?.text ?? rule.type, at: rule, effect: .differs)
        }
    }

    private func value(of text: String) throws -> JinjaValue {
        var evaluator = JinjaEvaluator(config: config, parameters: .missing)
        return try evaluator.value(of: text)
    }

    private func path(_ node: ManifestNode?) throws -> [String] {
        let names = try (node.map { $0.isList ? $0.list : [$0] } ?? []).map {
            try value(of: $0.text ?? "").printed ?? ""
        }
        guard !names.isEmpty, names.count <= 12, !names.contains(where: { $0.isEmpty || $0.contains("*") }) else {
            throw LossError(.other, "the place of a setting", at: node, effect: .differs)
        }
        return names
    }
}

extension JinjaValue {
    /// Returns the mapping with a member at a path; without it for a value that is missing.
    fileprivate func setting(_ value: JinjaValue, at path: ArraySlice<String>) -> JinjaValue {
        guard let name = path.first else { return value }
        var members: [Member] = if case .mapping(let members) = self { members } else { [] }
        let changed = self[name].setting(value, at: path.dropFirst())
        let index = members.firstIndex { $0.name == name }
        switch (index, changed) {
        case (let index?, .missing): members.remove(at: index)
        case (let index?, _): members[index].value = changed
        case (nil, .missing): break
        case (nil, _): members.append(Member(name, changed))
        }
        return .mapping(members)
    }
}
