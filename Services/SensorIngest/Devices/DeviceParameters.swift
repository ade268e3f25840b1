import Foundation
package import ServiceKit
import Settings
import VigilSchema

/// The parameters with which an operator sees and decides about devices over the module exchange.
package struct DeviceParameters: Sendable {
    private let decisions: DeviceDecisions

    package init(_ decisions: DeviceDecisions) { self.decisions = decisions }

    /// Adds the parameters to the service's list.
    package func add(to exchange: Exchange) {
        exchange.add(
            Parameter(
                name: "devices", kind: .text, description: "The devices heard last, at most 1000, as a JSON array.",
                read: { .text(try await list()) }))
        exchange.add(
            Parameter(
                name: "quarantine", kind: .text,
                description: "Devices whose messages are refused; setting it to participant/device adds one.",
                read: { .text(decisions.rules.quarantined.map { "\($0.participant)/\($0.device)" }.sorted().joined(separator: ", ")) },
                write: { try await setQuarantined($0.text, true) }))
        exchange.add(
            Parameter(
                name: "release", kind: .text, description: "Setting it to participant/device ends that device's quarantine.",
                read: { .text("") }, write: { try await setQuarantined($0.text, false) }))
        exchange.add(
            Parameter(
                name: "bindings", kind: .text,
                description: "Devices and their participants; setting it to device=participant binds one, device= lets one go.",
                read: {
                    .text(decisions.rules.bindings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", "))
                },
                write: { try await bind($0.text) }))
    }

    private func list() async throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(try await decisions.list()), as: UTF8.self)
    }

    private func setQuarantined(_ text: String, _ isQuarantined: Bool) async throws {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 2, levels.allSatisfy({ Name.isValid($0) }) else {
            throw ExchangeError.malformed(name: isQuarantined ? "quarantine" : "release", accepts: "participant/device")
        }
        let address = DeviceAddress(participant: String(levels[0]), device: String(levels[1]))
        try await decisions.setQuarantined(address, isQuarantined)
    }

    private func bind(_ text: String) async throws {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, Name.isValid(parts[0]), parts[1].isEmpty || Name.isValid(parts[1]) else {
            throw ExchangeError.malformed(name: "bindings", accepts: "device=participant, or device= to let it go")
        }
        try await decisions.bind(String(parts[0]), to: parts[1].isEmpty ? nil : String(parts[1]))
    }
}
