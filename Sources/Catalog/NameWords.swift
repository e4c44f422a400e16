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
