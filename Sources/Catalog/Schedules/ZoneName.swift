import Foundation

/// The name of a time zone that exists, as IANA spells it: `Europe/Berlin`, `UTC`.
package struct ZoneName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package static let utc = ZoneName(known: "UTC")

    private init(known name: String) {
        description = name
    }

    /// nil where there is no such zone. Abbreviations are none: IST is the time of three countries.
    package init?(_ name: String) {
        guard name.contains("/") || ["UTC", "GMT"].contains(name), TimeZone(identifier: name) != nil else { return nil }
        self.init(known: name)
    }

    /// The zone that someone who wrote this may have meant; a city is enough.
    package static func suggestion(for name: String) -> String? {
        let known = TimeZone.knownTimeZoneIdentifiers + [utc.description]
        let city = name.replacing(" ", with: "_").lowercased()
        return known.first { $0.lowercased() == city || $0.lowercased().hasSuffix("/" + city) }
            ?? Suggestion.closest(to: name, among: known)
    }
}
