package import MessageBus
package import VigilSchema

extension MessagePublisher {
    /// Publishes what a service says of itself, as a reading that technical alert rules judge.
    /// - Parameters:
    ///   - metric: One of `TechnicalMetric`.
    ///   - participant: The service's instance, as `TechnicalMetric.participant` names it.
    ///   - source: The service.
    package func publish(technical metric: String, _ text: String, of participant: String, source: String, at time: Timestamp) async throws
    {
        let reading = Observation(metric: metric, time: time, content: .text(text), unit: "1")
        let group = ObservationGroup(participant: participant, source: source, received: time, observations: [reading])
        try await publish(
            OutgoingMessage(
                topic: Topic.readings(Partition(participant: participant)).path,
                payload: BatchEncoder.encode(ObservationBatch(id: ULID.make(at: time), groups: [group])),
                properties: MessageProperties(contentType: MediaType.json)))
    }
}
