import Observability
import Settings

/// The JetStream streams of a NATS server.
struct NATSStore: Decodable {
    struct Account: Decodable { var stream_detail: [Stream]? }
    struct Stream: Decodable {
        struct Configuration: Decodable { var num_replicas: Int? }
        struct Cluster: Decodable {
            struct Peer: Decodable {
                let name: String
                var current: Bool?
                var offline: Bool?
            }
            var leader: String?
            var replicas: [Peer]?
        }
        struct Consumer: Decodable {
            struct Configuration: Decodable { var filter_subject: String? }
            let name: String
            var config: Configuration?
            var cluster: Cluster?
            var push_bound: Bool?

            /// The session, by the part of the name that is the same for all of its consumers, and what it has subscribed to.
            var subscription: [String] { [name.split(separator: "_").first.map(String.init) ?? name, config?.filter_subject ?? ""] }
        }
        let name: String
        var config: Configuration?
        var cluster: Cluster?
        var consumer_detail: [Consumer]?
    }

    var disabled: Bool?
    var account_details: [Account]?

    /// The streams of MQTT, which are there once a client has connected.
    private var streams: [Stream] { (account_details ?? []).flatMap { $0.stream_detail ?? [] }.filter { $0.name.hasPrefix("$MQTT_") } }

    /// Consumers that nobody listens to, beside another of the same session for the same filter. One whose making took too long is forgotten by NATS
    /// and stays, when the session subscribes anew. Whether somebody listens only a consumer's leader knows.
    func leftovers(of server: String) -> [(stream: String, consumer: String)] {
        streams.flatMap { stream -> [(stream: String, consumer: String)] in
            let consumers = stream.consumer_detail ?? []
            let counts = Dictionary(consumers.map { ($0.subscription, 1) }, uniquingKeysWith: +)
            return consumers.filter { one in
                one.cluster?.leader == server && one.push_bound != true && counts[one.subscription, default: 0] > 1
            }.map { (stream.name, $0.name) }
        }
    }

    /// The number of streams that are here; of a larger cluster some node may hold none. Which copy lags behind only a stream's leader knows.
    func soundStreams(of server: String) throws -> Int {
        guard disabled != true else { throw CommandError(.failure, "JetStream is off, without which it keeps nothing: set jetstream") }
        for stream in streams where stream.config?.num_replicas ?? 1 < ClusterCheck.replicas {
            throw CommandError(
                .failure,
                "the stream \(stream.name.printable) has \(stream.config?.num_replicas ?? 1) of \(ClusterCheck.replicas) copies: set mqtt { stream_replicas: 3 }"
                    + " before its first client, or nats stream edit --replicas 3")
        }
        for stream in streams where stream.cluster?.leader == nil {
            throw CommandError(.failure, "the stream \(stream.name.printable) has no leader: are two of three servers up?")
        }
        for stream in streams where stream.cluster?.leader == server {
            let behind = (stream.cluster?.replicas ?? []).filter { $0.current == false || $0.offline == true }.map(\.name.printable)
            guard behind.isEmpty else {
                throw CommandError(
                    .failure, "\(behind.joined(separator: ", ")) lags behind in \(stream.name.printable): see that server's log")
            }
        }
        return streams.count
    }
}
