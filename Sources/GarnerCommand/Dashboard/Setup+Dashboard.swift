import GarnerCatalog
import Dashboard
import GarnerModel
import GarnerPersistence
import GarnerPresentation

extension Setup {
    /// Returns the dashboard of a database.
    ///
    /// - Parameters:
    ///   - configuration: Returns the configuration in force; nil if there is only a database.
    ///   - notices: Returns what is to be told on every page.
    ///   - actions: What the forms of its pages do; nil for pages that only show.
    ///   - startedAt: The start of the service; nil without one.
    ///   - demo: The stream whose only record the page `/demo` shows; nil for no such page.
    func dashboard(
        of database: String, _ configuration: @escaping @Sendable () -> Configuration?, access: Access,
        notices: @escaping @Sendable () async -> [ServiceNotice], actions: (any DashboardActions)? = nil,
        startedAt: Timestamp? = nil, demo: StreamName? = nil
    ) -> Dashboard {
        var server: Secret?
        if case .postgres(let url)? = configuration()?.place, configuration()?.database == database { server = url }
        return Dashboard(
            database: database, reader: DatabaseReader(path: database), configuration: configuration,
            notices: notices, query: QueryProcess(database: database, server: server), actions: actions, access: access,
            version: Version.current,
            now: now, startedAt: startedAt, demo: demo, clock: clock,
            maximumConnections: DescriptorLimit.current.browsers)
    }
}

extension QueryProcess: QueryRunner {}
