// Programs for tests: `hold` is a consumer to be killed, which takes one batch, says how many messages it holds, and never settles it;
// `rate` measures throughput.
import Foundation
import MessageBus

let arguments = CommandLine.arguments
guard arguments.count == 5, let port = UInt16(arguments[2]) else {
    print("usage: bus-fixture hold PORT CLIENT FILTER | rate PORT COUNT CALLERS")
    exit(2)
}
if arguments[1] == "rate", let count = Int(arguments[3]), let callers = Int(arguments[4]) {
    try await Throughput(port: port, count: count, callers: callers).run()
    exit(0)
}
let will = OutgoingMessage(topic: "wills/" + arguments[3], payload: Array("gone".utf8))
let broker = BrokerConfiguration(
    port: port, clientID: arguments[3], session: .persistent(expiry: .seconds(3_600)), keepAlive: .seconds(5), lastWill: will)
let consumer = Consumer(configuration: ConsumerConfiguration(broker: broker, subscriptions: [Subscription(arguments[4])]))
try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await consumer.run() }
    var batches = consumer.batches.makeAsyncIterator()
    let batch = try await batches.next()
    print("holding \(batch?.messages.count ?? 0)")
    fflush(nil)
    try await Task.sleep(for: .seconds(600))
    batch?.settle(.rejected)
}
