// A consumer for tests to kill: takes one batch, says how many messages it holds, and never settles it.
import Foundation
import MessageBus

let arguments = CommandLine.arguments
guard arguments.count == 4, let port = UInt16(arguments[1]) else {
    print("usage: bus-fixture PORT CLIENT FILTER")
    throw BusError(.invalidConfiguration, during: .configure, detail: "arguments")
}
let will = OutgoingMessage(topic: "wills/" + arguments[2], payload: Array("gone".utf8))
let broker = BrokerConfiguration(
    port: port, clientID: arguments[2], session: .persistent(expiry: .seconds(3_600)), keepAlive: .seconds(5), lastWill: will)
let consumer = Consumer(configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription(arguments[3])]))
try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await consumer.run() }
    var batches = consumer.batches.makeAsyncIterator()
    let batch = try await batches.next()
    print("holding \(batch?.messages.count ?? 0)")
    fflush(nil)
    try await Task.sleep(for: .seconds(600))
    batch?.settle(.rejected)
}
