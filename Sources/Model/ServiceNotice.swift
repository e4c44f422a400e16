/// A notice about the service itself. Every page of the dashboard and `garner status` tell it until it is settled.
///
///     ServiceNotice(.changedFile, "garner.yaml has changed since the service read it", remedy: "…")
package struct ServiceNotice: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// A reload was refused, so the configuration before it is in use.
        case refusedReload = "refused_reload"
        /// The file has another text than the service has read.
        case changedFile = "changed_file"
        /// The service has read another file than the command.
        case otherFile = "other_file"
        /// No service runs what is due.
        case noService = "no_service"
        /// Another worker writes the database, or nobody can.
        case standby
        /// Changes wait to be published, or a published table is behind.
        case publication
    }

    package let kind: Kind
    /// A clause that begins with a small letter and has no full stop.
    package let text: String
    /// A command, or what to do.
    package let remedy: String

    package init(_ kind: Kind, _ text: String, remedy: String) {
        (self.kind, self.text, self.remedy) = (kind, text, remedy)
    }
}
