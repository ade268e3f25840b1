import Alerting
import CSVImport
import Foundation
import HealthModules
import MessageBus
import SensorIngest
import ServiceKit
import Settings
import Shares
import StressAnalysis
import Timeline
import TimelineStore

/// `vigil shares`: which replica owns which share since when, and how an operator changes that.
enum SharesCommand {
    private static let service = Setting(
        "service", .name, default: "vigil-timeline", help: "The service that owns the shares.")
    private static let json = Setting("json", .boolean, default: false, help: "Print the list as JSON.")
    private static let settings: [any AnySetting] = [service] + CommonSettings.database
    /// The services whose leases stand with their state, which may be in the timeline's database or in another.
    private static let states = [
        AlertService.command.name: AlertSchema.schema, "vigil-stress": PostgresStressState.schema,
        SensorIngestService.command.name: SharedDecisions.schema, "vigil-modules": SharedSettings.schema,
        "vigil-import": ImportState.schema,
    ]

    static let command = Command(
        name: "shares", summary: "shows the owner of each share of a service, moves shares, and drains a replica",
        details: """
            Reads the database of --store itself; for services other than vigil-timeline give the one of their \
            --state. Replicas follow a change within seconds. A replica that is stopped in good order hands over \
            its shares by itself.
            """,
        settings: [json] + settings, subcommands: [move, even, drain, undrain]
    ) { invocation in
        try await withLeases(invocation) { leases, service in
            guard let view = try await leases.view(of: service) else {
                throw ShareError(.unknown, "\(service) shares no work in this database: it runs with --shares 1, or has not yet run")
            }
            let table = ShareTable(view)
            StandardOutput.line(try invocation[json] ? table.json() : table.description)
        }
    }

    private static let move = Command(
        name: "move", summary: "pins a share to a replica",
        details: "It stays there until that replica is gone or until `vigil shares even`.",
        settings: settings,
        operands: Operands("SHARE REPLICA", count: 2...2, help: "the share's number, for example 7 or s07, and the replica's instance")
    ) { invocation in
        try await change(invocation, "moves to \(invocation.operands[1])") { leases, service in
            try await leases.move(try number(invocation.operands[0]), of: service, to: invocation.operands[1])
        }
    }

    private static let even = Command(
        name: "even", summary: "removes the pin of a share", settings: settings,
        operands: Operands("SHARE", help: "the share's number, for example 7 or s07")
    ) { invocation in
        try await change(invocation, "is left to the even division") { leases, service in
            try await leases.move(try number(invocation.operands[0]), of: service, to: nil)
        }
    }

    private static let drain = Command(
        name: "drain", summary: "makes a replica hand over its shares until its next start", settings: settings,
        operands: Operands("REPLICA", help: "the replica's instance")
    ) { invocation in
        try await change(invocation, "gives its shares up; vigil shares tells when it has none") { leases, service in
            try await leases.drain(invocation.operands[0], of: service, true)
        }
    }

    private static let undrain = Command(
        name: "undrain", summary: "lets a drained replica own shares again", settings: settings,
        operands: Operands("REPLICA", help: "the replica's instance")
    ) { invocation in
        try await change(invocation, "takes part again") { leases, service in
            try await leases.drain(invocation.operands[0], of: service, false)
        }
    }

    private static func change(
        _ invocation: Invocation, _ outcome: String, _ body: (PostgresLeases, String) async throws -> Void
    ) async throws {
        try await withLeases(invocation, body)
        StandardOutput.line("\(invocation.operands[0]) \(outcome)")
    }

    private static func withLeases(_ invocation: Invocation, _ body: (PostgresLeases, String) async throws -> Void) async throws {
        guard let store = try TimelineCommands.openStore(invocation) as? PostgresStore else {
            throw CommandError(.configuration, "shares are kept in PostgreSQL: --store or VIGIL_STORE names it, as it does for the service")
        }
        let name = try invocation[service]
        if let schema = states[name] { return try await withLeases(of: name, schema, invocation, body) }
        do {
            try await body(store.leases, name)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private static func withLeases(
        of name: String, _ schema: PostgresState.Schema, _ invocation: Invocation, _ body: (PostgresLeases, String) async throws -> Void
    ) async throws {
        let configuration = PostgresConfiguration(
            connection: try invocation[CommonSettings.store], password: try invocation[CommonSettings.storePassword]?.exposed)
        let state = PostgresState(configuration, schema, migrates: false)
        do {
            try await body(state.leases, name)
        } catch {
            await state.close()
            guard let problem = error as? ShareError, problem.code == .misconfigured else { throw error }
            throw ShareError(.unknown, "\(name) shares no work in this database: \(problem.description)")
        }
        await state.close()
    }

    private static func number(_ text: String) throws(CommandError) -> Int {
        let digits = text.hasPrefix("s") ? text.dropFirst() : text[...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
            throw CommandError(.usage, "\(text) is no share: a number such as 7 or s07")
        }
        return number
    }
}
