import CPostgres

extension PostgresConnection {
    /// A statement and its parameters, for a pipeline.
    struct Command {
        let sql: String
        var parameters: [PostgresParameter] = []
    }

    /// Runs statements one after the other in one round trip; what they give is thrown away.
    ///
    /// One that fails keeps those after it from running, and its error is thrown.
    /// https://www.postgresql.org/docs/15/libpq-pipeline-mode.html
    func pipeline(_ commands: [Command]) throws(StoreError) {
        guard !commands.isEmpty else { return }
        // To prepare one takes an answer, so it is done before, once for each.
        var names: [String] = []
        for command in commands { names.append(try prepared(command.sql, command.parameters)) }
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw connectionFailure() }
        defer { unsafe PQexitPipelineMode(handle) }
        for (name, command) in zip(names, commands) { try send(name, command.parameters) }
        guard unsafe PQpipelineSync(handle) == 1 else { throw connectionFailure() }
        try takeResults()
    }

    private func send(_ name: String, _ parameters: [PostgresParameter]) throws(StoreError) {
        let sent = unsafe PostgresParameter.withPointers(parameters) { values, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 1)
        }
        if sent != 1 { throw connectionFailure() }
    }

    /// All of them, also after one that failed, up to the pipeline's end.
    private func takeResults() throws(StoreError) {
        var failure: StoreError?
        while true {
            guard let result = unsafe PQgetResult(handle) else {
                // Between two statements' results stands a null; at a broken connection nothing else comes.
                guard unsafe PQstatus(handle) == CONNECTION_OK else { throw failure ?? connectionFailure() }
                continue
            }
            switch unsafe PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                unsafe PQclear(result)
                if let failure { throw failure }
                return
            case PGRES_PIPELINE_ABORTED: unsafe PQclear(result)
            default:
                do throws(StoreError) { unsafe PQclear(try checked(result, "write")) } catch { failure = failure ?? error }
            }
        }
    }
}
