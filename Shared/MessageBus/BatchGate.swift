final class BatchGate: Sendable {
    func next() async throws(BusError) -> MessageBatch? { nil }
}
