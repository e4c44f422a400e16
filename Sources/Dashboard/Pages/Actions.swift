import GarnerModel
import GarnerPersistence

extension Dashboard {
    /// Does what a form asks for, and leads back to the page that it stands on.
    func act(on request: WebRequest) async throws -> WebResponse {
        guard let actions else { throw DashboardError.readOnly }
        let path = request.components
        switch (path.first, path.last, path.count) {
        case ("streams", let deed?, 3):
            guard let stream = StreamName(full: path[1]) else { throw DashboardError.noAction(request.link) }
            switch deed {
            case "sync": try await actions.sync(stream)
            case "pause": try await actions.pause(stream)
            case "resume": try await actions.resume(stream)
            case "retry": try await actions.retryQuarantine(of: stream, record: nil)
            default: throw DashboardError.noAction(request.link)
            }
            return .redirect(to: Self.origin(of: request) ?? Link("streams", path[1]))
        case ("quarantine", let deed?, 3):
            guard let record = Int64(path[1]) else { throw DashboardError.noAction(request.link) }
            let stream = try await read { reader in
                try MissingPage.translating { try reader.quarantined(record).entry.stream }
            }
            guard let name = StreamName(full: stream) else { throw DashboardError.noAction(request.link) }
            switch deed {
            case "retry": try await actions.retryQuarantine(of: name, record: record)
            case "drop": try await actions.dropQuarantined(record, of: name)
            default: throw DashboardError.noAction(request.link)
            }
            return .redirect(to: Self.origin(of: request) ?? Link("streams", stream))
        default: throw DashboardError.noAction(request.link)
        }
    }

    /// The page of this dashboard on which the form stood; nil if the browser does not tell.
    private static func origin(of request: WebRequest) -> Link? {
        guard let referer = request.headers["referer"], let host = request.headers["host"] else { return nil }
        let own = ["http://\(host)/", "https://\(host)/"].first { referer.utf8.starts(with: $0.utf8) }
        return own.map {
            WebRequest(target: "/" + String(decoding: Array(referer.utf8.dropFirst($0.utf8.count)), as: UTF8.self)).link
        }
    }

    func readiness() async -> WebResponse {
        do {
            _ = try await read { try $0.changeMark() }
            return .text("ready\n")
        } catch {
            return .text("the database cannot be read\n", status: 503)
        }
    }
}
