import GarnerDatabase
import GarnerModel
import GarnerPersistence

extension Dashboard {
    /// An animal with its picture, name and lifespan, and a button for another one.
    func demoPage(_ request: WebRequest) async throws -> WebResponse {
        guard let demo else { throw DashboardError.noPage(request.link) }
        let animal = try await read { try Self.animal(of: demo, in: $0) }
        let button = actions == nil ? "" : Component.button("Refresh", Link("streams", "\(demo)", "sync"), isMain: true)
        let content: HTML
        if let animal {
            content = """
                <div class="zoo"><h1>\(Component.foreign(animal.name))</h1>
                <p class="muted"><i lang="la">\(Component.foreign(animal.latinName))</i></p>
                \(animal.picture.map { "<img src=\"\(Link("files", $0))\" alt=\"A picture of \(animal.name)\" width=\"480\" height=\"360\">" as HTML })
                <p class="lifespan">Lives up to <b>\(Component.foreign(animal.lifespan)) years</b></p>
                \(button)
                <p class="muted">It is a copy of one record of an API, in step with it: row and picture came in one run. See its
                \(Component.link(Link("tables", demo.stream), "table")), \(Component.link(Link("streams", "\(demo)"), "stream"))
                and \(Component.link(Link("changes"), "changes"))\(animal.key.map { ", or the \(Component.link(Link("tables", demo.stream, $0), "record"))" as HTML }).</p></div>
                """
        } else {
            content = """
                <div class="zoo"><h1>No animal yet</h1>\(Component.empty("The first one comes with the next sync."))\(button)</div>
                """
        }
        return response(Page(title: animal?.name ?? "Zoo", content: content))
    }

    private struct DemoAnimal: Sendable {
        let key: String?
        let name: String
        let latinName: String
        let lifespan: String
        /// The digest of the picture.
        let picture: String?
    }

    private static func animal(of stream: StreamName, in reader: ReadOnlyDatabase) throws -> DemoAnimal? {
        guard try reader.tables().contains(where: { $0.table == stream.stream }) else { return nil }
        let rows = try reader.rows(
            for: RowRequest(
                table: stream.stream, columns: ["id", "name", "latin_name", "lifespan"], limit: 1))
        guard let row = try rows.next() else { return nil }
        let key = row.optionalText(at: 0)
        let (name, latinName) = (row.optionalText(at: 1) ?? "", row.optionalText(at: 2) ?? "")
        let lifespan = row.optionalText(at: 3) ?? "?"
        let files = try key.map { try reader.attachments(of: reader.place(in: stream.stream, key: [$0])) } ?? []
        return DemoAnimal(
            key: key, name: name, latinName: latinName, lifespan: lifespan,
            picture: files.compactMap(\.sha256).first)
    }
}
