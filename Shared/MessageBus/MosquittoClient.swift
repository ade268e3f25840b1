import CMosquitto
import Glibc

/// One connection by libmosquitto, from connecting to its end. Never leaves the thread that made it.
///
/// Everything the library calls back is only noted here; the owner looks after each call. Nothing is written but by `flush()`
/// and `sendPastQueue`: the library's queue holds acknowledgements back (`mosquitto_threaded_set` keeps it from writing by itself).
@safe final class MosquittoClient {
    /// A broker's answer to SUBSCRIBE.
    struct Grant {
        let packet: Int32
        let reason: UInt8
    }

    /// A broker's answer to PUBLISH, at QoS 0 the writing of it.
    struct Receipt {
        let packet: Int32
        let reason: UInt8
    }

    /// A broker's answer to CONNECT.
    struct Acceptance {
        let reason: UInt8
        let info: ConnectionInfo
    }

    let configuration: BrokerConfiguration
    let version: BrokerConfiguration.ProtocolVersion
    private(set) var acceptance: Acceptance?
    private(set) var grants: [Grant] = []
    private(set) var receipts: [Receipt] = []
    private(set) var received: [IncomingMessage] = []
    /// Topics, payloads and properties in `received`.
    private(set) var receivedBytes = 0
    private(set) var disconnectReason: UInt8?
    private var copies: SubscriptionCopies?
    private(set) var libraryMessage = ""
    /// The flag DUP of the message that the library reads, where it has told.
    private var isRepeat = false
    /// The last writing did not get through with everything.
    private var isStuck = false
    private let client: OpaquePointer

    init(_ configuration: BrokerConfiguration, version: BrokerConfiguration.ProtocolVersion) throws(BusError) {
        self.configuration = configuration
        self.version = version
        _ = Self.library
        var isClean = true
        if case .persistent = configuration.session { isClean = false }
        guard let client = unsafe mosquitto_new(configuration.clientID, isClean, nil) else {
            throw BusError(.internalFailure, during: .configure, detail: "the client cannot be made")
        }
        unsafe self.client = unsafe client
        try configure()
        setCallbacks()
    }

    /// Closes the socket, and forgets what was queued without writing it.
    deinit {
        unsafe mosquitto_destroy(client)
    }

    private static let library = mosquitto_lib_init()
}

// MARK: - Connecting

extension MosquittoClient {
    /// Starts to connect; the rest happens in `read()` and `flush()`. Looking up the host's name blocks.
    func connect(to node: BrokerAddress, receiveMaximum: UInt16) throws(BusError) {
        // Only the blocking form of connecting takes properties. An empty socket path makes it keep them and stop there.
        if version == .v5 {
            var properties = PropertyList()
            if case .persistent(let expiry) = configuration.session {
                properties.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, int32: expiry.wholeSeconds)
            }
            properties.add(MQTT_PROP_RECEIVE_MAXIMUM, int16: max(receiveMaximum, 1))
            if let maximum = configuration.maximumPacket { properties.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, int32: max(maximum, 1)) }
            let seconds = Int32(clamping: configuration.keepAlive.wholeSeconds)
            _ = unsafe mosquitto_connect_bind_v5(client, "", 0, seconds, nil, properties.head)
        }
        let keepAlive = Int32(clamping: configuration.keepAlive.wholeSeconds)
        try check(unsafe mosquitto_connect_async(client, node.host, Int32(node.port), keepAlive), during: .connect)
    }

    private func configure() throws(BusError) {
        unsafe mosquitto_threaded_set(client, true)
        let protocolVersion = version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try set(MOSQ_OPT_PROTOCOL_VERSION, protocolVersion)
        try set(MOSQ_OPT_TCP_NODELAY, 1)
        // How many publishes are in flight is decided by the publisher.
        try set(MOSQ_OPT_SEND_MAXIMUM, Int32(UInt16.max))
        try check(
            unsafe mosquitto_username_pw_set(client, configuration.username, configuration.password?.exposed), during: .configure,
            detail: "user name and password")
        if let tls = configuration.tls { try configure(tls) }
        if let will = configuration.lastWill { try configure(will) }
    }

    private func configure(_ tls: TLSConfiguration) throws(BusError) {
        if tls.authorities == nil { try set(MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
        // The library insists on a folder or file besides the system's authorities: Debian's folder of the same.
        let folder = tls.authorities == nil ? "/etc/ssl/certs" : nil
        let code = unsafe mosquitto_tls_set(client, tls.authorities, folder, tls.certificate, tls.privateKey, vigil_no_passphrase)
        try check(code, during: .configure, detail: "TLS files")
        try check(unsafe mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil), during: .configure, detail: "TLS version")
        try check(unsafe mosquitto_tls_insecure_set(client, false), during: .configure, detail: "TLS verification")
    }

    private func configure(_ will: OutgoingMessage) throws(BusError) {
        var properties = PropertyList(version == .v5 ? will.properties : MessageProperties())
        let code = unsafe mosquitto_will_set_v5(
            client, will.topic, Int32(clamping: will.payload.count), will.payload, Int32(will.qos.rawValue), will.retained, properties.head)
        // The library owns the properties of a will that it took.
        if code == 0 { _ = unsafe properties.giveAway() }
        try check(code, during: .configure, detail: "last will")
    }

    private func set(_ option: mosq_opt_t, _ value: Int32) throws(BusError) {
        try check(unsafe mosquitto_int_option(client, option, value), during: .configure)
    }
}

