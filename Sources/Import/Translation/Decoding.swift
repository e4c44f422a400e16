/// Kinds of answers.
extension StreamTranslation {
    func translateDecoder(_ decoder: ManifestNode?) {
        var decoder = decoder
        // A file of gzip is unpacked in any case.
        for _ in 0..<10 {
            switch decoder?.type {
            case "GzipDecoder", "GzipParser": decoder = decoder?["decoder"] ?? decoder?["inner_parser"]
            case "CompositeRawDecoder": decoder = decoder?["parser"]
            default: break
            }
        }
        guard let decoder, decoder.isMapping else { return }
        var keys = FileMapping()
        switch decoder.type {
        case "", "JsonDecoder", "JsonParser", "JsonItemsDecoder": break
        case "JsonlDecoder", "JsonLineParser":
            keys = FileMapping(["media_types": .list([.text("*/*")]), "format": .text("json_lines")])
        case let type:
            guard !loseCode(decoder, "a decoder") else { return }
            return lose(.decoder, String(type.prefix(60)), at: decoder)
        }
        attempt(at: decoder) {
            guard let encoding = try knownText(decoder["encoding"], of: decoder) else { return }
            guard let charset = Self.charsets[encoding.lowercased().filter { $0.isLetter || $0.isNumber }] else {
                throw LossError(.decoder, String(encoding.prefix(40)), at: decoder["encoding"])
            }
            if charset != "utf-8" { keys["charset"] = .text(charset) }
        }
        stream[mapping: "response"] = keys
    }

    /// The encodings by Python's names, without what separates their letters.
    private static let charsets = [
        "utf8": "utf-8", "utf8sig": "utf-8", "ascii": "utf-8", "usascii": "utf-8", "utf16": "utf-16",
        "utf16le": "utf-16le", "utf16be": "utf-16be", "latin1": "iso-8859-1", "iso88591": "iso-8859-1",
        "latin9": "iso-8859-15", "iso885915": "iso-8859-15", "cp1252": "windows-1252", "windows1252": "windows-1252",
    ]
}
