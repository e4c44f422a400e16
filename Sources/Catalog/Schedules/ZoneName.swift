/// The name of a time zone that exists, as IANA spells it: `Europe/Berlin`, `UTC`.
package struct ZoneName: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// The zone's offsets, which were read when the name was made.
    package let table: Zone

    package static let utc = ZoneName(description: "UTC", table: .utc)

    private init(description: String, table: Zone) {
        self.description = description
        self.table = table
    }

    /// Returns nil if the system has no such zone. Abbreviations are refused: IST is the time of three countries.
    package init?(_ name: String) {
        self.init(name, in: .system)
    }

    package init?(_ name: String, in folder: ZoneFolder) {
        guard let table = try? folder.zone(named: name) else { return nil }
        self.init(description: name, table: table)
    }

    package static func == (left: ZoneName, right: ZoneName) -> Bool { left.description == right.description }

    package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

extension ZoneName {
    /// The reason why a text is no `ZoneName`.
    package struct Refusal: Sendable, Equatable {
        /// The fault of the system's zones; nil if the text is no zone.
        package let problem: String?
        /// The advice for who wrote the text.
        package let hint: String
    }

    /// Returns why the text is no zone, with an advice that understands the name of a city.
    package static func refusal(of text: String, in folder: ZoneFolder = .system) -> Refusal {
        do throws(TimeZoneFile.Failure) {
            _ = try folder.zone(named: text)
        } catch {
            let problem = "the time zone file '\(folder.path ?? "")/\(text)' \(error)"
            return Refusal(problem: problem, hint: "install the package tzdata again")
        }
        if let name = folder.newName(of: text) {
            return Refusal(problem: nil, hint: "write '\(name)', as it is called today")
        }
        let found = folder.names()
        let known = [utc.description, "GMT"] + found
        let city = text.replacing(" ", with: "_").lowercased()
        // `Etc/GMT+5` is five hours west of UTC, and hardly what is meant by `GMT+5`.
        let named = known.first { $0.lowercased() == city }
        let place = known.first { $0.lowercased().hasSuffix("/" + city) && !$0.hasPrefix("Etc/") }
        if let meant = named ?? place {
            return Refusal(problem: nil, hint: "did you mean '\(meant)'?")
        }
        guard !found.isEmpty else {
            let folder = folder.path.map { "in \($0)" } ?? "on this machine"
            return Refusal(
                problem: "there are no time zones \(folder), so that UTC is the only one",
                hint: "install the package tzdata, or set TZDIR to the folder of the time zones")
        }
        let meant = Suggestion.closest(to: text, among: known)
        return Refusal(
            problem: nil,
            hint: meant.map { "did you mean '\($0)'?" } ?? "write an area and a city, such as Europe/Berlin, or UTC")
    }
}
