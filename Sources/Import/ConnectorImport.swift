package import GarnerJSON

/// The configuration that is made of a connector's file.
package protocol ConnectorImport {
    /// The report in lines, each of which is safe for one line.
    var lines: [String] { get }
    /// The report for programs.
    var json: JSONText { get }
    /// True if a stream is written.
    var hasStreams: Bool { get }
    /// True for a list of what could be streams, of which none is wanted yet.
    var isList: Bool { get }
    /// True if nothing is known to be lost.
    var isWhole: Bool { get }
    /// The number of streams that are neither whole nor renamed.
    var lostCount: Int { get }
    /// The names of secrets whose values are written, since they were given one by one.
    var shownSecrets: [String] { get }
    /// The variables that the file needs.
    var secrets: [ConnectorSettings.SecretSetting] { get }
    /// The sources with their lines, as they stand under `sources:`.
    var sources: [(name: String, text: String)] { get }

    /// Returns the text of a new file.
    ///
    /// - Parameter database: the path of the database, relative to the file.
    func text(database: String) -> String
}

extension ManifestImport: ConnectorImport {
    package var lines: [String] { report.lines }
    package var json: JSONText { report.json }
    package var hasStreams: Bool { report.hasStreams }
    package var isList: Bool { false }
    package var isWhole: Bool { report.isWhole }
    package var lostCount: Int { report.count(.differs) + report.count(.notWritten) }
    package var shownSecrets: [String] { settings.shownSecrets.map(ImportReport.shown) }
    package var secrets: [ConnectorSettings.SecretSetting] { report.secrets }
}
