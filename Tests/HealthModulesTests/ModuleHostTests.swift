import Foundation
import MessageBus
import Observability
import ServiceKit
import Shares
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Module host")
struct ModuleHostTests {
    private let exchange: @Sendable (HostFixture) -> ModuleExchange = { ModuleExchange(host: $0.host) }

    @Test("tells a person of a change once, and takes the message back when the module is switched off")
    func messages() async throws {
        let fixture = try HostFixture([WeightModule()])
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)]))
        try await fixture.host.runDue()
        try await fixture.take(HostFixture.group("body-weight", [(-10, 83)]))
        try await fixture.host.runDue()
        #expect(fixture.messages.map { $0?.code } == ["sudden-gain"])
        let person = try #require(try await fixture.state.nextRefresh(before: fixture.clock.now))
        try await fixture.state.finish(person, ParticipantProfile(modules: []), [], fixture.host.registry, now: fixture.clock.now)
        try await fixture.host.runDue()
        #expect(fixture.messages.map { $0?.code } == ["sudden-gain", nil])
        #expect(try await exchange(fixture).value(of: "weight.available", participant: "anna") == .value(.boolean(false)))
    }

    @Test("nobody waits for a time that is still to come once the clock was set back to before it", arguments: [3600, 1e9])
    func waits(lead: Double) async throws {
        let fixture = try HostFixture([WeightModule()])
        fixture.clock.now = HostFixture.start + lead
        try await fixture.host.runDue()
        try await fixture.take(HostFixture.group("body-weight", [(lead - 10, 80)], received: fixture.clock.now), isHistory: true)
        fixture.clock.now = HostFixture.start
        try await fixture.host.runDue()
        #expect(try await fixture.state.result(of: "weight", "anna")?.evaluated == HostFixture.start)
        #expect(try await fixture.state.nextRefresh(before: HostFixture.start)?.name == "anna")
    }

    @Test(
        "what was worked out by a clock ahead by decades is worked out again by the readings that the timeline has",
        arguments: [false, true])
    func ahead(_ isStart: Bool) async throws {
        let fixture = try HostFixture([WeightModule()])
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80)]))
        try await fixture.host.runDue()
        let first = try #require(try await fixture.state.nextRefresh(before: HostFixture.start))
        try await fixture.state.finish(first, ParticipantProfile(), [], fixture.host.registry, now: HostFixture.start)
        fixture.clock.now = HostFixture.start + 1e9
        try await fixture.take(HostFixture.group("body-weight", [(1e9, 90)], received: fixture.clock.now))
        try await fixture.host.runDue()
        #expect(try await fixture.findings("weight")["latest"] == .value(.number(90)))
        fixture.clock.now = HostFixture.start + 60
        let next = isStart ? try HostFixture([WeightModule()], folder: fixture.folder) : fixture
        next.clock.now = HostFixture.start + 60
        try await next.host.runDue()
        let person = try #require(try await next.state.nextRefresh(before: next.clock.now))
        #expect(person.rebuild != nil && !person.isSynced)
        try await next.state.forgetReadings(of: person)
        next.intake.forget()
        try await next.take(HostFixture.group("body-weight", [(-86_400, 80)]), isHistory: true)
        try await next.state.finish(person, ParticipantProfile(), [], next.host.registry, now: next.clock.now)
        #expect(try await next.findings("weight")["latest"] == .value(.number(80)))
        #expect(try await next.state.result(of: "weight", "anna")?.evaluated == next.clock.now)
    }

    @Test("tells of each module how many shares the deployment goes by, as vigil check compares them", arguments: [1, 16])
    func shares(_ count: Int) async throws {
        let fixture = try HostFixture(shares: count)
        fixture.host.finish()
        try await fixture.host.run()
        let states = fixture.publisher.messages.filter { $0.topic.hasSuffix("/status") }
        #expect(states.count >= ModuleRegistry.standard.modules.count)
        #expect(states.allSatisfy { String(decoding: $0.payload, as: UTF8.self).contains(#""shares":\#(count)"#) == (count > 1) })
    }

    @Test("keeps a reminder until the quiet hours are over, in the person's zone")
    func quietHours() async throws {
        let fixture = try HostFixture([WeightModule()])
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80)]))
        let person = try #require(try await fixture.state.nextRefresh(before: fixture.clock.now))
        try await fixture.state.finish(
            person, ParticipantProfile(timeZone: "Asia/Tokyo"), [], fixture.host.registry, now: fixture.clock.now)
        try await exchange(fixture).set("person.quiet-hours", .text("22:00-07:00"), participant: "anna")
        try await fixture.host.runDue()
        #expect(fixture.messages.map { $0?.code } == ["trend"])
        // Midnight in Tokyo, seven days after the last weighing: 15:00 UTC.
        let calendar = PersonCalendar(zone: try #require(TimeZone(identifier: "Asia/Tokyo")))
        let midnight = calendar.time(day: calendar.day(of: HostFixture.start - 86_400) + 7)
        fixture.clock.now = midnight + 60
        try await fixture.host.runDue()
        #expect(fixture.messages.count == 1)
        fixture.clock.now = midnight + 7 * 3600
        try await fixture.host.runDue()
        #expect(fixture.messages.map { $0?.code } == ["trend", "no-weight"])
    }

    @Test("refuses in words what cannot be set, and knows of nobody's values")
    func refusals() async throws {
        let fixture = try HostFixture([WeightModule()])
        let exchange = exchange(fixture)
        for value: ParameterValue in [
            .text("NaN"), .number(.nan), .number(.infinity), .number(19), .number(401), .boolean(true), .text("seventy"),
        ] {
            await #expect(throws: ExchangeError.malformed(name: "weight.target", accepts: "a number from 20 to 400, or nothing")) {
                try await exchange.set("weight.target", value, participant: "anna")
            }
        }
        await #expect(throws: ExchangeError.readOnly(name: "weight.trend")) {
            try await exchange.set("weight.trend", .number(1), participant: "anna")
        }
        await #expect(throws: ExchangeError.readOnly(name: "weight.page")) {
            try await exchange.set("weight.page", .number(1), participant: "anna")
        }
        await #expect(throws: ExchangeError.self) { try await exchange.value(of: "weight.trend", participant: "nobody") }
        await #expect(throws: ExchangeError.self) { try await exchange.value(of: "weight.nothing", participant: "anna") }
        await #expect(throws: ExchangeError.self) { try await exchange.value(of: "", participant: "anna") }
        await #expect(throws: ExchangeError.self) { try await exchange.value(of: "weight.trend", participant: "an'na/#\u{0}") }
        try await exchange.set("weight.target", .text("70"), participant: "anna")
        #expect(try await exchange.value(of: "weight.target", participant: "anna") == .value(.number(70)))
        try await exchange.set("weight.target", .text(""), participant: "anna")
        await #expect(throws: ExchangeError.notKnown(name: "weight.target", reason: "it was not set")) {
            try await exchange.value(of: "weight.target", participant: "anna")
        }
    }

    @Test("forgets somebody whom the timeline has erased, and their messages")
    func erasure() async throws {
        let fixture = try HostFixture([WeightModule()])
        try await fixture.take(HostFixture.group("body-weight", [(-10, 80)]))
        try await exchange(fixture).set("weight.target", .number(70), participant: "anna")
        try await fixture.host.runDue()
        try await fixture.state.rebuild("anna", before: fixture.clock.now, at: fixture.clock.now)
        let person = try #require(try await fixture.state.nextRefresh(before: fixture.clock.now))
        try await fixture.state.forgetReadings(of: person)
        try await fixture.state.finish(person, ParticipantProfile(), [], fixture.host.registry, now: fixture.clock.now)
        try await fixture.host.runDue()
        #expect(try await fixture.state.participants() == [])
        #expect(fixture.publisher.messages.last?.payload == [] && fixture.publisher.messages.last?.retained == true)
        #expect(try await fixture.state.setting("weight.target", of: "anna") == nil)
    }

    @Test("does what was due before it was stopped, and says it once more at most")
    func restart() async throws {
        let first = try HostFixture([WeightModule()])
        try await first.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)]))
        first.publisher.failNext(.init(.connectionLost, during: .publish))
        await #expect(throws: (any Error).self) { try await first.host.runDue() }
        let second = try HostFixture([WeightModule()], folder: first.folder)
        try await second.host.runDue()
        #expect(second.messages.map { $0?.code } == ["sudden-gain"])
    }

    @Test(
        "tells later what the broker refuses for the moment, and gives up only what it will never take",
        arguments: [UInt8(0x80), 0x83, 0x97])
    func temporaryRefusal(reason: UInt8) async throws {
        let fixture = try HostFixture([WeightModule()])
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)]))
        fixture.publisher.failNext(.init(reason == 0x97 ? .quotaExceeded : .refused, during: .publish, reason: reason))
        try await fixture.host.runDue()
        #expect(fixture.publisher.messages.isEmpty)
        #expect(try await fixture.state.nextOutgoing() != nil)
        try await fixture.host.runDue()
        #expect(fixture.messages.map { $0?.code } == ["sudden-gain"])
        #expect(try await fixture.state.nextOutgoing() == nil)
        let count = fixture.publisher.messages.count
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)], participant: "bea"))
        fixture.publisher.failNext(.init(.refused, during: .publish, reason: 0x99))
        try await fixture.host.runDue()
        #expect(fixture.publisher.messages.count > count)
        #expect(try await fixture.state.nextOutgoing() == nil)
    }

    @Test("who stands by finds the same and tells nobody; taking over it tells what was found within a minute, and no older")
    func standsBy() async throws {
        let fixture = try HostFixture([WeightModule()], standsBy: true)
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)], participant: "early"))
        try await fixture.host.runDue()
        fixture.clock.now += 61
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)], participant: "late"))
        try await fixture.host.runDue()
        #expect(fixture.publisher.messages.isEmpty)
        #expect(try await fixture.state.result(of: "weight", "early")?.message?.code == "sudden-gain")
        let latch = Latch()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await fixture.host.work(holding: LeaseHold(service: "vigil-modules", share: 0, epoch: 1), until: latch) }
            try await eventually("the statuses") { fixture.publisher.messages.count == 1 }
            try await fixture.host.runDue()
            #expect(fixture.messages.map { $0?.participant } == ["late"])
            latch.open()
            try await tasks.waitForAll()
        }
        // The one that takes over tells that the modules work again.
        #expect(fixture.publisher.messages.last.map { $0.topic.hasSuffix("/status") && $0.payload.count > 0 } == true)
        let count = fixture.publisher.messages.count
        try await fixture.take(HostFixture.group("body-weight", [(0, 90)], participant: "late"))
        try await fixture.host.runDue()
        #expect(fixture.publisher.messages.count == count)
    }

    @Test(
        "what nobody has published is kept over a restart, however long ago it was found, and published by the one that takes over",
        arguments: [false, true])
    func keptUntilSeen(wasSeenJustAfter: Bool) async throws {
        let first = try HostFixture([WeightModule()])
        try await first.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)]))
        first.publisher.failNext(.init(.connectionLost, during: .publish))
        await #expect(throws: (any Error).self) { try await first.host.runDue() }
        // Another that was at work until a moment after may have been away for a minute.
        let isElsewhere = Mutex(wasSeenJustAfter)
        let second = try HostFixture(
            [WeightModule()], folder: first.folder, standsBy: true, isAtWorkElsewhere: { isElsewhere.withLock { $0 } })
        for pause in [30.0, 120, 600] {
            second.clock.now += pause
            try await second.host.runDue()
            isElsewhere.withLock { $0 = false }
        }
        #expect(try await second.state.nextOutgoing() != nil)
        #expect(second.messages.isEmpty)
        let latch = Latch()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await second.host.work(holding: LeaseHold(service: "vigil-modules", share: 0, epoch: 1), until: latch) }
            try await eventually("the statuses") { second.publisher.messages.count >= 1 }
            try await second.host.runDue()
            latch.open()
            try await tasks.waitForAll()
        }
        #expect(second.messages.map { $0?.code } == ["sudden-gain"])
    }

    @Test("what one that stands by found while its clock was ahead is kept for a minute once the clock is right, and no longer")
    func foundAhead() async throws {
        let fixture = try HostFixture([WeightModule()], standsBy: true)
        fixture.clock.now = HostFixture.start + 3600
        try await fixture.take(HostFixture.group("body-weight", [(-86_400, 80), (-10, 83)], received: fixture.clock.now))
        try await fixture.host.runDue()
        fixture.clock.now = HostFixture.start
        try await fixture.host.runDue()
        #expect(try await fixture.state.nextOutgoing() != nil)
        fixture.clock.now += 61
        try await fixture.host.runDue()
        #expect(try await fixture.state.nextOutgoing() == nil)
    }

    @Test("what was set for a person where another process was at work is taken over, and found anew")
    func adopts() async throws {
        let fixture = try HostFixture([WeightModule()])
        try await exchange(fixture).set("weight.target", .number(70), participant: "anna")
        try await exchange(fixture).set("weight.target", .number(80), participant: "bert")
        try await fixture.host.runDue()
        let own = try await fixture.state.settings()
        #expect(Set(own.map(\.person)) == ["anna", "bert"] && own.allSatisfy { $0.name == "weight.target" })
        let others =
            own.filter { $0.person == "bert" } + [
                SharedSettings.Entry(person: "carl", name: "weight.target", value: "90"),
                SharedSettings.Entry(person: "bert", name: "person.language", value: #""de""#),
            ]
        try await fixture.state.adopt(others, modules: ["weight"], now: fixture.clock.now)
        #expect(try await fixture.state.setting("weight.target", of: "anna") == nil)
        #expect(try await fixture.state.setting("weight.target", of: "bert") == .number(80))
        #expect(try await fixture.state.setting("person.language", of: "bert") == .text("de"))
        #expect(try await fixture.state.setting("weight.target", of: "carl") == .number(90))
        #expect(try await fixture.state.participants() == ["anna", "bert", "carl"])
        var due: [String] = []
        while let person = try await fixture.state.nextDue(before: fixture.clock.now), !due.contains(person.name) {
            due.append(person.name)
            try await fixture.host.evaluate(["weight"], participant: person.name)
        }
        #expect(due.sorted() == ["anna", "bert", "carl"])
    }
}
