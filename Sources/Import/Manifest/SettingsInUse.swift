import GarnerCatalog
import GarnerModel

/// The settings that the texts of a manifest use.
struct SettingsInUse {
    /// Those that are sent as a proof of who asks, whether the specification calls them secret or not.
    private(set) var tokens: Set<String> = []
    /// Choices of an authenticator that is a class of the connector's own, such as `login.kind=oauth`.
    private(set) var codes: Set<String> = []
    /// Those that a text has no other value for, in their order.
    private(set) var required: [String] = []
    /// Those that stand in a condition or beside another value.
    private var others: [String] = []
    /// The names in the two lists, which are long in a file that is made to be.
    private var (requiredNames, otherNames): (Set<String>, Set<String>) = ([], [])
    /// A value of those that are a time, by their names.
    private var times: [String: String] = [:]

    private static let mostNames = 1_000

    /// Those that need not be told, in their order.
    var optional: [String] { others.filter { !requiredNames.contains($0) } }

    /// The members of authenticators whose values are proofs.
    private static let proofs: Set = [
        "api_token", "password", "client_secret", "refresh_token", "access_token_value", "secret_key",
    ]

    /// The texts that were looked at: streams share most of theirs.
    private var seen: Set<String> = []

    init(_ manifest: Manifest) {
        for stream in manifest.streams + manifest.dynamicStreams { collect(stream, isProof: false) }
    }

    private mutating func collect(_ node: ManifestNode, isProof: Bool) {
        for bound in ["start_datetime", "end_datetime"] { noteTime(node[bound], node["datetime_format"]) }
        noteCodes(node)
        for element in node.list { collect(element, isProof: isProof) }
        for member in node.members where member.name != "$parameters" {
            collect(member.value, isProof: Self.proofs.contains(member.name))
            if member.name == "configs_pointer" { note(member.value.list.compactMap(\.text), isOptional: true) }
        }
        guard let text = node.text, text.contains("config"),
            seen.insert(isProof ? "\0\(text)" : text).inserted
        else { return }
        for use in Self.uses(in: text) {
            if isProof { tokens.insert(use.steps.joined(separator: ".")) }
            note(use.steps, isOptional: use.isOptional)
        }
    }

    private mutating func noteCodes(_ node: ManifestNode) {
        guard node.type == "SelectiveAuthenticator" else { return }
        let place = node["authenticator_selection_path"]?.list.compactMap(\.text).joined(separator: ".") ?? ""
        for choice in node["authenticators"]?.members ?? [] where choice.value.isCustom {
            codes.insert("\(place)=\(choice.name)")
        }
    }

    private static func uses(in text: String) -> [(steps: [String], isOptional: Bool)] {
        // A name before a parenthesis is a method.
        let uses = text.matches(
            of:
                /\bconfig((?:\[\s*['"][^'"\]]+['"]\s*\]|\.(?!get\b)\w+(?!\w|\s*\()|\.get\(\s*['"][^'"]+['"]\s*(?:,[^()]*\)|\)|,))+)(\s*(?:or|is|\|\s*default)\b)?/
        )
        return uses.map { use in
            let steps = use.1.matches(
                of: /\[\s*['"]([^'"\]]+)['"]|\.get\(\s*['"]([^'"]+)['"]\s*(?:,[^()]*)?|\.(?!get\b)(\w+)/
            ).map { String($0.1 ?? $0.2 ?? $0.3 ?? "") }
            return (steps, use.1.contains(".get(") || use.2 != nil || text.contains("if "))
        }
    }

    /// Notes the format of a setting that is the bound of a window as it is; what a function makes a time of is in ISO 8601.
    private mutating func noteTime(_ bound: ManifestNode?, _ format: ManifestNode?) {
        guard let text = bound?["datetime"]?.text ?? bound?.text, let use = Self.uses(in: text).first else { return }
        let isBare = text.prefixMatch(of: /\s*\{\{\s*config[.\[]/) != nil
        let pattern = isBare ? bound?["datetime_format"]?.text ?? format?.text : nil
        let format = pattern.flatMap { try? TimeFormat($0) }?.format ?? .rfc3339
        let start = Timestamp(millisecondsSince1970: 1_704_067_200_000)
        times[use.steps.joined(separator: ".")] = format.text(of: start, in: .utc)
    }

    private mutating func note(_ steps: [String], isOptional: Bool) {
        let name = steps.joined(separator: ".")
        guard !steps.isEmpty, steps.count <= 8, required.count + others.count < Self.mostNames else { return }
        if isOptional {
            if otherNames.insert(name).inserted { others.append(name) }
        } else if requiredNames.insert(name).inserted {
            required.append(name)
        }
    }

    /// A specification for a manifest that has none: what its texts use has to be told.
    var specification: ManifestNode {
        // Without this member, any setting could be given.
        var root = ManifestNode(.mapping([ManifestNode.Member(name: "properties", value: ManifestNode(.mapping([])))]))
        let all = required + optional
        var holders: Set<Substring> = []
        for name in all { holders.formUnion(name.indices.filter { name[$0] == "." }.map { name[..<$0] }) }
        for name in all where !holders.contains(name[...]) {
            let isRequired = requiredNames.contains(name)
            var path: [String] = []
            for step in name.split(separator: ".").map(String.init) {
                let holder = path
                path += ["properties", step]
                let known = holder.reduce(Optional(root)) { $0?[$1] }?["required"]?.list ?? []
                if isRequired, !known.contains(where: { $0.text == step }) {
                    root = root.setting(
                        ManifestNode(.list(known + [ManifestNode(.text(step))])), at: holder + ["required"],
                        creates: true)
                }
            }
            root = root.setting(ManifestNode(.text(name)), at: path + ["title"], creates: true)
            if let time = times[name] {
                root = root.setting(
                    ManifestNode(.list([ManifestNode(.text(time))])), at: path + ["examples"], creates: true)
            }
            if SensitiveName.isVariable(path.last ?? name, isHidden: true) {
                root = root.setting(ManifestNode(.bool(true)), at: path + ["airbyte_secret"], creates: true)
            }
        }
        return root
    }
}
