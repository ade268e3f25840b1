import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// The suite as processes, with a broker and a database of their own, proxies between them, and a hand that breaks things.
final class FaultySuite: Sendable {
    let folder: TemporaryFolder
    let broker: MosquittoServer
    let store: StoreUnderTest
    let services: [SuiteService]
    /// The clients that misbehave.
    let crowd: HostileCrowd
    let notifiers: Notifiers
    /// Nil where nothing is sealed.
    let sealing: SealingSwitch?
    private let disk: SmallDisk?
    /// By service; empty where libfaketime is missing.
    private let clocks: [String: FakeClock]
    private let brokerLink: FaultyLink
    private let databaseLink: FaultyLink?
    /// The most memory that each service took, over all its lives.
    private let peaks = Mutex<[String: Int]>([:])
    /// Ends that no fault explains.
    private let ownEnds = Mutex<[String: Int]>([:])
    private let isSupervised = Atomic<Bool>(true)

    init(_ plan: FaultPlan) async throws {
        folder = try TemporaryFolder("vigil-faults")
        broker = try await MosquittoServer.start()
        brokerLink = try FaultyLink(to: broker.port)
        crowd = HostileCrowd(broker)
        notifiers = try Notifiers(in: folder)
        let isOnDisk = plan.store == .sqlite && plan.kinds.contains { $0 == .fillDisk || $0 == .fillDiskLong }
        disk = isOnDisk ? try await SmallDisk(at: folder.path("disk"), megabytes: 512) : nil
        switch plan.store {
        case .sqlite:
            store = .sqlite(path: disk.map { "\($0.path)/timeline.sqlite" } ?? folder.path("timeline.sqlite"))
            databaseLink = nil
        case .postgres:
            let server = try PostgresServer()
            store = .postgres(server, connection: try server.makeDatabase())
            databaseLink = try FaultyLink(to: UInt16(server.port))
        }
        let folder = folder
        sealing = plan.kinds.contains(.seal) ? SealingSwitch(store, in: folder) : nil
        let stepsClocks = FakeClock.isAvailable && plan.kinds.contains(.stepClock)
        let made = try stepsClocks ? plan.services.map { ($0, try FakeClock($0, in: folder)) } : []
        let clocks = Dictionary(uniqueKeysWithValues: made)
        let settings = [
            "vigil-timeline": ["--store", store.setting(port: databaseLink?.port), "--retention-interval", RepeatedPacking.interval]
                + (sealing == nil ? [] : SealingSwitch.settings),
            "vigil-alert": ["--rules", try folder.write(AlertModel.rules, to: "rules.json5"), "--notifiers", notifiers.file],
        ]
        let (port, state) = (brokerLink.port, disk.map { "\($0.path)/state" })
        services = try plan.services.map { name in
            try SuiteService(
                name, settings: settings[name] ?? [], brokerPort: port, folder: folder, stateFolder: state,
                environment: clocks[name]?.environment ?? [:])
        }
        self.clocks = clocks
    }

    /// The path of a service's state file.
    func stateFile(_ name: String) -> String { "\(disk.map { "\($0.path)/state" } ?? folder.path("state"))/\(name)" }

    /// Starts every service and waits until all can work.
    func start() async throws {
        for service in services { try await service.start() }
    }

