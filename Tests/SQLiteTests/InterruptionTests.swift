import Dispatch
import Foundation
import GarnerSQLite
import Testing

struct InterruptionTests {
    let connection: Connection
    let interruption: Interruption
    private let database: Database
    private static let endless = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c"

    init() throws {
        database = try Database()
        connection = try database.writer()
        interruption = Interruption(of: connection)
    }

    @Test(.timeLimit(.minutes(5))) func `the ticket that runs is stopped`() throws {
        let ticket = interruption.ticket()
        let error = sqliteError {
            try interruption.running(ticket) {
                let statement = try connection.statement(Self.endless)
                defer { statement.reset() }
                while try statement.step() {
                    if statement.integer(at: 0) == 10 { interruption.interrupt(ticket) }
                }
            }
        }
        #expect(error?.kind == .interrupted)
    }

    @Test(.timeLimit(.minutes(5))) func `another thread stops the ticket that runs`() throws {
        let ticket = interruption.ticket()
        let started = DispatchSemaphore(value: 0)
        let interruption = interruption
        Thread.detachNewThread {
            started.wait()
            interruption.interrupt(ticket)
        }
        let error = sqliteError {
            try interruption.running(ticket) {
                let statement = try connection.statement(Self.endless)
                defer { statement.reset() }
                while try statement.step() { if statement.integer(at: 0) == 10 { started.signal() } }
            }
        }
        #expect(error?.kind == .interrupted)
    }

    @Test func `an interruption does not stop another ticket`() throws {
        let (mine, other) = (interruption.ticket(), interruption.ticket())
        #expect(mine != other)
        try interruption.running(mine) {
            let statement = try connection.statement("\(Self.endless) LIMIT 100")
            defer { statement.reset() }
            var rows = 0
            while try statement.step() {
                rows += 1
                interruption.interrupt(other)
            }
            #expect(rows == 100)
        }
    }

    @Test func `a ticket that has ended stops nothing`() throws {
        let (first, second) = (interruption.ticket(), interruption.ticket())
        #expect(try interruption.running(first) { try connection.integer("SELECT 1") } == 1)
        interruption.interrupt(first)
        try interruption.running(second) {
            let statement = try connection.statement("\(Self.endless) LIMIT 10")
            defer { statement.reset() }
            #expect(try statement.step())
            interruption.interrupt(first)
            #expect(try statement.step())
        }
    }

    @Test func `what was stopped between two statements does not stop the next ticket`() throws {
        let (first, second) = (interruption.ticket(), interruption.ticket())
        try interruption.running(first) {
            _ = try connection.integer("SELECT 1")
            interruption.interrupt(first)
        }
        #expect(try interruption.running(second) { try connection.integer("SELECT 2") } == 2)
    }

    @Test(.timeLimit(.minutes(5))) func `a transaction that was stopped leaves nothing`() throws {
        try connection.execute("CREATE TABLE t (a)")
        let ticket = interruption.ticket()
        let error = sqliteError {
            try interruption.running(ticket) {
                try connection.transaction {
                    try connection.execute("INSERT INTO t VALUES (1)")
                    let statement = try connection.statement(Self.endless)
                    defer { statement.reset() }
                    while try statement.step() { interruption.interrupt(ticket) }
                }
            }
        }
        #expect(error?.kind == .interrupted)
        #expect(!connection.isInTransaction)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }
}
