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
        // Foundation would read no further than a NUL.
        guard name.contains("/") || ["UTC", "GMT"].contains(name), !name.utf8.contains(0),
            TimeZone(identifier: name) != nil
        else { return nil }
        self.init(known: name)
    }

    /// What someone who wrote this instead of a zone is told; a city is enough to be understood.
    package static func hint(for name: String) -> String {
        let known = TimeZone.knownTimeZoneIdentifiers + [utc.description]
        let city = name.replacing(" ", with: "_").lowercased()
        let meant =
            known.first { $0.lowercased() == city || $0.lowercased().hasSuffix("/" + city) }
            ?? Suggestion.closest(to: name, among: known)
        return meant.map { "did you mean '\($0)'?" } ?? "write an area and a city, such as Europe/Berlin, or UTC"
    }
}
