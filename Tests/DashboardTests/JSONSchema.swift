import Foundation

/// Checks JSON against a JSON Schema (draft 2020-12), as far as the schemas of the pages need it. A word that is not known
/// here is an error, so that no schema asks for what nobody checks.
struct JSONSchema {
    private let root: [String: Any]

    init(_ data: Data) throws {
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else { throw NoObject() }
        root = object
    }

    struct NoObject: Error {}

    /// Returns what is wrong with a value, each error with its place; empty if nothing is.
    func errors(in value: Any) -> [String] { errors(root, value, at: "$") }

    private static let known: Set<String> = [
        "$schema", "$defs", "$ref", "title", "description", "type", "enum", "format", "minimum", "properties",
        "required", "additionalProperties", "items", "minItems", "maxItems", "anyOf", "oneOf",
    ]

    private func errors(_ schema: [String: Any], _ value: Any, at place: String) -> [String] {
        var errors = Set(schema.keys).subtracting(Self.known).map { "\(place): the schema's word \($0) is unknown" }
        if let reference = schema["$ref"] as? String {
            let name = reference.replacingOccurrences(of: "#/$defs/", with: "")
            guard let definition = (root["$defs"] as? [String: Any])?[name] as? [String: Any] else {
                return ["\(place): there is no \(reference)"]
            }
            errors += self.errors(definition, value, at: place)
        }
        if let type = schema["type"] {
            let types = type as? [String] ?? [type as? String ?? ""]
            if !types.contains(where: { Self.is(value, $0) }) { errors.append("\(place): not of \(types): \(value)") }
        }
        if let options = schema["enum"] as? [Any], !options.contains(where: { Self.areSame($0, value) }) {
            errors.append("\(place): none of \(options): \(value)")
        }
        if schema["format"] as? String == "date-time", let text = value as? String, !Self.isTime(text) {
            errors.append("\(place): no time: \(text)")
        }
        if let least = schema["minimum"] as? Double, let number = value as? NSNumber, number.doubleValue < least {
            errors.append("\(place): less than \(least): \(number)")
        }
        if let object = value as? [String: Any] { errors += members(schema, object, at: place) }
        if let list = value as? [Any] { errors += elements(schema, list, at: place) }
        for (word, isRight) in [("anyOf", { $0 > 0 }), ("oneOf", { $0 == 1 })] as [(String, (Int) -> Bool)] {
            guard let options = schema[word] as? [[String: Any]] else { continue }
            let results = options.map { self.errors($0, value, at: place) }
            if !isRight(results.filter(\.isEmpty).count) { errors.append("\(place): \(word): \(results)") }
        }
        return errors
    }

    private func members(_ schema: [String: Any], _ object: [String: Any], at place: String) -> [String] {
        let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
        let required = schema["required"] as? [String] ?? []
        var errors = required.filter { object[$0] == nil }.map { "\(place).\($0): missing" }
        for (name, member) in object {
            if let property = properties[name] {
                errors += self.errors(property, member, at: "\(place).\(name)")
            } else if let others = schema["additionalProperties"] as? [String: Any] {
                errors += self.errors(others, member, at: "\(place).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                errors.append("\(place).\(name): not in the schema")
            }
        }
        return errors
    }

    private func elements(_ schema: [String: Any], _ list: [Any], at place: String) -> [String] {
        var errors: [String] = []
        if let least = schema["minItems"] as? Int, list.count < least { errors.append("\(place): too few") }
        if let most = schema["maxItems"] as? Int, list.count > most { errors.append("\(place): too many") }
        guard let element = schema["items"] as? [String: Any] else { return errors }
        for (index, value) in list.enumerated() { errors += self.errors(element, value, at: "\(place)[\(index)]") }
        return errors
    }

    private static func `is`(_ value: Any, _ type: String) -> Bool {
        // A boolean is a number to Foundation, too.
        let isBoolean = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
        return switch type {
        case "null": value is NSNull
        case "boolean": isBoolean
        case "string": value is String
        case "array": value is [Any]
        case "object": value is [String: Any]
        case "number": value is NSNumber && !isBoolean
        case "integer": (value as? NSNumber).map { !isBoolean && $0.doubleValue == $0.doubleValue.rounded() } ?? false
        default: false
        }
    }

    private static func areSame(_ first: Any, _ second: Any) -> Bool {
        if first is NSNull { return second is NSNull }
        return (first as? String).map { $0 == second as? String } ?? false
    }

    private static func isTime(_ text: String) -> Bool {
        text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
    }
}
