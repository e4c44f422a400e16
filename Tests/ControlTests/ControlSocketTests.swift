import GarnerCatalog
import Foundation
import ServiceLifecycle
import TestSupport
import Testing

@testable import GarnerControl

@Suite(.timeLimit(.minutes(5)))
struct ControlSocketTests {
    /// A database path that is longer than any address of a socket.
    private static let longName = String(repeating: "long/", count: 24) + "garner.db"

    @Test func `the socket is its owner's alone, and gone after the service`() async throws {
        let rig = try ControlRig()
        try await rig.serve { _ in
            #expect(rig.path == rig.database.resolved + ".sock")
            #expect(rig.permissions(of: rig.path) == 0o600)
        }
        #expect(!rig.isThere)
    }

    @Test func `what a dead service left is replaced`() async throws {
        let rig = try ControlRig()
        try #require(RawClient.leaveSocket(at: rig.path))
        #expect(await rig.client() == nil)
        try await rig.serve { _ in #expect(await rig.client() != nil) }
        #expect(!rig.isThere)
    }

    @Test func `the socket does not replace another file, and is made once that file is gone`() async throws {
        let rig = try ControlRig()
        try Data("mine".utf8).write(to: URL(filePath: rig.path))
        let warned = Task {
            await rig.clock.sleeper(for: .seconds(30))
            rig.clock.advance(by: .seconds(30))
            // The same once more is not said again.
            await rig.clock.sleeper(for: .seconds(30))
            #expect((try? String(contentsOfFile: rig.path, encoding: .utf8)) == "mine")
            try FileManager.default.removeItem(atPath: rig.path)
            rig.clock.advance(by: .seconds(30))
        }
        try await rig.serve { _ in
            try await warned.value
            #expect(await rig.client() != nil)
            #expect(
                rig.log.value == [
                    "Commands cannot reach this service: \(rig.path) cannot be made: there is another file of that name",
                    "Listening",
                ])
        }
    }

    @Test func `a second service takes over, and the end of the first leaves it alone`() async throws {
        let rig = try ControlRig()
        let (first, second, isAsked) = (Watched(false), Watched(false), Watched(false))
        let other = Task {
            await first.until { $0 }
            try await rig.serve({ _, reply in await reply(.accepted) }) { _ in
                await rig.log.until { $0.count == 2 }
                second.value = true
                await isAsked.until { $0 }
            }
        }
        try await rig.serve { _ in
            first.value = true
            await second.until { $0 }
        }
        let client = try #require(await rig.client())
        #expect(try await client.ask(.pause(.animals)) == .accepted)
        isAsked.value = true
        try await other.value
        #expect(!rig.isThere)
    }

    @Test func `a database path too long for a socket address gets a socket in a private folder`() async throws {
        let rig = try ControlRig(database: Self.longName)
        try await rig.serve { _ in
            #expect(rig.path.utf8.count <= ControlSocket.longestPath)
            let folder = rig.folder.path("garner-\(getuid())")
            #expect(rig.path.hasPrefix(folder + "/"))
            #expect(rig.permissions(of: folder) == 0o700)
            #expect(rig.permissions(of: rig.path) == 0o600)
            let client = try #require(await rig.client())
            #expect(try await client.ask(.pause(.animals)) == .done)
        }
        #expect(!rig.isThere)
    }

    @Test func `a folder that others may look into is not used`() async throws {
        let rig = try ControlRig(database: Self.longName)
        let folder = rig.folder.path("garner-\(getuid())")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        #expect(throws: SocketError.self) { try ListeningSocket(#require(rig.socket)) }
        #expect(RawClient.leaveSocket(at: rig.path))
        #expect(await rig.client() == nil)
    }

    @Test func `a symbolic link is not used as the private folder of the socket`() async throws {
        let rig = try ControlRig(database: Self.longName)
        let aside = rig.folder.path("aside")
        try FileManager.default.createDirectory(
            atPath: aside, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try FileManager.default.createSymbolicLink(
            atPath: rig.folder.path("garner-\(getuid())"), withDestinationPath: aside)
        #expect(throws: SocketError.self) { try ListeningSocket(#require(rig.socket)) }
    }

    @Test func `two names of one database have one socket`() throws {
        let rig = try ControlRig()
        let link = rig.folder.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: rig.database)
        #expect(ControlSocket(database: link) == ControlSocket(database: rig.database))
        #expect(ControlSocket(database: rig.folder.path("none.db")) == nil)
    }
}

extension String {
    fileprivate var resolved: String { URL(filePath: self).resolvingSymlinksInPath().path }
}
