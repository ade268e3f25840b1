package import MessageBus

/// One setting, declared once: its flag, its environment variable, its line in the help and its checks follow from it.
///
/// ```swift
/// static let batchSize = Setting("batch-size", .integer(in: 1...100_000), default: 2000, help: "Rows in one commit at most.")
/// static let label = Setting.optional("label", .text, help: "Shown beside each row.")
/// let size = try configuration[batchSize]
/// ```
package struct Setting<Value: Sendable>: AnySetting {
    package let declaration: SettingDeclaration
    /// The way a value is read and written.
    package let format: ValueFormat<Value>
    let defaultValue: Value?

    /// A setting with a default.
    package init(_ name: String, _ format: ValueFormat<Value>, default value: Value, help: String) {
        self.init(name, format, value: value, defaultText: format.write(value), isRequired: false, help: help)
    }

    /// A setting that must be given.
    package static func required(_ name: String, _ format: ValueFormat<Value>, help: String) -> Setting {
        Setting(name, format, value: nil, defaultText: nil, isRequired: true, help: help)
    }

    /// A setting that may be left out.
    package static func optional<Wrapped: Sendable>(
        _ name: String, _ format: ValueFormat<Wrapped>, help: String
    ) -> Setting where Value == Wrapped? {
        let format = ValueFormat<Wrapped?>(
            accepts: format.accepts, placeholder: format.placeholder, isSwitch: format.isSwitch,
            read: { text in format.read(text).map(Optional.some) }, write: { $0.map(format.write) ?? "" })
        return Setting(name, format, value: .some(nil), defaultText: nil, isRequired: false, help: help)
    }

    /// A secret: `secret("password")` is `--password-file` and `VIGIL_PASSWORD_FILE`, and its value the file's first line.
    package static func secret(_ name: String, help: String) -> Setting where Value == Secret? {
        let format = ValueFormat<Secret?>(
            accepts: "the path of a readable file that holds the secret on its first line", placeholder: "PATH",
            read: { SecretFile.read($0).map(Optional.some) }, write: { _ in "" })
        return Setting("\(name)-file", format, value: .some(nil), defaultText: nil, isRequired: false, isSecret: true, help: help)
    }

    private init(
        _ name: String, _ format: ValueFormat<Value>, value: Value?, defaultText: String?, isRequired: Bool,
        isSecret: Bool = false, help: String
    ) {
        self.format = format
        defaultValue = value
        declaration = SettingDeclaration(
            name: name, help: help, placeholder: format.placeholder, accepts: format.accepts, defaultText: defaultText,
            isRequired: isRequired, isSecret: isSecret, isSwitch: format.isSwitch, isValid: { format.read($0) != nil })
    }
}

/// The facts known of a setting whatever its type: for reading the command line and the environment, and for the help.
package struct SettingDeclaration: Sendable {
    /// Lower case with hyphens: `broker-host` is `--broker-host` and `VIGIL_BROKER_HOST`.
    package let name: String
    package let help: String
    package let placeholder: String
    /// The accepted values, in words.
    package let accepts: String
    /// The default as text; nil where there is none.
    package let defaultText: String?
    package let isRequired: Bool
    /// A Boolean value that indicates whether its value is the content of a file, so that it stands in no command line and no environment.
    package let isSecret: Bool
    package let isSwitch: Bool
    let isValid: @Sendable (String) -> Bool

    /// The name on the command line.
    package var flag: String { "--\(name)" }
    /// The name in the environment.
    package var variable: String { "VIGIL_" + name.uppercased().replacing("-", with: "_") }
}

/// A setting of any type.
package protocol AnySetting: Sendable {
    /// The facts known of it whatever its type.
    var declaration: SettingDeclaration { get }
}
