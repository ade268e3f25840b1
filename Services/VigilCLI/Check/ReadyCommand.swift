import ServiceKit

/// `vigil ready`: what a container's health check runs, as the image has no other HTTP client.
enum ReadyCommand {
    static let command = Command(
        name: "ready", summary: "ends with 0 when the service whose environment it is run in is ready",
        details: """
            Asks /readyz on 127.0.0.1 at the port that --http-port or VIGIL_HTTP_PORT names.
            """,
        settings: [CommonSettings.httpPort]
    ) { invocation in
        let port = try invocation[CommonSettings.httpPort]
        guard port != 0 else { throw CommandError(.usage, "--http-port must say which port the service has") }
        guard await ReadyProbe.isReady(port) else { throw CommandError(.unavailable, "not ready") }
    }
}