// MARK: - Talking

extension MosquittoClient {
    /// The socket for `poll`, -1 when there is none.
    var socket: Int32 { unsafe mosquitto_socket(client) }

    /// A Boolean value that indicates whether `flush()` has something to write.
    var wantsWrite: Bool { unsafe mosquitto_want_write(client) }

    /// Reads a packet, or several where the library or TLS has them already; continues a TLS handshake.
    func read(during operation: BusError.Operation) throws(BusError) {
        try check(unsafe mosquitto_loop_read(client, 1), during: operation)
        if socket < 0 { throw lost(during: operation) }
    }

    /// Writes what is queued, as far as the socket takes it.
    func flush(during operation: BusError.Operation) throws(BusError) {
        let socket = socket
        // Small packets leave together in full segments instead of one by one.
        cork(socket, true)
        let code = unsafe mosquitto_loop_write(client, 1)
        // An error closes the socket, and its number may already be another's.
        if socket == self.socket { cork(socket, false) }
        isStuck = wantsWrite
        try check(code, during: operation)
    }

    /// Writes everything that is queued, if the socket takes it in that time.
    func flushAll(within limit: Duration, wakeUp: WakeUp) throws(BusError) {
        let deadline = ContinuousClock.now + limit
        while wantsWrite, case let left = deadline - .now, left > .zero {
            try flush(during: .disconnect)
            if wantsWrite { _ = SocketPoll.wait(socket: socket, read: false, write: true, wakeUp: wakeUp, timeout: left) }
        }
    }

