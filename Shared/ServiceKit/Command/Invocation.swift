/// What a command was called with, already checked.
package struct Invocation: Sendable {
    /// How it was reached, for example `vigil watch`.
    package let path: String
    package let configuration: Configuration
    /// The arguments that are no flags, in order.
    package let operands: [String]

    package init(path: String, configuration: Configuration, operands: [String] = []) {
        self.path = path
        self.configuration = configuration
        self.operands = operands
    }

    /// A setting's value.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        get throws(ConfigurationError) { try configuration[setting] }
    }
}
