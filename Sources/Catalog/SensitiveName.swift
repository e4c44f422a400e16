import GarnerJSON
import GarnerModel

/// Names whose values are secrets, wherever they are written, and values that are secrets under any name.
package enum SensitiveName {
    /// - Parameter value: the value as it is written; nil if it is unknown.
    package static func isHeader(_ name: String, value: String? = nil) -> Bool {
        let lowercase = name.lowercased()
        if isKeyOfOrder(name.nameWords) { return false }
        if headers.contains(lowercase) || lowercase.hasPrefix("x-") && headerParts.contains(where: lowercase.contains) {
            return true
        }
        guard value.map(mayBeSecret) ?? true else { return false }
        let words = name.nameWords
        return hasTellingEnd(name) || words.last == "cookie" || words.last == "token" && !isPlace(words)
    }

    /// - Parameter value: the value as it is written; nil if it is unknown. A name that others than secrets have, too,
    ///   counts only with a value.
    package static func isParameter(_ name: String, value: String?) -> Bool {
        let lowercase = name.lowercased().replacing("-", with: "_")
        if parameters.contains(lowercase) || suffixes.contains(where: lowercase.hasSuffix) { return true }
        guard let value, mayBeSecret(value) else { return false }
        if hasTellingEnd(name) { return true }
        let words = name.nameWords
        // `key=updated_at_desc` names the field that a list is sorted by.
        if lowercase == "key", value.wholeMatch(of: /[a-z]+([_.][a-z]+)+/) != nil { return false }
        let isAmbiguous = ambiguous.contains(lowercase) || words.last == "token" && !isPlace(words)
        return isAmbiguous && value.utf8.count >= secretLength
    }

    /// Returns true for a parameter whose name or value is that of a secret. A place in a list is none, however long.
    package static func isParameter(_ name: String, orLooksSecret value: String) -> Bool {
        isParameter(name, value: value) || looksSecret(value) && !isPlace(name.nameWords)
    }

    /// Returns true for a variable whose name is that of a secret, whatever its value is, which may be missing.
    ///
    /// - Parameter isHidden: true where a secret is hidden, so that a name counts, too, that others than secrets have.
    package static func isVariable(_ name: String, isHidden: Bool) -> Bool {
        let words = name.nameWords
        guard let last = words.last else { return false }
        if isParameter(name, value: "a value that is no word") || variableEnds.contains(last) {
            // Shells give this name to the folder that they are in.
            return isHidden || name != "PWD"
        }
        return isHidden && last == "key" && !isKeyOfOrder(words) && !words.contains(where: keyedWords.contains)
    }

    /// Returns true for a text like a key or token: long, with letters and digits.
    package static func looksSecret(_ text: String) -> Bool {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.contains {
            $0.count >= 20 && $0.contains(where: \.isNumber) && $0.contains(where: \.isLetter)
        }
    }

    /// Returns true for a text of which its beginning says that it is a token, as those of GitHub, Slack or Stripe do,
    /// and for a JSON Web Token.
    package static func isKnownToken(_ text: String) -> Bool {
        guard text.utf8.count >= 20, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return false }
        return tokenBeginnings.contains(where: text.hasPrefix) && looksSecret(text)
            || text.hasPrefix("eyJ") && text.split(separator: ".").count == 3
    }

    /// Returns true for a text that has a secret in it, wherever it stands: behind the name of a scheme, as the user and the password or
    /// a parameter of a URL, or as a member of JSON.
    package static func isWithin(_ text: String) -> Bool {
        if let scheme = text.wholeMatch(of: /(?i)(bearer|basic|apikey|token) +[^\s{}$]{8,}/) {
            return scheme.1.lowercased() == "bearer" || text.contains(where: \.isNumber)
        }
        if text.firstMatch(of: /:\/\/[^\/\s:@?#]+:[^\/\s@?#{}$]+@/) != nil { return true }
        if let document = try? Document(parsing: Bytes(Array(text.utf8))), document.withRoot(hasSecret) { return true }
        let parts = text.split { "?&;,# \t\n".contains($0) }
        return parts.contains { part in
            guard let mark = part.firstIndex(of: "=") else { return isKnownToken(String(part)) }
            let value = part[mark...].dropFirst().trimming { $0 == "\"" }
            return isParameter(String(part[..<mark]), value: String(value)) && mayBeSecret(String(value))
        }
    }

    private static func hasSecret(_ node: Node) -> Bool {
        switch node.kind {
        case .object:
            node.members.contains { isParameter($0.text, value: $1.string) && $1.kind == .string || hasSecret($1) }
        case .array: node.elements.contains(where: hasSecret)
        default: false
        }
    }

    /// Returns false for texts that are filled in for each request, since they are no secrets.
    private static func mayBeSecret(_ value: String) -> Bool {
        !value.isEmpty && !value.utf8.contains(UInt8(ascii: "{"))
    }

    private static func hasTellingEnd(_ name: String) -> Bool {
        let words = name.nameWords
        let letters = words.joined()
        return ends.contains(where: letters.hasSuffix) || words.last.map(lastWords.contains) ?? false
    }

    /// Returns true for the name of a place in a list, such as `page_token` or `nextToken`.
    private static func isPlace(_ words: [String]) -> Bool { words.contains(where: placeWords.contains) }

    /// Returns true for the name of a key that data is sorted or spread by, such as `X-Sort-Key`.
    private static func isKeyOfOrder(_ words: [String]) -> Bool {
        words.last == "key" && words.dropLast().last.map(orderWords.contains) ?? false
    }

    private static let orderWords: Set = [
        "cache", "foreign", "group", "idempotency", "natural", "order", "partition", "primary", "range", "routing",
        "row", "shard", "sort", "surrogate",
    ]

    /// Things that APIs name by a key, as Jira does its projects: the name of a variable with one is no secret's.
    private static let keyedWords: Set = [
        "board", "dataset", "document", "issue", "item", "object", "project", "public", "region", "series", "sheet",
        "space", "species", "spreadsheet", "taxon", "tenant",
    ]

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "x-api-key", "api-key", "apikey", "x-apikey", "x-auth-token",
        "x-access-token", "x-auth-key", "x-secret", "x-token", "private-token", "x-gitlab-token",
        "ocp-apim-subscription-key",
        "x-rapidapi-key", "x-functions-key", "x-goog-api-key",
    ]

    /// Parts of header names that APIs have made up for their secrets, such as `X-Shopify-Access-Token`.
    private static let headerParts = ["token", "secret", "password", "-key", "apikey", "auth", "session"]

    /// Ends of parameter names, such as `subscription_key` and `user_api_token`.
    private static let suffixes = [
        "api_key", "apikey", "app_key", "appkey", "subscription_key", "access_key", "secret_key", "license_key",
        "api_token", "apitoken", "auth_token", "_secret", "_password", "appid",
    ]

    private static let parameters: Set<String> = [
        "api_key", "apikey", "access_token", "auth_token", "client_secret", "password", "secret", "signature", "sig",
    ]

    /// Ends of names without what separates their words: `accessToken`, `DD-APPLICATION-KEY`, `x-amz-signature`.
    private static let ends = [
        "apikey", "appkey", "applicationkey", "accesskey", "secretkey", "privatekey", "licensekey", "subscriptionkey",
        "signingkey", "apitoken", "authtoken", "accesstoken", "refreshtoken", "sessiontoken", "securitytoken", "secret",
        "password", "passwd", "passphrase", "signature", "credential", "credentials",
    ]
    private static let lastWords: Set = ["sig", "jwt", "hmac"]
    private static let variableEnds: Set = ["pass", "pat", "pwd"]

    /// Names of secrets and of other values: `key=AIza…` is a secret, `key=animals` is not.
    private static let ambiguous: Set<String> = [
        "auth", "key", "pass", "pat", "pwd", "session", "session_id", "sessionid", "sid", "token",
    ]
    /// The length in bytes from which the value of such a name is a secret.
    private static let secretLength = 12

    private static let placeWords: Set = [
        "after", "before", "continuation", "cursor", "delta", "next", "page", "prev", "previous", "resume", "scroll",
        "start", "starting", "sync",
    ]

    private static let tokenBeginnings = [
        "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk-",
        "xoxb-", "xoxp-", "xapp-", "shpat_", "pat-na1-", "pat-eu1-", "ntn_", "secret_", "AKIA", "AIza", "SG.",
    ]
}

extension String {
    /// The words of a name in lowercase: `access` and `token` of `access_token`, `access-token` and `accessToken`.
    package var nameWords: [String] {
        var words: [String] = []
        var wasLower = false
        var isOpen = false
        for scalar in unicodeScalars {
            guard scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) else {
                isOpen = false
                continue
            }
            let isUpper = scalar.properties.isUppercase
            if !isOpen || isUpper && wasLower { words.append("") }
            words[words.count - 1] += scalar.properties.lowercaseMapping
            (isOpen, wasLower) = (true, !isUpper)
        }
        return words
    }
}
