/// One item of a service's exchange list: something to read, and perhaps to set, while the service runs.
package struct Parameter: Sendable {
    /// How a value is to be understood.
    package enum Kind: String, Sendable, Codable { case boolean, integer, number, text }

    package let name: String
    /// Where it stands in the service, with dots between the levels, for example `limits.batch-size`.
    package let keypath: String
    package let kind: Kind
    package let description: String
    /// Gives the present value.
    package let read: @Sendable () async throws -> ParameterValue
    /// Takes a new value, or throws what is wrong with it; nil where the parameter is read-only.
    package let write: (@Sendable (ParameterValue) async throws -> Void)?

    package init(
        name: String, keypath: String? = nil, kind: Kind, description: String,
        read: @escaping @Sendable () async throws -> ParameterValue,
        write: (@Sendable (ParameterValue) async throws -> Void)? = nil
    ) {
        self.name = name
        self.keypath = keypath ?? name
        self.kind = kind
        self.description = description
        self.read = read
        self.write = write
    }
}
