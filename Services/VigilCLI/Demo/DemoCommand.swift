import Foundation
import MessageBus
import Observability
import ServiceKit
import Settings
import Signals
import VigilSchema

/// `vigil demo`: a synthetic family lives, with a year behind it.
enum DemoCommand {
    static let seconds = Setting.optional("seconds", .integer(in: 1...31_536_000), help: "The duration in seconds; endless by default.")
    static let zone = Setting("zone", .text, default: "Europe/Berlin", help: "The family's time zone.")

    static let command = Command(
        name: "demo",
        summary: "publishes a synthetic family of three with a year of history: one well, one with a fever, one who loses a sensor",
        details: """
            Their names, family and history are written once. After that they send live readings as devices \
            would: anna is well, ben's temperature rises within minutes, and cy's sensor falls off now and then.
            """,
        settings: [seconds, zone] + BrokerSession.settings
    ) { invocation in
        let session = try BrokerSession(invocation, command: "demo")
        let family = DemoPerson.family(zone: try invocation[zone])
        try await session.requesting(answersBelow: session.answerTopic) { requester in
            let timeline = TimelineClient(requester)
            for person in family { try await introduce(person, timeline) }
        }
        let last = try invocation[seconds] ?? .max
        _ = try await Interruption.stoppable {
            try await session.publishing { publisher in
                for person in family { try await remember(person, publisher) }
                StandardOutput.line("anna, ben and cy live, with a year behind them")
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for person in family { tasks.addTask { try await live(person, publisher, seconds: last) } }
                    try await tasks.waitForAll()
                }
            }
        }
    }

    /// Tells the timeline who the person is, and one thing that somebody wrote down.
    private static func introduce(_ person: DemoPerson, _ timeline: TimelineClient) async throws {
        let now = Timestamp.now
        let entries = [
            TimelineEntry(
                id: "demo-note", kind: .note, time: now.advanced(bySeconds: -7200), description: "Breakfast, then a walk in the park"),
            TimelineEntry(
                id: "demo-medication", kind: .medication, time: now.advanced(bySeconds: -30 * 86_400), description: "Vitamin D 1000 IU",
                detail: "once a day"),
        ]
        _ = try await timeline.ask(.setProfile(person.profile, participant: person.id), as: ParticipantProfile.self)
        _ = try await timeline.ask(.addEntries(entries, participant: person.id), as: StoredCount.self)
    }

    /// The year behind the person. The same each day, so that it is stored once however often this runs.
    private static func remember(_ person: DemoPerson, _ publisher: Publisher) async throws {
        let day = 86_400_000_000 as Int64
        let midnight = Timestamp(microseconds: Timestamp.now.microseconds / day * day)
        for batch in DemoYear(person: person).batches(before: midnight) {
            let topic = Topic.history(Partition(participant: person.id)).path
            try await publisher.publish(OutgoingMessage(topic: topic, payload: BatchEncoder.encode(batch)))
        }
    }

    /// Publishes each second once it has passed.
    private static func live(_ person: DemoPerson, _ publisher: Publisher, seconds: Int) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        let start = Timestamp.now
        var feed = WearerFeed(person.wearer, start: start)
        let topics = ["chest-strap", "clip"].map { Topic.ingest(participant: person.id, device: $0).path }
        for index in 0..<seconds {
            let second = feed.next()
            // Cancelled: the second is not sent.
            guard (try? await clock.sleep(until: began + .seconds(second.end))) != nil else { return }
            guard person.isWorn(at: Double(index)) else { continue }
            try await publisher.publish(OutgoingMessage(topic: topics[0], payload: BatchEncoder.encode(second.observations)))
            let numbers = person.numbers(at: Double(index), time: start.advanced(bySeconds: Double(index)))
            try await publisher.publish(OutgoingMessage(topic: topics[1], payload: BatchEncoder.encode(numbers)))
        }
    }
}
