import GarnerCatalog
import Foundation
import GarnerModel
import ServiceLifecycle
import TestSupport
import Testing

@testable import GarnerControl

@Suite(.timeLimit(.minutes(5)))
struct ControlServerTests {
    private static let trigger = ControlRequest.trigger(RunRequest("1", of: .animals), waits: false)
    private static let waiting = ControlRequest.trigger(RunRequest("1", of: .animals), waits: true)

    @Test func `a request comes as it was made, and the last reply comes back`() async throws {
        let rig = try ControlRig()
        let came = Watched<[ControlRequest]>([])
        let wish = RunRequest("x", of: .animals, restarts: true, maximumPages: 2)
        try await rig.serve({ request, reply in
            came.change { $0.append(request) }
            await reply(.accepted)
            await reply(.ended(run: 5))
        }) { _ in
            let client = try #require(await rig.client())
            #expect(try await client.ask(.trigger(wish, waits: true)) == .ended(run: 5))
            #expect(try await client.ask(Self.trigger) == .accepted)
        }
        #expect(came.value == [.trigger(wish, waits: true), Self.trigger])
    }

    @Test func `a refusal is thrown`() async throws {
        let rig = try ControlRig()
        try await rig.serve({ _, reply in await reply(.refused(.stopping)) }) { _ in
            let client = try #require(await rig.client())
            await #expect(throws: ControlError.stopping) { try await client.ask(Self.trigger) }
        }
    }