    private func cork(_ socket: Int32, _ isOn: Bool) {
        var flag: Int32 = isOn ? 1 : 0
        _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &flag, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Pings when it is due, and finds out that the broker has stopped answering. Only while reading goes on.
    func keepAlive(during operation: BusError.Operation) throws(BusError) {
        try check(unsafe mosquitto_loop_misc(client), during: operation)
    }

    /// Writes PINGREQ or DISCONNECT at once, before held acknowledgements. False when the socket does not take it.
    func sendPastQueue(_ packet: SmallPacket) -> Bool {
        unsafe vigil_send_past_queue(client, packet.rawValue) == 2
    }

    /// The packets of two bytes.
    enum SmallPacket: UInt8 {
        case pingRequest = 0xC0
        case disconnect = 0xE0
    }

    /// Leaves out the copies of a message that the broker sends for each of several subscriptions that match it; they are acknowledged like any other.
    /// Needs MQTT 5 and a broker with subscription identifiers.
    /// - Parameter former: Filters that are subscribed to no more.
    func tellCopiesApart(of filters: [String], former: Set<String>) {
        guard version == .v5, let info = acceptance?.info, info.subscriptionIdentifiersAvailable else { return }
        if copies == nil { copies = SubscriptionCopies(resumes: info.sessionPresent) }
        copies?.listen(to: filters, former: former)
    }

    /// The identifier with which a subscription is asked for; nil for none.
    func identifier(for subscription: Subscription) -> UInt32? { copies?.identifier(for: subscription.filter) }

    /// Queues SUBSCRIBE and returns its packet identifier.
    func subscribe(_ subscription: Subscription) throws(BusError) -> Int32 {
        var packet: Int32 = 0
        var properties = PropertyList()
        if let identifier = identifier(for: subscription) { properties.add(MQTT_PROP_SUBSCRIPTION_IDENTIFIER, variable: identifier) }
        let options = (subscription.excludesOwn ? 0x04 : 0) | Int32(subscription.retainHandling.rawValue) << 4
        let code = unsafe mosquitto_subscribe_v5(
            client, &packet, subscription.filter, Int32(quality(of: subscription).rawValue), version == .v5 ? options : 0, properties.head)
        try check(code, during: .subscribe, detail: "filter \(subscription.filter)")
        return packet
    }

    /// The quality that is asked for.
    ///
    /// What a clean session has not acknowledged is lost with its connection, so that at MQTT 3.1.1 each message is sent to it once. At QoS 1 NATS
    /// would make a consumer of three copies for each filter, and when that takes long, as after the loss of a node, forget it and never remove it.
    private func quality(of subscription: Subscription) -> QoS {
        version == .v311 && configuration.session == .clean ? .atMostOnce : subscription.qos
    }

    /// Queues UNSUBSCRIBE. That the session never had the filter does no harm.
    func unsubscribe(_ filter: String) throws(BusError) {
        try check(unsafe mosquitto_unsubscribe_v5(client, nil, filter, nil), during: .subscribe, detail: "filter \(filter)")
    }

    /// Queues PUBLISH and returns its packet identifier.
    func publish(_ message: OutgoingMessage) throws(BusError) -> Int32 {
        var packet: Int32 = 0
        let properties = PropertyList(version == .v5 ? message.properties : MessageProperties())
        let code = unsafe mosquitto_publish_v5(
            client, &packet, message.topic, Int32(clamping: message.payload.count), message.payload, Int32(message.qos.rawValue),
            message.retained, properties.head)
        try check(code, during: .publish)
        return packet
    }

    /// Says goodbye at once, past what is held back, and waits a moment for the broker to hang up: closing a socket with something
    /// unread in it resets the connection, and acknowledgements on their way would be lost. Nothing can be done here afterwards.
    func disconnectNow() {
        let socket = socket
        guard socket >= 0, !isWritePending, sendPastQueue(.disconnect) else { return }
        SocketPoll.discard(from: socket, within: .seconds(1))
    }

    /// Says goodbye at once, and takes what the broker has sent until it hangs up or the time is over. Nothing of it can be acknowledged.
    func disconnectNow(listeningFor limit: Duration, wakeUp: WakeUp) {
        guard socket >= 0, !isWritePending, sendPastQueue(.disconnect) else { return }
        let deadline = ContinuousClock.now + limit
        while case let left = deadline - .now, left > .zero {
            let before = received.count
            // The end of the connection is what is waited for.
            guard (try? read(during: .disconnect)) != nil else { return }
            if received.count == before { _ = SocketPoll.wait(socket: socket, read: true, write: false, wakeUp: wakeUp, timeout: left) }
        }
    }

    /// A Boolean value that indicates whether a packet is partly written, so that nothing may be written past it.
    private var isWritePending: Bool { isStuck && wantsWrite }

    /// The messages read so far have been handed over.
    func forgetReceived() {
        received = []
        receivedBytes = 0
    }

    func takeGrants() -> [Grant] {
        defer { grants = [] }
        return grants
    }

    func takeReceipts() -> [Receipt] {
        defer { receipts.removeAll(keepingCapacity: true) }
        return receipts
    }
}

// MARK: - Callbacks

extension MosquittoClient {
    private func setCallbacks() {
        unsafe mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        // Formatting the library's messages costs on every packet, so they are taken only until the connection stands.
        unsafe mosquitto_log_callback_set(client) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text = unsafe text else { return }
            unsafe MosquittoClient.from(context)?.note(libraryError: String(cString: text))
        }
        unsafe mosquitto_connect_v5_callback_set(client) { _, context, reason, flags, properties in
            unsafe MosquittoClient.from(context)?.note(connack: UInt8(clamping: reason), flags: flags, PropertyReader(properties))
        }
        unsafe mosquitto_disconnect_v5_callback_set(client) { _, context, reason, _ in
            unsafe MosquittoClient.from(context)?.note(disconnect: reason)
        }
        unsafe mosquitto_subscribe_v5_callback_set(client) { _, context, packet, count, reasons, _ in
            guard count > 0, let reasons = unsafe reasons else { return }
            unsafe MosquittoClient.from(context)?.grants.append(Grant(packet: packet, reason: UInt8(clamping: reasons[0])))
        }
        unsafe mosquitto_publish_v5_callback_set(client) { _, context, packet, reason, _ in
            unsafe MosquittoClient.from(context)?.receipts.append(Receipt(packet: packet, reason: UInt8(clamping: reason)))
        }
        unsafe mosquitto_message_v5_callback_set(client) { _, context, message, properties in
            guard let message = unsafe message else { return }
            unsafe MosquittoClient.from(context)?.note(message: message.pointee, PropertyReader(properties))
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
        unsafe context.map { unsafe Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private func note(libraryError text: String) {
        libraryMessage = text
    }

    private func note(disconnect reason: Int32) {
        // Below 0x80 it is the library's own error code.
        if reason >= ReasonCode.firstFailure { disconnectReason = UInt8(clamping: reason) }
    }

    private func note(connack reason: UInt8, flags: Int32, _ properties: PropertyReader) {
        let info = ConnectionInfo(
            version: version, sessionPresent: flags & 1 == 1, receiveMaximum: properties.int16(MQTT_PROP_RECEIVE_MAXIMUM) ?? .max,
            maximumPacketSize: properties.int32(MQTT_PROP_MAXIMUM_PACKET_SIZE), maximumQoS: properties.byte(MQTT_PROP_MAXIMUM_QOS) ?? 2,
            retainAvailable: properties.byte(MQTT_PROP_RETAIN_AVAILABLE) != 0,
            subscriptionIdentifiersAvailable: version == .v5 && properties.byte(MQTT_PROP_SUBSCRIPTION_ID_AVAILABLE) != 0,
            sessionExpiry: properties.int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL).map { .seconds(Int64($0)) },
            serverKeepAlive: properties.int16(MQTT_PROP_SERVER_KEEP_ALIVE).map { .seconds(Int64($0)) }, certificate: certificate())
        acceptance = Acceptance(reason: reason, info: info)
        guard reason == 0 else { return }
        if tellsRepeats { followRepeats() } else { unsafe mosquitto_log_callback_set(client, nil) }
    }

    /// The certificate that the broker showed, DER; empty without TLS.
    private func certificate() -> [UInt8] {
        let most = 16_384
        return unsafe [UInt8](unsafeUninitializedCapacity: most) { bytes, count in
            count = Int(unsafe vigil_broker_certificate(client, bytes.baseAddress, Int32(most)))
        }
    }

    /// Whether it matters if a message came before: over MQTT 3.1.1, where a broker such as NATS gives every message the number that is free. A number
    /// that the broker counts up over MQTT 5 tells the same at no cost.
    private var tellsRepeats: Bool {
        if case .persistent = configuration.session { version == .v311 } else { false }
    }

    /// Takes DUP from the line that the library writes for each message just before it hands it over: the message itself does not say.
    private func followRepeats() {
        unsafe mosquitto_log_callback_set(client) { _, context, level, text in
            guard level == MOSQ_LOG_DEBUG, let text = unsafe text, let found = unsafe strstr(text, " received PUBLISH (d") else { return }
            unsafe MosquittoClient.from(context)?.isRepeat = unsafe found[20] == CChar(UInt8(ascii: "1"))
        }
    }

    private func note(message: mosquitto_message, _ properties: PropertyReader) {
        let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        var incoming = IncomingMessage(
            topic: unsafe String(cString: message.topic), payload: unsafe Array(payload), retained: unsafe message.retain,
            qos: unsafe message.qos == 0 ? .atMostOnce : .atLeastOnce, properties: properties.messageProperties,
            packetID: unsafe UInt16(truncatingIfNeeded: message.mid), isRepeat: tellsRepeats ? isRepeat : nil)
        isRepeat = false
        if copies?.isCopy(&incoming, identifiers: properties.subscriptionIdentifiers) == true { return }
        receivedBytes += incoming.size
        received.append(incoming)
    }
}
