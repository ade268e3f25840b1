import Foundation
import Observability
import ServiceKit
import Settings
import TimelineStore
import VigilSchema

/// The stream of live events: a snapshot, then what changes, and a heartbeat every five seconds.
enum LiveOperation {
    static let heartbeat = Duration.seconds(5)

    static let operation = APIOperation(
        "GET", "/live", "Server-sent events: snapshot, values, waves, gap, alert, module, beat, end.", for: .signedIn,
        query: [.init("waves", "The participants whose waveforms are wanted, with commas between, at most 16.")], isLive: true
    ) { call in
        let (account, address) = (call.account.name, call.request.peer)
        try call.dashboard.shares.checkStreams(account, address: address)
        let access = try await access(call)
        let dashboard = call.dashboard
        let session = call.session
        return .events { stream in
            // Of several that came at once and found room, those that find none any more end: a client that connects anew is told.
            try dashboard.shares.enterStream(account, address: address)
            defer { dashboard.shares.leaveStream(account, address: address) }
            let viewer = dashboard.hub.add(access)
            defer { dashboard.hub.remove(viewer) }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await send(viewer, dashboard, stream) }
                tasks.addTask { try await beat(viewer, session, dashboard, stream) }
                tasks.addTask {
                    // What was measured before this service began to listen.
                    let names = await dashboard.directory.people(for: session.account).map(\.participant)
                    await PastValues(hub: dashboard.hub, bus: dashboard.bus).fill(names)
                    await Latch().wait()
                }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        }
    }

    /// Returns the participants whose waveforms are wanted, among those whom the account may see; another's is as if it did not exist.
    private static func access(_ call: APICall) async throws -> Viewer.Access {
        let names = (call.request.query["waves"] ?? "").split(separator: ",").prefix(16).map(String.init)
        let known = call.account.seesPseudonyms ? await call.dashboard.directory.names() : []
        var waves: Set<String> = []
        for name in names {
            guard let found = call.dashboard.pseudonyms.participant(name, for: call.account, known: known) else { throw APIError.notFound }
            waves.insert(found)
        }
        try await call.auditLive("see-live", names.joined(separator: ","))
        return Viewer.Access(account: call.account, pseudonyms: call.dashboard.pseudonyms, waves: waves)
    }

    /// Sends what is in the mailbox, at most ten times a second, so that a burst is one write.
    private static func send(_ viewer: Viewer, _ dashboard: RouteContext, _ stream: HTTPStream) async throws {
        while !Task.isCancelled {
            await viewer.wait()
            if viewer.isClosed { return }
            var text = ""
            for event in viewer.take(snapshot: { dashboard.hub.snapshot($0, now: dashboard.now()) }) {
                text += "event: \(event.name)\ndata: \(event.data)\n\n"
            }
            try await stream.write(text)
            try await ContinuousClock().sleep(for: .milliseconds(80))
        }
    }

    /// Every five seconds: looks whether the session still holds and what the account may see, and says that the stream lives. Where that cannot be looked
    /// up for a minute the stream ends; who connects anew is told.
    private static func beat(_ viewer: Viewer, _ session: Session, _ dashboard: RouteContext, _ stream: HTTPStream) async throws {
        while true {
            let found: Session?
            do {
                found = try await dashboard.accounts.currentSession(id: session.id, now: dashboard.now())
                dashboard.recent.found(found, id: session.id, now: dashboard.now())
            } catch let error as StoreError where error.isAbsence {
                guard let known = dashboard.recent.session(id: session.id, now: dashboard.now()) else { return }
                found = known
            }
            guard let found else {
                viewer.put { $0.end() }
                // The writer sends the end, returns and thereby ends this; a client that does not take it is left after a while.
                return try await ContinuousClock().sleep(for: .seconds(10))
            }
            viewer.set(found.account)
            viewer.put { $0.beat(at: dashboard.now()) }
            try await ContinuousClock().sleep(for: heartbeat)
        }
    }
}
