package import GarnerCatalog
import GarnerJSON
package import GarnerModel
package import GarnerPresentation

extension EffectiveConfiguration.Entry {
    /// - Parameter file: The included file that has the stream; nil if it is in the configuration itself.
    package func fields(of stream: StreamName?, in file: String?) -> [Report.Field] {
        let place = origin.isOfSource ? file.map { " of \($0)" } ?? "" : ""
        return [
            .init("stream", stream?.description), .init("key", path.joined(separator: ".")),
            .init("value", json: value.json, text: value.description), .init("origin", origin.description + place),
        ]
    }
}

extension EffectiveConfiguration.Value {
    fileprivate var json: JSONText {
        switch self {
        case .text(let text): .string(text)
        case .list(let texts): JSONText(texts)
        case .integer(let integer): .integer(Int64(integer))
        case .number(let number): .number(number)
        case .flag(let flag): .bool(flag)
        case .automatic: .string("auto")
        }
    }
}
