/// Words as a POSIX shell reads them.
package enum ShellText {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,@%+".utf8)

    package static func isPlain(_ word: String) -> Bool { !word.isEmpty && word.utf8.allSatisfy { plain.contains($0) } }

    package static func quoted(_ word: String) -> String {
        if isPlain(word) { return word }
        // In double quotes, these signs keep a meaning. An exclamation mark is history to an interactive shell.
        let hasMeaning = word.utf8.contains { "$`\\\"!".utf8.contains($0) }
        if word.utf8.contains(UInt8(ascii: "'")), !hasMeaning { return "\"\(word)\"" }
        return "'\(word.replacing("'", with: "'\\''"))'"
    }
}
