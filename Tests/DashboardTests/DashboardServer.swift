import Access
import Cryptography
import Foundation
import FoundationNetworking
import MessageBus
import Observability
import Synchronization
import VigilSchema

@testable import Dashboard

/// The dashboard's server on a loopback port with accounts in memory and a scripted suite behind it.
struct DashboardServer: Sendable {
    /// An answer as a test looks at it.
    struct Reply: Sendable {
        let status: Int
        let headers: [String: String]
        let text: String
    }

    /// The messages that were published to the suite.
    final class Asked: Sendable {
        private let state = Mutex<[OutgoingMessage]>([])
        var all: [OutgoingMessage] { state.withLock { $0 } }
        func add(_ message: OutgoingMessage) { state.withLock { $0.append(message) } }
    }

    let base: String
    let accounts: AccountStore
    let hub: LiveHub
    let asked: Asked
    let unwritten: UnwrittenAudit
    /// The bytes of bodies that the server keeps.
    let bodyBytes: @Sendable () -> Int

    /// Runs a server for the body, with the accounts `nurse` (a carer of anna), `oona` (an operator) and `ana` (an analyst of anna).
    static func run(
        answering answer: @escaping @Sendable (OutgoingMessage) async throws -> String = { _ in #"{"result":[]}"# },
        pause: @escaping @Sendable (Double) async throws -> Void = { _ in },
        makeChallenge: @escaping @Sendable () -> String = RandomToken.make,
        _ body: @Sendable (DashboardServer) async throws -> Void
    ) async throws {
        let accounts = try AccountStore(path: ":memory:")
        try await addPeople(to: accounts)
        try await serve(accounts, answering: answer, pause: pause, makeChallenge: makeChallenge, body)
    }

    /// Adds the three accounts.
    static func addPeople(to accounts: AccountStore) async throws {
        for account in [
            Account(name: "oona", roles: [.operator]), Account(name: "nurse", roles: [.carer], participants: ["anna"]),
            Account(name: "ana", roles: [.analyst], participants: ["anna"]),
        ] { try await accounts.add(account, now: Date().timeIntervalSince1970) }
    }

    /// Runs a server with accounts for the body.
    static func serve(
        _ accounts: AccountStore,
        answering answer: @escaping @Sendable (OutgoingMessage) async throws -> String = { _ in #"{"result":[]}"# },
        pause: @escaping @Sendable (Double) async throws -> Void = { _ in },
        makeChallenge: @escaping @Sendable () -> String = RandomToken.make,
        _ body: @Sendable (DashboardServer) async throws -> Void
    ) async throws {
        let (hub, asked) = (LiveHub(), Asked())
        let bus = SuiteClient { _, message in
            asked.add(message)
            return Array(try await answer(message).utf8)
        }
        let now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
        let log = Logger(service: "test", level: .error) { _ in }
        let unwritten = UnwrittenAudit(accounts: accounts, log: log)
        let files = try WebFiles(folder: webFolder, others: [:])
        let parts = RouteContext(
            accounts: accounts, recent: RecentSessions(), unwritten: unwritten,
            signIn: try SignIn(store: accounts, now: now, pause: pause),
            passkeys: PasskeyChallenges(store: accounts, makeChallenge: makeChallenge), hub: hub, bus: bus, shares: AccountShares(),
            directory: ParticipantDirectory(bus: bus, hub: hub, now: now), pseudonyms: Pseudonyms(secret: "s"),
            cookie: SessionCookie(isSecure: false, port: 1), answerKey: AnswerKey("a key of sixteen or more".utf8), words: files.words,
            questionnaires: files.questionnaires,
            log: log, now: now)
        let routes = DashboardRoutes.routes(
            parts, files: files, protection: BrowserProtection(hosts: ["127.0.0.1", "localhost", "example.org"], isSecure: false))
        let server = HTTPServer(host: "127.0.0.1", port: 0, routes: routes, limits: DashboardService.limits)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.run() }
            await server.started()
            try await body(
                DashboardServer(
                    base: "http://127.0.0.1:\(server.port ?? 0)", accounts: accounts, hub: hub, asked: asked, unwritten: unwritten,
                    bodyBytes: { server.bodyBytes }))
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    /// The folder of the pages in this checkout.
    static var webFolder: String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Services/Dashboard/Web").path
    }

    /// Keeps no cookies: each request has the ones that the test gives it.
    private static let client: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        return URLSession(configuration: configuration)
    }()

    /// A session of the account, as a cookie.
    func cookie(_ name: String) async throws -> String {
        "vigil-1=" + (try await accounts.beginSession(of: name, address: "", agent: "", now: Date().timeIntervalSince1970))
    }

    /// Sends a request as a browser on our own page would, unless the headers say otherwise.
    func send(
        _ method: String, _ path: String, as cookie: String? = nil, body: String? = nil, headers: [String: String] = [:]
    ) async throws -> Reply {
        guard let url = URL(string: base + path) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpShouldHandleCookies = false
        request.httpBody = body.map { Data($0.utf8) }
        var all = ["Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"]
        all["Cookie"] = cookie
        for (name, value) in all.merging(headers, uniquingKeysWith: { $1 }) { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await Self.client.data(for: request)
        let answer = response as? HTTPURLResponse
        var found: [String: String] = [:]
        for (name, value) in answer?.allHeaderFields ?? [:] { found["\(name)".lowercased()] = "\(value)" }
        return Reply(status: answer?.statusCode ?? 0, headers: found, text: String(decoding: data, as: UTF8.self))
    }
}
