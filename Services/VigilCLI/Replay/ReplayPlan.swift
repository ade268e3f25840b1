import MessageBus
import Observability
import ServiceKit
import VigilSchema

/// Publishes a recording as its devices would have: a message a second and device, each when its second has passed.
struct ReplayPlan: Sendable {
    private let messages: [(second: Double, topic: String, observations: [Observation])]
    private let speed: Double

    /// The time it takes, in seconds.
    var duration: Double { (messages.last?.second ?? 0) / speed }

    init(_ recording: Recording, speed: Double, keepTimes: Bool, seconds: Int?) {
        self.speed = speed
        let start = recording.range.lowerBound
        let length = min(recording.range.upperBound.seconds - start.seconds, Double(seconds ?? .max))
        // Faster than real time the recording ends now, so that nothing lies in the future; else it begins now.
        let began = Timestamp.now.advanced(bySeconds: speed > 1 ? -length : 0)
        let shift = keepTimes ? 0 : began.microseconds - start.microseconds
        var messages: [(second: Double, topic: String, observations: [Observation])] = []
        var open: [String: Int] = [:]
        for item in recording.items {
            let elapsed = item.observation.time.seconds - start.seconds
            guard elapsed <= length else { break }
            let second = elapsed.rounded(.down) + 1
            var observation = item.observation
            observation.time.microseconds += shift
            if let index = open[item.topic], messages[index].second == second, messages[index].observations.count < 500 {
                messages[index].observations.append(observation)
            } else {
                open[item.topic] = messages.count
                messages.append((second, item.topic, [observation]))
            }
        }
        self.messages = messages
    }

    /// Publishes until the end or until the task is cancelled.
    func run(_ publisher: any MessagePublisher, _ sent: SentCount) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        var told = began
        for message in messages {
            guard (try? await clock.sleep(until: began + .seconds(message.second / speed))) != nil else { return }
            try await publisher.publish(OutgoingMessage(topic: message.topic, payload: BatchEncoder.encode(message.observations)))
            sent.add(observations: message.observations.count)
            if told.duration(to: clock.now) >= .seconds(10) {
                told = clock.now
                StandardError.line("\(Int(message.second)) of \(Int(messages.last?.second ?? 0)) recorded seconds replayed")
            }
        }
    }
}
