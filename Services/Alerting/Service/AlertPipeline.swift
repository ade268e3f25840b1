import MessageBus
import ServiceKit

/// Batches in, alerts out: a batch is acknowledged once its state is committed and what it caused has reached the broker.
struct AlertPipeline<Batches: AsyncSequence & Sendable>: Service where Batches.Element == MessageBatch {
    private let batches: Batches
    private let turn: AlertCoordinator

    init(batches: Batches, turn: AlertCoordinator) {
        self.batches = batches
        self.turn = turn
    }

    func run() async throws {
        try await turn.publishLeftOver()
        for try await batch in batches {
            try await turn.take(batch.messages)
            batch.settle(.committed)
        }
        try await turn.finish()
    }
}
