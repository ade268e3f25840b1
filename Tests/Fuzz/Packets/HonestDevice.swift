import SuiteHarness
import Synchronization
import TestSupport

/// A device that does everything right, and asks for receipts.
final class HonestDevice: Sendable {
    /// The time that a receipt took, as far as the machine let anybody work.
    struct Wait: CustomStringConvertible {
        var time: Duration
        /// The time for which this process itself was kept from running meanwhile, which nobody who is tested can help.
        var standstill: Duration
        var hasCome: Bool

        var description: String {
            "\(hasCome ? "after" : "not within") \(time), besides \(standstill) in which the machine stood still"
        }
    }

    private struct State {
        var sent = 0
        var confirmed = 0
        /// What the newest receipts belong to.
        var recent: [[UInt8]] = []
    }

    /// The time after which a receipt is no longer waited for; what is lost was published again long before.
    private static let patience = Duration.seconds(60)
    private let client: HostileClient
    private let topic = "vigil/v1/ingest/anna/anna-watch"
    private let receipts = "vigil/v1/receipts/anna/anna-watch"
    private let state = Mutex(State())
    private let watch = MachineWatch()

    init(_ broker: GuardedBroker) async throws {
        client = try await broker.client(Participants.honestAccount)
        guard try await client.subscribe(receipts) == 1 else { throw HarnessError("the honest device may not read its receipts") }
        client.set(.always)
    }

    /// The number of readings that a receipt says are stored.
    var confirmed: Int { state.withLock { $0.confirmed } }

    /// Publishes a reading and waits for its receipt.
    func receipt() async -> Wait {
        let number = state.withLock { state in
            state.sent += 1
            return state.sent
        }
        let mark = [UInt8]("n\(number)".utf8)
        let (began, stood) = (ContinuousClock.now, watch.standstill)
        let reading = #"{"metric":"heart-rate","time":\#(1_700_000_000 + number),"value":\#(60 + number % 40)}"#
        client.publish(topic, reading, properties: [.responseTopic(receipts), .correlation(mark)])
        let hasCome = (try? await eventually(within: Self.patience, "a receipt") { isThere(mark) }) != nil
        let standstill = watch.standstill - stood
        return Wait(time: began.duration(to: .now) - standstill, standstill: standstill, hasCome: hasCome)
    }

    /// Counts what has come, of which no more is kept than the last few marks.
    private func isThere(_ mark: [UInt8]) -> Bool {
        let come = client.takeMessages().filter { $0.topic == receipts }
        return state.withLock { state in
            state.confirmed += come.count { $0.text.contains(#""outcome":"stored""#) }
            state.recent = (state.recent + come.map(\.correlation)).suffix(20)
            return state.recent.contains(mark)
        }
    }
}
