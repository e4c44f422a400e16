import GarnerCatalog
import GarnerLibC
import GarnerMaintenance
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerPublish
import GarnerReports
import GarnerRuntime

extension Setup {
    /// Tries the connection and the rights of `publish`, and shows the tables that there are or would be. Changes nothing.
    ///
    /// - Returns: A category for what is wrong, or nil for a success; empty if nothing is published.
    func checkPublication(of configuration: Configuration) async -> [ErrorCategory?] {
        guard let target = configuration.publish else { return [] }
        let examination: PublicationExamination
        do {
            examination = try await PublicationExamination(
                of: Publisher.Target(target), path: existing(configuration.database),
                streams: configuration.streams.map { ("\($0.name)", $0.table) })
        } catch {
            showProblem(.publishing(error), target)
            return [RunFailure.publishing(error).category]
        }
        if !isQuiet, !format.isJSON {
            let server = examination.server.firstRange(of: " on ").map {
                String(examination.server[..<$0.lowerBound])
            }
            StandardError.write("\(target.shownURL): \(server ?? examination.server)\n")
            for table in examination.tables {
                let state = table.isThere ? "" : ", which is not there yet"
                StandardError.write("\(table.place)\(state): \(table.columns.joined(separator: ", "))\n")
            }
        }
        for problem in examination.problems { showProblem(problem.failure, target) }
        return [examination.problems.first?.failure.category]
    }

    private func showProblem(_ failure: RunFailure, _ target: PublicationTarget) {
        var error = CommandError(failure)
        error.place = target.place.description
        StandardError.write(error.text(decoration(on: STDERR_FILENO)))
    }

    /// Returns the path of a database; nil if there is none, or none that can be read.
    fileprivate func existing(_ database: String) -> String? {
        (try? ReadOnlyDatabase(path: database)).map { _ in database }
    }
}

/// What `doctor` says of the published tables: what waits, and whether both sides have as many rows.
struct PublicationFindings {
    private static let subject = "publication"

    let setup: Setup
    let configuration: Configuration
    let database: String

    func all() async -> [Finding] {
        guard let target = configuration.publish, setup.existing(database) != nil else { return [] }
        var findings: [Finding] = []
        if let reader = try? ReadOnlyDatabase(path: database),
            let standing = try? PublicationStanding(of: configuration, in: reader)
        {
            let remedy = "garner publish, which tries it again and says what to do"
            findings = standing.troubles.map { .warning(Self.subject, $0, hint: .text(remedy)) }
            if findings.isEmpty {
                findings.append(
                    standing.notice(at: setup.now()).map {
                        .warning(Self.subject, $0.text, hint: .text($0.remedy))
                    } ?? .ok(Self.subject, standing.line))
            }
        }
        do {
            let examination = try await examine(target)
            findings += examination.problems.map { problem in
                .problem(Self.subject, problem.message, hint: .text(problem.hint ?? "garner publish"))
            }
            let differing = try await settled(examination.tables, of: target)
            findings += examination.tables.compactMap { finding($0, isSettled: differing.contains($0.name)) }
        } catch {
            let failure = RunFailure.publishing(error)
            let hint = failure.hint ?? .text("garner publish")
            let words = "\(target.shownURL): \(failure.message)"
            findings.append(
                failure.category == .unavailable
                    ? .warning(Self.subject, words, hint: hint) : .problem(Self.subject, words, hint: hint))
        }
        return findings
    }

    private func examine(_ target: PublicationTarget) async throws -> PublicationExamination {
        try await PublicationExamination(of: Publisher.Target(target), path: database, countsRows: true)
    }

    /// Returns the tables whose numbers of rows differ although nobody sends any: they are the same twice, and nothing waits in between.
    private func settled(
        _ tables: [PublicationExamination.Table], of target: PublicationTarget
    ) async throws -> Set<String> {
        let differing = tables.filter { $0.rows != nil && $0.rows != $0.rowsInFile }
        // What is written now is not there yet.
        guard !differing.isEmpty, WriterLock.state(of: database) != .free else { return Set(differing.map(\.name)) }
        let status = try ReadOnlyDatabase(path: database).publicationStatus()
        let steady = (status?.tables ?? []).filter { $0.waitingNotes == 0 }.compactMap(\.name)
        let again = try await examine(target).tables
        return Set(differing.filter { again.contains($0) }.map(\.name)).intersection(steady)
    }

    private func finding(_ table: PublicationExamination.Table, isSettled: Bool) -> Finding? {
        if table.isLost, let reason = table.behindReason {
            return .warning(Self.subject, "\(table.place): \(reason)", hint: .text("garner publish"))
        }
        if let lock = table.lock {
            return .warning(Self.subject, "\(table.place): \(lock)", hint: .text("garner doctor, once that has ended"))
        }
        guard let here = table.rowsInFile, let there = table.rows else { return nil }
        let counts = "\(table.place) has \(there.counted("row")), and \(table.name) here \(here)"
        if here == there { return .ok(Self.subject, counts) }
        guard isSettled else { return .ok(Self.subject, counts + ", while it is written") }
        return .warning(
            Self.subject, counts, hint: .text("garner publish; if it stays so, garner publish \(table.name)"))
    }
}
