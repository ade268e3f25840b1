import MessageBus
import ServiceKit
import Synchronization
import TestSupport
import VigilSchema

/// Five hundred readings a second of sixty-four people, in ten messages of fifty.
final class ReadingStream: Sendable {
    private let broker: TestBroker
    private let count = Atomic<Int>(0)
    private let ends = Atomic<Bool>(false)

    init(broker: TestBroker) { self.broker = broker }

    /// Readings that the broker has acknowledged.
    var sent: Int { count.load(ordering: .acquiring) }

    func stop() { ends.store(true, ordering: .releasing) }

    /// Waits until so many more were sent.
    func reach(after more: Int) async throws {
        let goal = sent + more
        try await eventually("\(goal) readings sent") { sent >= goal }
    }

    func run() async throws {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker.configuration(clientID: "test-stream")))
        try await withRunning(publisher) { [self] publisher in
            var next = ContinuousClock.now
            var number = 0
            while !ends.load(ordering: .acquiring) {
                for message in (0..<10).map({ _ in message(&number) }) { try await publisher.publish(message) }
                count.store(number, ordering: .releasing)
                next += .seconds(1)
                try await ContinuousClock().sleep(until: next)
            }
        }
    }

    private func message(_ number: inout Int) -> OutgoingMessage {
        let now = Timestamp.now
        let person = "stream-\(number / 50 % 64)"
        let observations = (0..<50).map { place in
            Observation(metric: "heart-rate", time: now.advanced(bySeconds: -Double(place) / 1000), content: .value(60), unit: "/min")
        }
        number += 50
        let group = ObservationGroup(participant: person, source: "watch", received: now, observations: observations)
        return OutgoingMessage(
            topic: Topic.readings(Partition(participant: person)).path(.shared),
            payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: now), groups: [group])))
    }
}
