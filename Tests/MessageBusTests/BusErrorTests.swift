import Testing

@testable import MessageBus

@Suite("Errors of the bus and the codes of MQTT")
struct BusErrorTests {
    @Test(
        "help by a retry or not, as the kind says",
        arguments: [
            (BusError.Code.unreachable, true), (.connectionLost, true), (.quotaExceeded, true), (.timedOut, true),
            (.protocolViolation, true), (.internalFailure, true),
            (.refused, true), (.invalidConfiguration, false), (.tlsFailed, false), (.badCredentials, false), (.notAuthorized, false),
            (.invalidTopic, false),
            (.messageTooLarge, false), (.cancelled, false), (.closed, false),
        ])
    func retryable(code: BusError.Code, isRetryable: Bool) {
        #expect(BusError(code, during: .connect).isRetryable == isRetryable)
    }

    @Test("are temporary refusals by MQTT 5's codes that say so, and by no other")
    func temporary() {
        // Section 2.4: server busy, shutting down, taken over, over a limit and the like; 3 is MQTT 3.1.1's "server unavailable".
        let temporary: Set<UInt8> = [3, 0x80, 0x83, 0x88, 0x89, 0x8B, 0x8D, 0x8E, 0x91, 0x93, 0x96, 0x97, 0x98, 0x9C, 0x9D, 0x9F, 0xA0]
        for code in UInt8.min...UInt8.max {
            #expect(ReasonCode.isTemporary(code) == temporary.contains(code))
            #expect(BusError(.refused, during: .connect, reason: code).isRetryable == temporary.contains(code))
        }
    }

    @Test("of a publish concern the one message for good, or are a refusal for the moment, or neither")
    func ofMessages() {
        func error(_ code: BusError.Code, _ reason: UInt8? = nil, _ operation: BusError.Operation = .publish) -> BusError {
            BusError(code, during: operation, reason: reason)
        }
        let permanent = [error(.invalidTopic), error(.notAuthorized, 0x87), error(.messageTooLarge, 0x95), error(.refused, 0x99)]
        let temporary = [error(.refused, 0x80), error(.refused, 0x83), error(.refused, 0x91), error(.refused), error(.quotaExceeded, 0x97)]
        let others = [
            error(.connectionLost), error(.closed), error(.cancelled), error(.notAuthorized, 0x87, .connect), error(.refused, 3, .connect),
        ]
        for error in permanent { #expect(error.concernsMessage && !error.isTemporaryRefusal, "\(error)") }
        for error in temporary { #expect(!error.concernsMessage && error.isTemporaryRefusal, "\(error)") }
        for error in others { #expect(!error.concernsMessage && !error.isTemporaryRefusal, "\(error)") }
    }

    @Test("have the kind that a code of MQTT 5 stands for")
    func kinds() {
        let kinds: [UInt8: BusError.Code] = [
            0x81: .protocolViolation, 0x82: .protocolViolation, 0x94: .protocolViolation, 0x86: .badCredentials, 0x8C: .badCredentials,
            0x87: .notAuthorized, 0x90: .invalidTopic, 0x8F: .invalidTopic, 0x95: .messageTooLarge, 0x93: .quotaExceeded,
            0x96: .quotaExceeded,
            0x97: .quotaExceeded,
        ]
        for code in UInt8.min...UInt8.max { #expect(ReasonCode.errorCode(code) == kinds[code] ?? .refused) }
        let old: [UInt8: BusError.Code] = [4: .badCredentials, 5: .notAuthorized]
        for code in UInt8.min...UInt8.max { #expect(ReasonCode.connectErrorCodeV311(code) == old[code] ?? .refused) }
    }

    @Test(
        "say what was done, what failed, by which code and where",
        arguments: [
            (BusError(.refused, during: .subscribe, reason: 0x97, detail: "a/#"), "subscribe: refused (quota exceeded): a/#"),
            (BusError(.refused, during: .subscribe, reason: 0x97), "subscribe: refused (quota exceeded)"),
            (BusError(.tlsFailed, during: .connect), "connect: TLS failed"),
            (BusError(.refused, during: .publish, reason: 0xEF, detail: "x"), "publish: refused (reason 0xef): x"),
        ])
    func words(error: BusError, text: String) {
        #expect(error.description == text)
    }

    @Test("a warning names the number that is too small")
    func warnings() {
        #expect(BrokerWarning.smallReceiveMaximum(7).description.contains("takes 7 unacknowledged"))
        #expect(BrokerWarning.smallPackets(maximum: 9).description.contains("up to 9 bytes"))
        #expect(BrokerWarning.shortSessionExpiry(granted: .seconds(5)).description.contains("for 5.0 seconds only"))
    }
}
