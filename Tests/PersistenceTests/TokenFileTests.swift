import GarnerCatalog
import Foundation
import GarnerModel
import GarnerPersistence
import TestSupport
import Testing

struct TokenFileTests {
    private let folder: TemporaryFolder
    private let file: TokenFile

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(database: folder.path("garner.db"))
    }

    private var path: String { folder.path("garner.db.tokens") }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() }
    }

    @Test func `what was saved is there`() throws {
        #expect(try file.load("a") == nil)
        #expect(try names == [])
        try file.save(Secret("r1"), for: "a")
        try file.save(Secret("s1"), for: "b")
        try file.save(Secret("r2"), for: "a")
        let other = TokenFile(database: folder.path("garner.db"))
        #expect(try other.load("a") == Secret("r2"))
        #expect(try other.load("b") == Secret("s1"))
        #expect(try other.load("c") == nil)
        #expect(try names == ["garner.db.tokens"])
    }

    @Test(arguments: ["", "\"\\\u{0}\n", "\u{1F40E}", String(repeating: "x", count: 100_000)])
    func `any text is kept`(text: String) throws {
        try file.save(Secret(text), for: "key \(text.prefix(3))")
        #expect(try file.load("key \(text.prefix(3))") == Secret(text))
    }

    private static let refusal = RefusedLogin(
        salt: "5a", code: "c0de", at: Timestamp(millisecondsSince1970: 1_769_846_700_000), count: 3)

    @Test func `refused logins are there beside the tokens, until they are removed`() throws {
        #expect(try file.refusedLogins() == [])
        try file.changeRefusedLogins { $0.append(Self.refusal) }
        #expect(try file.load("a") == nil)
        try file.save(Secret("r1"), for: "a")
        let other = TokenFile(database: folder.path("garner.db"))
        #expect(try other.refusedLogins() == [Self.refusal])
        #expect(try other.load("a") == Secret("r1"))
        try other.changeRefusedLogins { $0 = [] }
        #expect(try file.refusedLogins() == [])
        #expect(try file.load("a") == Secret("r1"))
    }

    @Test(arguments: ["{}", "7", "[7]", #"[{"salt":"5a","code":"c0de","at":"soon","count":1}]"#])
    func `a file with something else in the place of refused logins is refused`(list: String) throws {
        try Data(#"{"refresh_tokens":{},"refused_logins":\#(list)}"#.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: PersistenceError.self) { try file.refusedLogins() }
        #expect(error?.kind == .unusable)
        #expect(throws: PersistenceError.self) { try file.changeRefusedLogins { $0 = [] } }
    }

    @Test func `the token file is a JSON object`() throws {
        try file.save(Secret("r1"), for: "a")
        let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path)))
        #expect(object as? [String: [String: String]] == ["refresh_tokens": ["a": "r1"]])
    }

    @Test func `only the owner can read the token file, whatever it was before`() throws {
        try Data().write(to: URL(filePath: path))
        try Data("left by a crash".utf8).write(to: URL(filePath: path + ".part"))
        for name in [path, path + ".part"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: name)
        }
        try file.save(Secret("r1"), for: "a")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try names == ["garner.db.tokens"])
    }

    @Test func `the token file is replaced atomically`() throws {
        try file.save(Secret("r1"), for: "a")
        let old = try FileHandle(forReadingFrom: URL(filePath: path))
        try file.save(Secret("r2"), for: "a")
        let text = String(decoding: try old.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.contains("r1") && !text.contains("r2"))
    }

    @Test func `two names of a database have one file, and links stay`() throws {
        try Data().write(to: URL(filePath: folder.path("garner.db")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.db"), withDestinationPath: folder.path("garner.db"))
        try Data().write(to: URL(filePath: folder.path("elsewhere")))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.path("elsewhere"))
        try TokenFile(database: folder.path("link.db")).save(Secret("r1"), for: "a")
        #expect(try file.load("a") == Secret("r1"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == folder.path("elsewhere"))
        #expect(try names == ["elsewhere", "garner.db", "garner.db.tokens", "link.db"])
    }

    @Test(.timeLimit(.minutes(5))) func `concurrent saves lose no token`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    for round in 0..<5 { try file.save(Secret("\(round)"), for: "k\(number)") }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<20 { #expect(try file.load("k\(number)") == Secret("4")) }
    }

    @Test(arguments: ["{", "[]", #"{"refresh_tokens":[]}"#, #"{"refresh_tokens":{"a":1}}"#, "\u{0}\u{0}\u{0}"])
    func `a file of something else is refused and left as it is`(text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        let load = #expect(throws: PersistenceError.self) { try file.load("a") }
        #expect(load?.kind == .unusable)
        #expect(load?.message.contains(path) == true)
        let save = #expect(throws: PersistenceError.self) { try file.save(Secret("r1"), for: "a") }
        #expect(save?.kind == .unusable)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(text.utf8))
    }

    @Test func `where nothing can be written, it says so and what to do`() throws {
        let file = TokenFile(database: folder.path("nowhere/garner.db"))
        #expect(try file.load("a") == nil)
        let error = #expect(throws: PersistenceError.self) { try file.save(Secret("c4nary"), for: "a") }
        #expect(error?.kind == .inputOutput)
        #expect(error?.message.contains("nowhere/garner.db.tokens") == true)
        #expect(error?.message.contains("c4nary") == false)
        #expect(error?.hint.text?.contains("sign in again and replace auth: refresh_token") == true)
    }

    @Test func `a folder in its place is refused`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: PersistenceError.self) { try file.load("a") }
        #expect(throws: PersistenceError.self) { try file.save(Secret("r1"), for: "a") }
    }
}
