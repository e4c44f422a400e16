#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What a terminal shows beyond the text: the text stays the same without it.
struct Decoration {
    private let isOn: Bool

    /// "NO_COLOR … when present and not an empty string" (no-color.org) wins over FORCE_COLOR.
    init(_ choice: ColorChoice, _ environment: [String: String], on descriptor: Int32) {
        isOn =
            switch choice {
            case .always: true
            case .never: false
            case .auto:
                if !environment["NO_COLOR", default: ""].isEmpty {
                    false
                } else if !environment["FORCE_COLOR", default: ""].isEmpty {
                    true
                } else {
                    isatty(descriptor) == 1 && environment["TERM"] != "dumb"
                }
            }
    }

    func bold(_ text: ShownText) -> ShownText { decorated(text, "1") }
    func red(_ text: ShownText) -> ShownText { decorated(text, "1;31") }

    private func decorated(_ text: ShownText, _ code: String) -> ShownText {
        isOn && !text.text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
