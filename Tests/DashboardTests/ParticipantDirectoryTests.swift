import Foundation
import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Dashboard

@Suite("Participants as people")
struct ParticipantDirectoryTests {
    private struct Away: Error {}

    /// A timeline that tells what a test has it tell, and notes what it was asked; and the time.
    private final class Timeline: Sendable {
        private struct State {
            var people: [KnownPerson]? = []
            var asked: [TimelineQuery.Name] = []
            var now = 0.0
        }

        private let state = Mutex(State())
        var asked: [TimelineQuery.Name] { state.withLock { $0.asked } }
        var now: Double { state.withLock { $0.now } }

        /// - Parameter people: nil where it is away.
        func tells(_ people: [KnownPerson]?) { state.withLock { $0.people = people } }

        func wait(_ seconds: Double) { state.withLock { $0.now += seconds } }

        func answer(_ message: OutgoingMessage) throws -> [UInt8] {
            let request = try JSONDecoder().decode(TimelineRequest.self, from: Data(message.payload))
            let people = state.withLock { state in
                state.asked.append(TimelineRequestFields(request).query)
                return state.people
            }
            guard let people else { throw Away() }
            return [UInt8](try JSONEncoder().encode(["result": people]))
        }
    }

    private let timeline = Timeline()
    private let hub = LiveHub()
    private let everybodys = Account(name: "nora", roles: [.carer], participants: ["*"])

    private func people(_ count: Int) -> [KnownPerson] {
        (0..<count).map { KnownPerson(participant: "p-\($0)", profile: ParticipantProfile(pseudonym: "P \($0)", order: $0)) }
    }

    private func directory(after wait: @escaping @Sendable () async -> Void = {}) -> ParticipantDirectory {
        let bus = SuiteClient { [timeline] _, message in
            await wait()
            return try timeline.answer(message)
        }
        return ParticipantDirectory(bus: bus, hub: hub) { [timeline] in timeline.now }
    }

    private func names(_ directory: ParticipantDirectory) async -> [String?] {
        await directory.people(for: everybodys).map(\.profile.pseudonym)
    }

    @Test("all are asked for again where the clock was set back, and not before half a minute after that")
    func setBack() async {
        timeline.tells(people(1))
        timeline.wait(1e9)
        let directory = directory()
        #expect(await names(directory) == ["P 0"])
        timeline.tells(people(2))
        timeline.wait(-1e9)
        #expect(await names(directory) == ["P 0", "P 1"])
        timeline.wait(29)
        #expect(await names(directory).count == 2)
        timeline.wait(-29)
        #expect(await names(directory).count == 2)
        #expect(timeline.asked.count == 2)
    }

    @Test("all are asked for at once, and again after half a minute or a change")
    func once() async {
        timeline.tells(people(700))
        let directory = directory()
        #expect(await names(directory) == (0..<700).map { "P \($0)" })
        #expect(await directory.names().count == 700 && timeline.asked == [.people])
        timeline.wait(31)
        #expect(await names(directory).count == 700 && timeline.asked.count == 2)
        timeline.tells(people(2))
        await directory.forget("p-5")
        #expect(await names(directory) == ["P 0", "P 1"] && timeline.asked.count == 3)
    }

    @Test("whoever comes while the timeline is asked gets the same answer")
    func together() async {
        timeline.tells(people(3))
        let (asked, opened) = (Latch(), Latch())
        let directory = directory {
            asked.open()
            await opened.wait()
        }
        async let first = names(directory)
        await asked.wait()
        async let second = names(directory)
        async let third = directory.names().count
        opened.open()
        #expect(await (first, second, third) == (["P 0", "P 1", "P 2"], ["P 0", "P 1", "P 2"], 3))
        #expect(timeline.asked == [.people])
    }

    @Test("a timeline that is away is asked once in five seconds, takes nobody away, and hides nobody who is live")
    func away() async {
        timeline.tells(people(1))
        let directory = directory()
        #expect(await names(directory) == ["P 0"])
        timeline.tells(nil)
        timeline.wait(31)
        hub.take(
            remembered: LivePicture.Value(time: Timestamp(seconds: 1), source: "watch", content: .value(60), unit: "/min"), "heart-rate",
            of: "anna")
        for _ in 0..<20 {
            #expect(await directory.people(for: everybodys).map(\.participant) == ["p-0", "anna"])
        }
        #expect(timeline.asked.count == 2)
        timeline.wait(6)
        timeline.tells(people(2))
        #expect(await names(directory).count == 3 && timeline.asked.count == 3)
    }

    @Test("somebody who is assigned to a person has that person, heard of or not, and nobody else")
    func assigned() async {
        timeline.tells(people(3))
        let people = await directory().people(for: Account(name: "nurse", roles: [.carer], participants: ["p-1", "zoe"]))
        #expect(people.map(\.participant) == ["p-1", "zoe"] && people.map(\.profile.pseudonym) == ["P 1", nil])
    }
}
