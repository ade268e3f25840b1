import MessageBus
import TestSupport
import Testing

@Suite("Security", .timeLimit(.minutes(4)))
struct SecurityTests {
    /// Returns the error that a publisher's `run()` ends with, or nil once a publish came through.
    private func outcome(_ broker: BrokerConfiguration, topic: String = "t") async throws -> BusError? {
        let publisher = Publisher(configuration: PublisherConfiguration(broker: broker))
        do {
            try await withRunning(publisher) { try await $0.publish(OutgoingMessage(topic: topic, payload: [1])) }
            return nil
        } catch let error as BusError {
            return error
        }
    }

    @Test("connects over TLS with the broker's authority, and with a client certificate where one is asked for", arguments: [false, true])
    func tls(clientCertificate: Bool) async throws {
        let server = try await MosquittoServer.start(access: .tls(TestCertificates(), clientCertificate: clientCertificate))
        #expect(try await outcome(server.configuration(clientID: "c")) == nil)
    }

    @Test("refuses a broker of another authority")
    func strangeAuthority() async throws {
        let certificates = try await TestCertificates()
        let server = try await MosquittoServer.start(access: .tls(certificates, clientCertificate: false))
        var broker = server.configuration(clientID: "c")
        broker.tls?.authorities = certificates.strangeAuthority
        #expect(try await outcome(broker)?.code == .tlsFailed)
        broker.tls?.authorities = nil
        #expect(try await outcome(broker)?.code == .tlsFailed, "the system does not know this authority either")
    }

    @Test("refuses a broker whose certificate is for another name")
    func otherName() async throws {
        let server = try await MosquittoServer.start(
            access: .tls(TestCertificates(names: "DNS:elsewhere.example"), clientCertificate: false))
        #expect(try await outcome(server.configuration(clientID: "c"))?.code == .tlsFailed)
    }

    @Test("says that TLS failed when the broker wants a client certificate and gets none")
    func missingClientCertificate() async throws {
        let server = try await MosquittoServer.start(access: .tls(TestCertificates(), clientCertificate: true))
        var broker = server.configuration(clientID: "c")
        broker.tls?.certificate = nil
        broker.tls?.privateKey = nil
        #expect(try await outcome(broker)?.code == .tlsFailed)
    }

    @Test("says so when the broker does not speak TLS, and never goes on without")
    func plainBroker() async throws {
        let server = try await MosquittoServer.start()
        var broker = server.configuration(clientID: "c")
        broker.tls = TLSConfiguration()
        broker.connectTimeout = .seconds(1)
        let error = try await outcome(broker)
        #expect(error?.code == .tlsFailed)
        #expect(error?.detail.contains("does it speak TLS") == true)
    }

    @Test("tries on where the broker is stopped in the middle of a TLS handshake", arguments: RevolvingDoor.GracefulDisconnect.allCases)
    func cutOff(farewell: RevolvingDoor.GracefulDisconnect) async throws {
        let server = try await MosquittoServer.start(access: .tls(TestCertificates(), clientCertificate: false))
        try await server.kill()
        let door = try RevolvingDoor(at: server.port, turningAway: 3, by: farewell)
        let events = EventLog()
        let publisher = Publisher(
            configuration: PublisherConfiguration(broker: server.configuration(clientID: "c")), onEvent: events.note)
        try await withRunning(publisher) { publisher in
            try await eventually("three handshakes are cut off") { door.isClosed }
            try await server.start()
            try await publisher.publish(OutgoingMessage(topic: "t", payload: [1]))
        }
        let codes = events.events.compactMap { if case .disconnected(let error) = $0 { error.code } else { nil } }
        #expect(codes.count >= 3)
        // A reset is noticed by the library, while it connects or after that, or by the look at the socket, whichever comes first.
        let expected: Set<BusError.Code> = farewell == .end ? [.tlsCutOff] : [.tlsCutOff, .connectionLost, .unreachable]
        #expect(expected.isSuperset(of: codes.prefix(3)), "\(codes)")
        #expect(!events.events.contains(.fellBackTo311), "who hung up before the greeting says nothing of MQTT's version")
    }

    @Test("takes a file that holds no certificate for an error")
    func brokenFile() async throws {
        let certificates = try await TestCertificates()
        let server = try await MosquittoServer.start(access: .tls(certificates, clientCertificate: false))
        var broker = server.configuration(clientID: "c")
        broker.tls?.authorities = try server.folder.write("not a certificate", to: "broken.crt")
        let error = try await outcome(broker)
        #expect(error?.code == .tlsFailed)
        #expect(error?.isRetryable == false)
    }

    @Test("connects with user and password, and is told when they are wrong")
    func password() async throws {
        let server = try await MosquittoServer.start(access: .password(user: "anna", password: "secret word"))
        var broker = server.configuration(clientID: "c")
        #expect(try await outcome(broker) == nil)
        broker.password = Secret("wrong")
        let error = try await outcome(broker)
        #expect(error?.code == .notAuthorized || error?.code == .badCredentials)
        #expect(error?.isRetryable == false)
        broker.protocolVersion = .v311
        #expect(try await outcome(broker)?.code == .notAuthorized)
    }

    @Test("is told when the broker's access list forbids a topic")
    func accessList() async throws {
        let server = try await MosquittoServer.start(
            access: .password(user: "anna", password: "x", accessList: "user anna\ntopic readwrite allowed/#\n"))
        #expect(try await outcome(server.configuration(clientID: "c"), topic: "allowed/1") == nil)
        let error = try await outcome(server.configuration(clientID: "c"), topic: "forbidden")
        #expect(error?.code == .notAuthorized)
        #expect(error?.operation == .publish)
    }
}
