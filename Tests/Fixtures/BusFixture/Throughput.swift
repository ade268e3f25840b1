import MessageBus

/// Measures the speed of the bus against a broker on this machine; for release builds.
struct Throughput {
    let port: UInt16
    let count: Int
    /// Tasks that publish, each awaiting its own acknowledgements.
    let callers: Int

    /// Opens a session, publishes everything into it, then takes it out again, and prints both rates in messages a second.
    func run() async throws {
        try await takeOut(0)
        let publishing = try await ContinuousClock().measure { try await publish() }
        print("published \(rate(publishing)) /s at QoS 1 from \(callers) callers")
        let taking = try await ContinuousClock().measure { try await takeOut(count) }
        print("drained \(rate(taking)) /s with held acknowledgements")
    }

    private func rate(_ duration: Duration) -> Int { Int(Double(count) / (duration / .seconds(1))) }

    private func publish() async throws {
        let publisher = Publisher(
            configuration: PublisherConfiguration(broker: BrokerConfiguration(port: port, clientID: "rate-publisher")))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await publisher.run() }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<callers { tasks.addTask { try await publish(count / callers, over: publisher) } }
                try await tasks.waitForAll()
            }
            publisher.drain()
            try await group.waitForAll()
        }
    }

    private func publish(_ share: Int, over publisher: Publisher) async throws {
        let message = OutgoingMessage(topic: "rate", payload: [UInt8](repeating: 7, count: 100))
        for _ in 0..<share { try await publisher.publish(message) }
    }

    private func takeOut(_ wanted: Int) async throws {
        let broker = BrokerConfiguration(port: port, clientID: "rate-consumer", session: .persistent(expiry: .seconds(600)))
        let (ready, isReady) = AsyncStream<Void>.makeStream()
        let consumer = Consumer(configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription("rate")])) { event in
            if event == .ready { isReady.finish() }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await consumer.run() }
            group.addTask { try await takeOut(wanted, consumer, ready) }
            try await group.waitForAll()
        }
    }

    private func takeOut(_ wanted: Int, _ consumer: Consumer, _ ready: AsyncStream<Void>) async throws {
        var taken = 0
        if wanted == 0 {
            // Only without messages waiting: those are to be taken before the broker's answer behind them is read.
            for await _ in ready {}
        } else {
            for try await batch in consumer.batches {
                taken += batch.messages.count
                batch.settle(.committed)
                if taken >= wanted / callers * callers { break }
            }
        }
        consumer.drain()
    }
}
