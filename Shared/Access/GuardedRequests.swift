package import MessageBus

/// A service's batches with every request in them checked: what an account may not ask for is answered with a refusal and taken out, and what it
/// may is handed on.
///
/// Requests come on `requests/<account>/<service>`, where the account is who asks: an answer goes below its own `responses/<account>`, and a
/// command's actor is the account, or the person named by an account that signs for others. All other messages pass unchanged. The audit trail
/// has each request before the service does.
/// Batches are settled as before.
package struct GuardedRequests<Batches: AsyncSequence & Sendable>: AsyncSequence, Sendable where Batches.Element == MessageBatch {
    package typealias Element = MessageBatch

    private let batches: Batches
    private let requests: RequestGuard
    private let replies: ReplyPublisher?
    private let trail: (any AuditTrailWriting)?

    /// - Parameters:
    ///   - replies: Takes the refusals; nil for a service that only listens to another's requests.
    ///   - trail: Is told of the requests; nil for such a service.
    package init(_ batches: Batches, _ requests: RequestGuard, replies: ReplyPublisher?, trail: (any AuditTrailWriting)? = nil) {
        (self.batches, self.requests, self.replies, self.trail) = (batches, requests, replies, trail)
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(batches: batches.makeAsyncIterator(), requests: requests, replies: replies, trail: trail)
    }

    /// Checks one batch after the other.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var batches: Batches.AsyncIterator
        fileprivate let requests: RequestGuard
        fileprivate let replies: ReplyPublisher?
        fileprivate let trail: (any AuditTrailWriting)?

        package mutating func next() async throws -> MessageBatch? { try await next(isolation: #isolation) }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> MessageBatch? {
            while let batch = try await batches.next(isolation: actor) {
                let checked = requests.check(batch.messages)
                if !checked.audit.isEmpty { try await trail?.write(checked.audit) }
                if !checked.refusals.isEmpty { try await replies?.publish(checked.refusals) }
                if !checked.isChanged { return batch }
                if !checked.messages.isEmpty { return batch.with(checked.messages) }
                batch.settle(.committed)
            }
            return nil
        }
    }
}
