/// A request to `vigil-import serve`, as it is published on `requests/<account>/import`; which members it needs depends on its command.
public struct ImportRequest: Hashable, Sendable, Codable {
    /// The most bytes of a file that go in one `append`, before base64.
    public static let mostBytes = 256 << 10

    /// `begin`, `append`, `survey`, `try`, `start`, `jobs`, `rejects`, `undo`, `discard`, `sources`, `ask`, `export` or
    /// `erase`.
    public var command: String
    /// `begin`: the file's name; `ask`: the source's.
    public var name: String?
    /// `begin`: its length in bytes.
    public var size: Int?
    /// The job that it is about.
    public var job: String?
    /// `append`: the place of the piece, in bytes.
    public var offset: Int?
    /// `append`: the piece, in base64.
    public var data: String?
    /// `survey`, `try`, `start`: what the file leaves open.
    public var answers: ImportAnswers?
    /// `rejects`: the next that the page before told.
    public var after: Int?
    /// `undo`: the import in the ledger.
    public var id: String?
    /// `export`, `erase`: the person.
    public var participant: String?
    /// `export`, `erase`: the imports that the timeline has readings of.
    public var imports: [String]?
    /// `export`: the number of the part.
    public var part: Int?
    /// The person for whom a service asks.
    public var actor: String?
    /// The address from which that person asks.
    public var address: String?

    /// Makes a request; members that only services set are set afterwards.
    public init(
        _ command: String, job: String? = nil, name: String? = nil, size: Int? = nil, offset: Int? = nil, data: String? = nil,
        answers: ImportAnswers? = nil, after: Int? = nil, id: String? = nil
    ) {
        self.command = command
        (self.job, self.name, self.size, self.offset, self.data) = (job, name, size, offset, data)
        (self.answers, self.after, self.id) = (answers, after, id)
    }
}

/// The user's answers to what a file leaves open.
public struct ImportAnswers: Hashable, Sendable, Codable {
    /// The person whose every row is, whatever the file says.
    public var participant: String?
    /// The zone of times that do not name theirs.
    public var zone: String?
    /// `dmy` or `mdy`.
    public var dateOrder: String?
    /// The units of columns, by header.
    public var units: [String: String]?
    /// The names of the columns of a file without a header.
    public var columns: [String]?
    /// The name of a built-in profile, instead of the first that fits.
    public var profile: String?
    /// Imports again what the ledger says is in.
    public var again: Bool?

    /// Makes answers that leave everything open.
    public init() {}
}
