/// A connection and the thread that it may block.
///
/// Opens the connection when it is first needed, and again after it was lost.
actor DatabaseThread<Connection: SQLConnection> {
    private let executor: QueueExecutor
    private let connect: @Sendable () throws(StoreError) -> Connection
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - label: the thread's name in a debugger.
    ///   - connect: opens a connection; runs on the thread.
    init(label: String, connect: @escaping @Sendable () throws(StoreError) -> Connection) {
        executor = QueueExecutor(label: label)
        self.connect = connect
    }

    /// Runs `body` with the connection.
    func perform<Result: Sendable>(
        _ body: @Sendable (Connection) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let connection = try opened()
        do throws(StoreError) {
            return try body(connection)
        } catch {
            if error.code == .connectionLost || error.code == .unavailable { self.connection = nil }
            throw error
        }
    }

    /// Runs `body` with the connection if there is one.
    func performIfOpen(_ body: @Sendable (Connection) -> Void) {
        if let connection { body(connection) }
    }

    /// Lets go of the connection.
    func close() { connection = nil }

    private func opened() throws(StoreError) -> Connection {
        if let connection { return connection }
        let connection = try connect()
        self.connection = connection
        return connection
    }
}
