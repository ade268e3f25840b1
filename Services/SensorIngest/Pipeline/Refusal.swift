package import MessageBus
package import VigilSchema

/// Something refused, to be told to its sender.
package struct Refusal: Sendable {
    package let address: DeviceAddress
    package let error: PayloadError
    /// How many readings of the message were refused; 0 where the message was as a whole.
    package let count: Int
    package let topic: String
    package let payload: [UInt8]

    /// What is published on `rejects/<participant>/<device>`.
    package func reject(at time: Timestamp) -> Reject {
        Reject(
            participant: address.participant, device: address.device, time: time, error: error, count: count, topic: topic, payload: payload
        )
    }

    /// The same as it is sent.
    package func reply(at time: Timestamp) -> Reply {
        let topic = Topic.reject(participant: address.participant, device: address.device)
        return Reply(to: topic.path, contentType: MediaType.json, expiry: .seconds(3600)) { try reject(at: time).encoded() }
    }
}
