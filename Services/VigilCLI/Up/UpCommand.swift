import Foundation
import ServiceKit

/// `vigil up`: the whole suite on one machine.
enum UpCommand {
    static let command = Command(
        name: "up", summary: "runs the whole suite on this machine: a broker on loopback, every service, SQLite",
        details: """
            Everything that it keeps is in the state folder. A service that dies is started again. Ctrl-C stops the services in \
            order: what was taken is stored first. The options below that are not about the broker or the ports go to the services.
            """,
        settings: UpSettings.own + UpSettings.passedOn
    ) { invocation in
        let folder = URL(filePath: try invocation[CommonSettings.stateFolder]).path
        let lock = try StateLock(folder: folder)
        defer { lock.release() }
        try await StaleBroker.stop(stateFolder: folder)
        try await run(UpPlan(invocation.configuration, stateFolder: folder))
    }

    private static func run(_ plan: UpPlan) async throws {
        try plan.prepare()
        let board = UpBoard(plan: plan)
        let group = ServiceGroup(try members(plan, board), deadline: .seconds(60)) { progress in
            switch progress {
            case .running: board.isUp()
            case .draining: board.isStopping()
            default: break
            }
        }
        try await group.run()
    }

    private static func members(_ plan: UpPlan, _ board: UpBoard) throws -> [ServiceGroup.Member] {
        let broker = Supervisor("broker", launch: { try plan.brokerLaunch() }, onEvent: { board.note("broker", $0) })
        let readiness = ReadyProbe(deadline: plan.readyWithin)
        var members = [
            member(broker) { try await readiness.wait("the broker") { LoopbackSocket.answers(plan.brokerPort) } }
        ]
        for (index, service) in Suite.services.enumerated() {
            let port = plan.healthPort(index)
            let supervisor = Supervisor(
                service.name, launch: { try plan.launch(service, healthPort: port) }, onEvent: { board.note(service.name, $0) })
            members.append(member(supervisor) { try await readiness.wait(service.name) { await ReadyProbe.isReady(port) } })
        }
        return members
    }

    private static func member(
        _ supervisor: Supervisor, ready: @escaping @Sendable () async throws -> Void
    ) -> ServiceGroup.Member {
        ServiceGroup.Member(supervisor.name, supervisor, draining: .request { supervisor.stop() }, started: ready)
    }
}
