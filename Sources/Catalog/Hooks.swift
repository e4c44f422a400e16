/// What is told of a stream's runs, and to whom.
package struct Hooks: Sendable, Equatable {
    /// After a run that succeeded.
    package var onSuccess: [Action]
    /// After a run that failed.
    package var onFailure: [Action]
    /// After a run that inserted, updated or deleted something, however it ended.
    package var onChange: [Action]
    /// Hears of the beginning of each run, and of its success or failure; nil: nobody does.
    package var ping: ConfiguredText?
    /// How long each of them may take.
    package var timeout: Duration

    package enum Action: Sendable, Equatable {
        /// A program with its arguments; never empty.
        case run([String])
        /// An absolute `http` or `https` URL that the run is posted to.
        case post(ConfiguredText, headers: [RequestTemplate.Parameter])
    }

    /// What a ping tells.
    package enum Beat: String, Sendable, CaseIterable {
        case start, success, failure
    }

    package init(
        onSuccess: [Action] = [], onFailure: [Action] = [], onChange: [Action] = [], ping: ConfiguredText? = nil,
        timeout: Duration = .seconds(30)
    ) {
        self.onSuccess = onSuccess
        self.onFailure = onFailure
        self.onChange = onChange
        self.ping = ping
        self.timeout = timeout
    }

    package var isEmpty: Bool { onSuccess.isEmpty && onFailure.isEmpty && onChange.isEmpty && ping == nil }

    /// The URL of a ping: `ping` itself after a success, below it `start` and `fail`; a query stays behind.
    package func pingURL(_ beat: Beat) -> ConfiguredText? {
        let segment: String? =
            switch beat {
            case .start: "start"
            case .success: nil
            case .failure: "fail"
            }
        guard let ping, let segment else { return ping }
        return ping.appending(segment: segment)
    }

    /// All that must be shown nowhere.
    package var secrets: [Secret] {
        let texts = (onSuccess + onFailure + onChange).flatMap { action in
            switch action {
            case .run: [ConfiguredText]()
            case .post(let url, let headers): [url] + headers.map(\.value)
            }
        }
        return ([ping].compactMap(\.self) + texts).compactMap {
            if case .secret(let secret) = $0 { secret } else { nil }
        }
    }
}

extension ConfiguredText {
    /// A URL with another segment behind its path.
    fileprivate func appending(segment: String) -> ConfiguredText {
        func appended(_ url: String) -> String {
            let mark = url.unicodeScalars.firstIndex(of: "?") ?? url.endIndex
            return url[..<mark] + (url[..<mark].hasSuffix("/") ? "" : "/") + segment + url[mark...]
        }
        return switch self {
        case .literal(let text): .literal(appended(text))
        case .secret(let secret): .secret(Secret(appended(secret.reveal()), variables: secret.revealVariables()))
        }
    }
}
