import GarnerJSON

/// Translates the place of the records in an answer, and their filter.
extension StreamTranslation {
    func translateRecords(_ selector: ManifestNode?) throws {
        guard let selector else { return }
        try LossError.refuseCode(selector, "a record selector")
        if let normalization = selector["schema_normalization"], normalization.isMapping {
            lose(
                .customCode, normalization["class_name"]?.text ?? "a normalization", at: normalization, effect: .differs
            )
        }
        guard let extractor = selector["extractor"], extractor.type != "ResponseToFileExtractor" else { return }
        try LossError.refuseCode(extractor, "a record extractor")
        let path = extractor["field_path"]
        for part in path.map({ $0.isList ? $0.list : [$0] }) ?? [] {
            let step = try known(part, of: extractor)
            if step.isNothing { continue }
            guard let name = step.printed, name != "**" else {
                throw LossError(.selector, step.printed ?? "field_path", at: extractor)
            }
            recordSteps.append(Int(name).map(JinjaValue.Later.Step.index) ?? .member(name))
        }
        stream["record_selector"] = .text(Self.jsonPath(recordSteps))
        if let expander = extractor["record_expander"], !expander.isNull {
            lose(.expandedRecords, at: expander)
        }
    }

    /// The condition for a record to be stored. It is translated behind the fields, which it may name.
    func translateFilter(_ selector: ManifestNode?) throws {
        guard let filter = selector?["record_filter"], !filter.isNull else { return }
        if filter.isCustom {
            throw LossError(.recordFilter, "custom code, \(filter["class_name"]?.text ?? "no class")", at: filter)
        }
        guard let written = filter["condition"] else { return }
        var value =
            try written.text.map { try self.value(of: $0, in: filter, keepsDefaults: true) }
            ?? self.value(written, of: filter)
        if value.isKnown {
            // A filter of nothing lets everything through.
            if value.isFalsy, !value.isNothing {
                lose(.recordFilter, "the settings leave nothing", at: written, effect: .differs)
            }
            return
        }
        if selector?["transform_before_filtering"]?.bool == true {
            value = resolved(value)
            for name in value.laters.filter({ $0.root == .record }).compactMap({ $0.names?.first }) {
                guard addedFields[name] == nil, !isRenamed(name) else {
                    throw LossError(.recordFilter, "the added field \(name)", at: written)
                }
            }
        }
        let condition = RecordCondition(root: .record, sign: "@", operand: filterOperand, code: .recordFilter)
        guard let text = try condition.text(value) else { return }
        guard (try? FilterExpression(parsing: text)) != nil else {
            throw LossError(.recordFilter, "its parts nest too deeply", at: written)
        }
        stream["record_filter"] = .text(Self.withoutParentheses(text))
    }

    /// What a filter compares records with: the start of the read is the first of all starts, since what later reads leave out is
    /// stored already; the end is beyond all records.
    private func filterOperand(_ value: JinjaValue) throws -> RecordCondition.Operand {
        if let arguments = value.arguments(of: "default"), arguments.count == 2, arguments[0].later?.root == .state,
            let text = arguments[1].printed, !text.isEmpty
        {
            // The state, or the start of the first read.
            return .query(Self.quoted(text))
        }
        let value = value.bare
        switch value {
        case .later(let later) where later.root == .interval || later.root == .slice:
            guard let name = later.names?.first else { break }
            if ["start_time", "start_date", windowFields.start].contains(name) {
                guard let window = try window(), let start = window.start else { return .beyond(holds: ["gteq"]) }
                return .query(window.format.literal(of: start))
            }
            if ["end_time", "end_date", windowFields.end].contains(name) {
                return .beyond(holds: ["lt", "lteq"])
            }
            throw LossError(.recordFilter, "a value of the parent or partition, \(name)")
        // There is none in the first read, and what is at it was stored by the read before.
        case .later(let later) where later.root == .state: return .beyond(holds: ["gteq", "gt"])
        case .now: throw LossError(.recordFilter, "the time of the read")
        default: break
        }
        throw LossError(.recordFilter, RecordCondition.shown(value))
    }

    static func withoutParentheses(_ text: String) -> String {
        guard text.hasPrefix("("), text.hasSuffix(")") else { return text }
        var (depth, isQuoted, isEscaped) = (0, false, false)
        for (place, byte) in text.utf8.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "'"): isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted:
                depth -= 1
                if depth == 0, place < text.utf8.count - 1 { return text }
            default: break
            }
        }
        return String(text.dropFirst().dropLast())
    }
}
