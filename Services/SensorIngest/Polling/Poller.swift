package import HTTPClient
package import MessageBus
package import Observability
import ServiceKit
package import VigilSchema

/// Asks one server for readings at an interval, stamps them on arrival, and publishes them as a device would.
///
/// The interval is kept whatever comes after it: answers wait in a bounded queue. After a failure the pause grows, up to a minute or the
/// interval, whichever is longer.
package struct Poller: Service {
    private let source: PolledSource
    private let client: HTTPClient
    private let queue: PollQueue
    private let status: PollStatus
    private let statuses: DeviceStatusTracker
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Timestamp
    private let backoff = Backoff(base: .seconds(1), maximum: .seconds(60))

    package init(
        source: PolledSource, client: HTTPClient, queue: PollQueue, status: PollStatus,
        statuses: DeviceStatusTracker = DeviceStatusTracker(), clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.source = source
        self.client = client
        self.queue = queue
        self.status = status
        self.statuses = statuses
        self.clock = clock
        self.now = now
    }

    package func run() async throws {
        var failing: DeviceAddress?
        status.begin()
        while !Task.isCancelled {
            let url = source.url.current
            guard !url.isEmpty else {
                if status.turnedOff() { tellWell(&failing, at: now()) }
                await wait(.seconds(1), whileAsking: url)
                continue
            }
            let start = ContinuousClock.now
            let pause = await poll(url, &failing)
            await wait(pause - start.duration(to: .now), whileAsking: url)
        }
    }

    /// Asks once, and returns how long after the start of this request the next is due.
    /// - Parameter failing: As whom the server was asked when it failed, if it did.
    private func poll(_ url: String, _ failing: inout DeviceAddress?) async -> Duration {
        let interval = source.interval.current
        do {
            let response = try await client.get(url, timeout: min(max(interval, .seconds(2)), .seconds(10)), limit: 1 << 20)
            let arrival = now()
            guard response.isSuccess else { throw PollError(reason: "the server answered with status \(response.status)") }
            try publish(response.body, arrival: arrival)
            if status.succeeded() { tellWell(&failing, at: arrival) }
            return interval
        } catch {
            if Task.isCancelled { return interval }
            var random = SystemRandomNumberGenerator()
            let pause = max(interval, backoff.delay(attempt: status.failures + 1, using: &random))
            status.failed("\(error)", next: pause)
            tellFailing(&failing, at: now())
            return pause
        }
    }

    /// Nothing is wrong any more, nor with whom the server was asked for when it failed: that setting may have changed since.
    private func tellWell(_ failing: inout DeviceAddress?, at time: Timestamp) {
        for address in Set([source.address, failing].compactMap(\.self)) { statuses.set(.server, of: address, nil, at: time) }
        failing = nil
    }

    private func tellFailing(_ failing: inout DeviceAddress?, at time: Timestamp) {
        let address = source.address
        if let failing, failing != address { statuses.set(.server, of: failing, nil, at: time) }
        statuses.set(.server, of: address, 1, at: time)
        failing = address
    }

    private func publish(_ body: [UInt8], arrival: Timestamp) throws {
        let decoded = try source.format.decode(body.span, received: arrival)
        let address = source.address
        let topic = Topic.ingest(participant: address.participant, device: address.device).path
        if !decoded.readings.isEmpty {
            let payload = BatchEncoder.encode(decoded.readings.map(\.observation))
            queue.add(OutgoingMessage(topic: topic, payload: payload, properties: MessageProperties(contentType: NativeFormat.contentType)))
        }
        // As many as of a device's message: the queue is shared, and holds others' readings.
        for error in decoded.refusals.prefix(MessageReader.Limits().listedRefusals) {
            let refusal = Rejection(address: address, error: error, count: decoded.refusals.count, topic: topic, payload: body)
            if let reject = refusal.reply(at: arrival).message { queue.add(reject) }
        }
    }

    /// Waits in short steps, so that a setting that changes is heeded soon.
    private func wait(_ pause: Duration, whileAsking url: String) async {
        var left = pause
        let interval = source.interval.current
        while left > .zero, source.url.current == url, source.interval.current == interval {
            let step = min(left, .milliseconds(500))
            do { try await clock.sleep(for: step) } catch { return }
            left -= step
        }
    }
}

/// The reason why an answer could not be used.
struct PollError: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}

/// The readings that polling has found, waiting to be published. Bounded: while the broker is away the oldest is let go, so that polling never waits
/// for what comes after it.
package struct PollQueue: Service {
    private let messages: AsyncStream<OutgoingMessage>
    private let input: AsyncStream<OutgoingMessage>.Continuation
    private let publisher: any MessagePublisher
    private let dropped: Counter
    private let log: Logger

    package init(publisher: any MessagePublisher, capacity: Int = 1000, metrics: MetricsRegistry, log: Logger) {
        (messages, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(capacity))
        self.publisher = publisher
        self.log = log
        dropped = metrics.counter(
            "vigil_ingest_polled_dropped_total", help: "Polled answers dropped because the broker was away for too long")
    }

    /// Adds a message; never waits.
    func add(_ message: OutgoingMessage) {
        if case .dropped = input.yield(message) { dropped.add() }
    }

    /// Publishes one after the other until the task is cancelled.
    package func run() async throws {
        for await message in messages {
            do {
                try await publisher.publish(message)
            } catch {
                dropped.add()
                log.warning("a polled answer was not published", ["error": "\(error)"])
            }
        }
    }
}

extension Poller {
    /// The members of a service that asks servers.
    struct Members: Sendable {
        /// Publishes what they said.
        let queue: ServiceGroup.Member
        /// Those that ask, and may be begun again and again.
        var asking: [ServiceGroup.Member]
        var sources: [PolledSource] = []
    }

    /// The pollers of a running service and what publishes what they were told.
    static func members(
        _ context: ServiceContext, _ statuses: DeviceStatusTracker, _ settings: [PollSettings] = [.eHealth, .vehicle]
    ) async throws -> Members {
        let client = HTTPClient()
        let queue = PollQueue(publisher: context.publisher, metrics: context.metrics, log: context.logger)
        var members = Members(queue: ServiceGroup.Member("polled", queue), asking: [])
        for settings in settings {
            let status = PollStatus(settings.name, context.metrics, context.logger)
            context.exchange.add(
                Parameter(
                    name: "\(settings.name)-status", kind: .text, description: "How the \(settings.name) server does.",
                    read: { .text(status.text) }))
            let source = try await settings.source(context.exchange, context.configuration)
            let poller = Poller(source: source, client: client, queue: queue, status: status, statuses: statuses, now: { .now })
            members.sources.append(source)
            members.asking.append(ServiceGroup.Member("poll-\(settings.name)", poller))
        }
        return members
    }
}