    @Test(arguments: ["", "{}", "no JSON", #"{"command":"reboot","stream":"a.b"}"#, "\u{0}\u{1B}[2J"])
    func `what is no request gets a line that says so`(line: String) async throws {
        let rig = try ControlRig()
        try await rig.serve { _ in
            let client = try RawClient(rig.path)
            client.send(line + "\n")
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix(#"{"code":70,"event":"refused","hint":""#))
            #expect(answer.contains(#""kind":"not_understood""#))
            #expect(answer.count { $0 == "\n" } == 1)
        }
    }

    @Test func `a line without an end is refused at its limit`() async throws {
        let rig = try ControlRig()
        try await rig.serve { _ in
            let client = try RawClient(rig.path)
            client.send([UInt8](repeating: UInt8(ascii: " "), count: 64 << 10))
            client.send(" ")
            #expect(await client.readToEnd().contains(#""kind":"line_too_long""#))
        }
    }

    @Test func `the longest line is understood, in however many pieces`() async throws {
        let rig = try ControlRig()
        try await rig.serve { _ in
            let client = try RawClient(rig.path)
            let request = #"{"command":"pause","stream":"zoo.animals"}"#
            client.send([UInt8](repeating: UInt8(ascii: " "), count: (64 << 10) - request.utf8.count))
            for byte in request.utf8 { client.send([byte]) }
            client.send("\n")
            #expect(await client.readToEnd() == "{\"event\":\"done\"}\n")
        }
    }

    @Test func `the client refuses to ask what is too long`() async throws {
        let rig = try ControlRig()
        try await rig.serve { _ in
            let client = try #require(await rig.client())
            let name = StreamName(source: "zoo", stream: String(repeating: "a", count: 64 << 10))
            await #expect(throws: ControlError.tooLong(64 << 10)) { try await client.ask(.pause(name)) }
        }
    }

    @Test func `the server hangs up on a client that connects and sends no request`() async throws {
        let rig = try ControlRig()
        try await rig.serve { _ in
            let client = try RawClient(rig.path)
            client.send("{")
            await rig.clock.sleeper(for: .seconds(10))
            rig.clock.advance(by: .seconds(10))
            #expect(await client.readToEnd().contains(#""kind":"no_request""#))
        }
    }

    @Test func `the server cancels the handler when its client leaves`() async throws {
        let rig = try ControlRig()
        let (begun, cancelled) = (Watched(0), Watched(0))
        try await rig.serve({ _, reply in
            await reply(.accepted)
            begun.change { $0 += 1 }
            await Watched(false).until { $0 }
            cancelled.change { $0 += 1 }
        }) { _ in
            let client = try RawClient(rig.path)
            client.send(#"{"command":"pause","stream":"zoo.animals"}"# + "\n")
            await begun.until { $0 == 1 }
            client.leave()
            await cancelled.until { $0 == 1 }

            let asking = Task { try await rig.client()?.ask(Self.waiting) }
            await begun.until { $0 == 2 }
            asking.cancel()
            await cancelled.until { $0 == 2 }
            await #expect(throws: CancellationError.self) { try await asking.value }
        }
    }

    @Test func `the 33rd client is told to come again, and the 65th is hung up on`() async throws {
        let rig = try ControlRig()
        let served = Watched(0)
        try await rig.serve({ request, reply in
            guard request == .pause(.animals) else { return await reply(.done) }
            served.change { $0 += 1 }
            await Watched(false).until { $0 }
        }) { _ in
            let waiting = try (0..<32).map { _ in try RawClient(rig.path) }
            for client in waiting { client.send(#"{"command":"pause","stream":"zoo.animals"}"# + "\n") }
            await served.until { $0 == 32 }
            let resume = #"{"command":"resume","stream":"zoo.animals"}"# + "\n"
            let busy = try RawClient(rig.path)
            busy.send(resume)
            #expect(await busy.readToEnd().contains(#""kind":"busy""#))

            var silent: [RawClient] = []
            while silent.count < 32 {
                let client = try RawClient(rig.path)
                while rig.silentClients == silent.count, !client.hasAnswer { await Task.yield() }
                // The place of a client that left is free as soon as the server has noticed.
                if !client.hasAnswer { silent.append(client) }
            }
            #expect(try await RawClient(rig.path).readToEnd() == "")

            for client in silent + waiting.prefix(1) { client.leave() }
            let one = try #require(await rig.client())
            #expect(try await Self.reply(of: one) == .done)
        }
    }

    @Test func `a client that waits for a run asks again until the server has room`() async throws {
        let rig = try ControlRig()
        let served = Watched(0)
        try await rig.serve({ request, reply in
            guard request == .pause(.animals) else { return await reply(.done) }
            served.change { $0 += 1 }
            await Watched(false).until { $0 }
        }) { _ in
            let waiting = try (0..<32).map { _ in try RawClient(rig.path) }
            for client in waiting { client.send(#"{"command":"pause","stream":"zoo.animals"}"# + "\n") }
            await served.until { $0 == 32 }
            let client = try #require(await rig.client())
            let asking = Task { try await client.resume(.animals) }
            for wait in [Duration.milliseconds(50), .milliseconds(100)] {
                await rig.clock.sleeper(for: wait)
                rig.clock.advance(by: wait)
            }
            waiting[0].leave()
            let passing = Task {
                // Only its waits pass: a reply that is on its way has longer.
                while !Task.isCancelled {
                    await rig.clock.sleepers(fulfil: { $0.first.map { $0 <= .seconds(2) } == true })
                    rig.clock.advance(by: rig.clock.waits.first ?? .zero)
                }
            }
            try await asking.value
            passing.cancel()
            for client in waiting { client.leave() }
        }
    }

    @Test func `a client that waits for no run gives up after half a minute without room`() async throws {
        let rig = try ControlRig()
        let asked = Watched(0)
        try await rig.serve({ _, reply in
            asked.change { $0 += 1 }
            await reply(.refused(.busy))
        }) { _ in
            let clock = ManualClock()
            let client = try #require(await rig.client(clock))
            var waits: [Duration] = [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400)]
            waits += [.milliseconds(800), .milliseconds(1600)] + Array(repeating: .seconds(2), count: 14)
            let giveUp = Self.pass(waits, of: clock)
            await #expect(throws: ControlError.busy) { try await client.pause(.animals) }
            giveUp.cancel()
            #expect(asked.value == 21)

            let running = Task { try await client.run(RunRequest("1", of: .animals)) }
            let goOn = Self.pass(waits + waits.suffix(9), of: clock)
            await asked.until { $0 == 51 }
            goOn.cancel()
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }

    /// Lets a client's waits pass, one after the other.
    private static func pass(_ waits: [Duration], of clock: ManualClock) -> Task<Void, Never> {
        Task {
            for wait in waits where !Task.isCancelled {
                await clock.sleeper(for: wait)
                clock.advance(by: wait)
            }
        }
    }

    private static func reply(of client: ControlClient) async throws -> ControlReply {
        while true {
            do {
                return try await client.ask(.resume(.animals))
            } catch let refusal as ControlError where [.busy, .hungUp].contains(refusal) {
                continue
            }
        }
    }

    @Test func `a client that does not read its reply holds up only itself`() async throws {
        let rig = try ControlRig()
        let isOver = Watched(false)
        try await rig.serve({ request, reply in
            guard request == .pause(.animals) else { return await reply(.done) }
            // Sooner or later it is more than the system and the connection keep for a reader.
            let text = String(repeating: "x", count: 32 << 10)
            while !Task.isCancelled {
                await reply(.refused(ControlError(.failed, kind: "k", message: text)))
            }
            isOver.value = true
        }) { _ in
            let client = try RawClient(rig.path)
            client.send(#"{"command":"pause","stream":"zoo.animals"}"# + "\n")
            await rig.clock.sleeper(for: .seconds(20))
            let other = try #require(await rig.client())
            #expect(try await other.ask(.resume(.animals)) == .done)
            #expect(!isOver.value)
            let passing = Task {
                while !Task.isCancelled {
                    await rig.clock.sleeper(for: .seconds(20))
                    rig.clock.advance(by: .seconds(20))
                }
            }
            await isOver.until { $0 }
            passing.cancel()
            // It was there all the time.
            client.leave()
        }
    }

    @Test func `a service that does not answer is given up`() async throws {
        let rig = try ControlRig()
        let begun = Watched(false)
        try await rig.serve({ _, _ in
            begun.value = true
            await Watched(false).until { $0 }
        }) { _ in
            let client = try #require(await rig.client())
            let answer = Task { try await client.ask(Self.trigger) }
            await begun.until { $0 }
            await rig.clock.sleeper(for: .seconds(15))
            rig.clock.advance(by: .seconds(15))
            await #expect(throws: ControlError.noReply) { try await answer.value }
        }
    }

    @Test func `a client reports a service that hangs up before the end`() async throws {
        let rig = try ControlRig()
        try await rig.serve({ _, reply in await reply(.accepted) }) { _ in
            let client = try #require(await rig.client())
            await #expect(throws: ControlError.lost) { try await client.ask(Self.waiting) }
        }
    }

    @Test func `replies that are on their way when the service stops still come`() async throws {
        let rig = try ControlRig()
        let (begun, goesOn) = (Watched(false), Watched(false))
        try await rig.serve({ _, reply in
            await reply(.accepted)
            begun.value = true
            await goesOn.until { $0 }
            await reply(.ended(run: 9))
        }) { group in
            let client = try #require(await rig.client())
            let answer = Task { try await client.ask(Self.waiting) }
            await begun.until { $0 }
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(1))
            goesOn.value = true
            #expect(try await answer.value == .ended(run: 9))
        }
    }

    @Test func `a stopping service waits no longer than that`() async throws {
        let rig = try ControlRig()
        let begun = Watched(false)
        try await rig.serve({ _, reply in
            await reply(.accepted)
            begun.value = true
            await Watched(false).until { $0 }
        }) { group in
            let client = try #require(await rig.client())
            let answer = Task { try await client.ask(Self.waiting) }
            await begun.until { $0 }
            await group.triggerGracefulShutdown()
            await rig.clock.sleeper(for: .seconds(1))
            rig.clock.advance(by: .seconds(1))
            await #expect(throws: ControlError.lost) { try await answer.value }
        }
        #expect(!rig.isThere)
    }

    @Test func `a client finds no service where nothing listens`() async throws {
        let rig = try ControlRig()
        #expect(await rig.client() == nil)
        try Data().write(to: URL(filePath: rig.path))
        #expect(await rig.client() == nil)
    }

    @Test func `a service that has gone cannot be reached`() async throws {
        let rig = try ControlRig()
        let client = Watched<ControlClient?>(nil)
        try await rig.serve { _ in client.value = await rig.client() }
        let gone = try #require(client.value)
        let refusal = await #expect(throws: ControlError.self) { try await gone.ask(Self.trigger) }
        #expect(refusal?.kind == "unreachable")
    }
}

extension StreamName {
    static let animals = StreamName(source: "zoo", stream: "animals")
}
