/// The commented file that `garner init` writes.
package enum StarterFile {
    /// A valid configuration: of the API at `baseURL`, an absolute http or https URL, else of the built-in demo.
    ///
    /// The last segment of the URL's path, with its query, becomes the first stream.
    package static func text(baseURL: String? = nil) -> String {
        guard let baseURL else {
            return render(source: "zoo", base: "http://127.0.0.1:8080/", stream: "animals", path: "/animals")
        }
        let (base, path) = split(baseURL)
        let stream = name(from: path.prefix { $0 != "?" }, otherwise: "records")
        return render(source: name(from: host(of: base), otherwise: "api"), base: base, stream: stream, path: path)
    }

    private static func render(source: String, base: String, stream: String, path: String) -> String {
        """
        # What garner keeps in step, and how. Check it with 'garner check', then run 'garner sync'.
        version: 1

        # The SQLite database, relative to this file.
        database: garner.db

        # What every stream inherits; a source or a stream may say otherwise.
        defaults:
          schedule: { every: 15m, jitter: 30s }   # how often 'garner serve' fetches

        sources:
          \(source):
            # Every path below is added to this. 'garner demo --serve' answers at http://127.0.0.1:8080/.
            base_url: \(quoted(base))
            # Secrets come from the environment (or from a file: { file: path }).
            # auth: { type: bearer, token: "${API_TOKEN}" }
            # How to reach the next page; without this line garner finds out.
            # paginator: { type: json_link, next_url_path: $.next }
            streams:
              \(stream):                            # becomes the table '\(stream)'
                path: \(quoted(path))
                # params: { per_page: 100 }         # added to the URL as ?per_page=100
                # record_selector: $.data[*]        # where the records are; found by itself in most answers
                # primary_key: id                   # what identifies a record; found by itself in most answers
                # delete_missing: soft              # mark rows that the API no longer returns

        """
    }

    /// `https://host/v1/items?a=b` becomes `https://host/v1/` and `items?a=b`.
    private static func split(_ url: String) -> (base: String, path: String) {
        let whole = url.prefix { $0 != "#" }
        let hierarchy = whole.prefix { $0 != "?" }
        let query = whole[hierarchy.endIndex...]
        guard let slash = hierarchy.lastIndex(of: "/"), !hierarchy[...slash].hasSuffix("://") else {
            return (hierarchy + "/", String(query))
        }
        return (String(hierarchy[...slash]), String(hierarchy[slash...].dropFirst() + query))
    }

    private static func host(of base: String) -> Substring {
        let authority = base.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        let host = authority.prefix { $0 != ":" }
        let labels = host.split(separator: ".")
        let isAddress = host.allSatisfy { $0.isNumber || $0 == "." }
        return labels.count > 1 && !isAddress ? labels[labels.count - 2] : host
    }

    private static func name(from text: Substring, otherwise fallback: String) -> String {
        let letters = text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") ? $0 : "_" }
        let name = String(letters)
        let isUsable =
            name.contains { $0.isLetter } && !["sqlite_", "_garner_"].contains { name.lowercased().hasPrefix($0) }
        // Letters first, so that YAML sees no number, null or merge key in it.
        let isPlain = name.first?.isLetter == true && !["null", "true", "false"].contains(name.lowercased())
        return isUsable && isPlain ? name : fallback
    }

    /// A double-quoted YAML scalar.
    private static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