    /// Does to the suite what the fault says, and takes it back when it is over.
    func carryOut(_ fault: Fault) async throws {
        switch fault {
        case .kill(let name):
            try await service(name).kill()
            try service(name).launch()
        case .freeze(let name, let seconds):
            service(name).signal(SIGSTOP)
            try await pause(seconds)
            service(name).signal(SIGCONT)
        case .restartBroker:
            try await broker.stop()
            try await broker.start()
        case .killBroker:
            try await broker.kill()
            try await broker.start()
        case .freezeBroker(let seconds):
            broker.pause()
            try await pause(seconds)
            broker.resume()
        case .freezeDatabase(let seconds):
            guard case .postgres(let server, _) = store else { return }
            server.signalAll(SIGSTOP)
            try await pause(seconds)
            server.signalAll(SIGCONT)
        case .stopDatabase(let seconds):
            guard case .postgres(let server, _) = store else { return }
            try server.stopImmediately()
            try await pause(seconds)
            try server.start()
        case .cut(let link, let seconds): try await treat(link, .cut, seconds)
        case .stall(let link, let seconds): try await treat(link, .stall, seconds)
        case .delay(let link, let milliseconds, let seconds):
            try await treat(link, .delay(nanoseconds: Int64(milliseconds) * 1_000_000), seconds)
        case .fillDisk(let seconds):
            try disk?.fill()
            try await pause(seconds)
            disk?.free()
        case .hostile(let hostility, let seconds): try await crowd.act(hostility, seconds: seconds)
        case .hangNotifier(let seconds):
            try notifiers.hang()
            try await pause(seconds)
            notifiers.release()
        case .seal(let seconds):
            try await sealing?.set(true)
            try await pause(seconds)
            try await sealing?.set(false)
        case .stepClock(let name, let offset, let seconds):
            try clocks[name]?.set(offset)
            try await pause(seconds)
            try clocks[name]?.set(0)
        }
    }

    /// Starts again what has ended, as `vigil up`, systemd and Kubernetes do, and notes memory; until cancelled or `endSupervision()`.
    func supervise() async {
        while isSupervised.load(ordering: .relaxed), !Task.isCancelled {
            for service in services {
                if let usage = service.usage { peaks.withLock { $0[service.name] = max($0[service.name] ?? 0, usage.peak) } }
                guard service.hasEnded, isSupervised.load(ordering: .relaxed) else { continue }
                // A killed service is started again by its fault; whoever comes second finds it running.
                try? await pause(0.3)
                guard service.hasEnded, (try? service.launch()) != nil else { continue }
                ownEnds.withLock { $0[service.name, default: 0] += 1 }
            }
            try? await pause(0.2)
        }
    }

    /// Lets what ends stay ended.
    func endSupervision() { isSupervised.store(false, ordering: .relaxed) }

    /// Services that took more than so many megabytes.
    func greedy(beyond megabytes: Int) -> [String] {
        peaks.withLock { $0 }.filter { $0.value > megabytes * 1_000_000 }.map { "\($0.key) took \($0.value / 1_000_000) MB" }
    }

    /// Peak memory in megabytes, and how often each ended by itself.
    var report: String {
        let ends = ownEnds.withLock { $0 }
        return peaks.withLock { $0 }.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value / 1_000_000) MB" + (ends[$0.key].map { ", ended by itself \($0) times" } ?? "")
        }.joined(separator: "; ")
    }

    /// Makes a suite, gives it to `work` and ends it, however that ended.
    static func with<Outcome>(_ plan: FaultPlan, _ work: (FaultySuite) async throws -> Outcome) async throws -> Outcome {
        let suite = try await FaultySuite(plan)
        do {
            let outcome = try await work(suite)
            await suite.close()
            return outcome
        } catch {
            await suite.close()
            throw error
        }
    }

    /// Stops everything that was started.
    private func close() async {
        endSupervision()
        notifiers.release()
        for service in services {
            service.signal(SIGCONT)
            try? await service.kill()
        }
        brokerLink.close()
        databaseLink?.close()
        if case .postgres(let server, _) = store { server.remove() }
        await disk?.remove()
    }

    private func service(_ name: String) -> SuiteService { services.first { $0.name == name } ?? services[0] }

    private func treat(_ link: Fault.Link, _ mode: FaultyLink.Mode, _ seconds: Double) async throws {
        let proxy = link == .broker ? brokerLink : databaseLink
        proxy?.set(mode)
        try await pause(seconds)
        proxy?.set(.pass)
    }

    private func pause(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }
}
