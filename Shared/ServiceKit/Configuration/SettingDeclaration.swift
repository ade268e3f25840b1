/// What is known of a setting whatever its type: for reading the command line and the environment, and for the help.
package struct SettingDeclaration: Sendable {
    /// Lower case with hyphens: `broker-host` is `--broker-host` and `VIGIL_BROKER_HOST`.
    package let name: String
    package let help: String
    package let placeholder: String
    /// What it accepts, in words.
    package let accepts: String
    /// The default as text; nil where there is none.
    package let defaultText: String?
    package let isRequired: Bool
    /// Whether its value is the content of a file, so that it stands in no command line and no environment.
    package let isSecret: Bool
    package let isSwitch: Bool
    let isValid: @Sendable (String) -> Bool

    /// What stands on the command line.
    package var flag: String { "--\(name)" }
    /// What stands in the environment.
    package var variable: String { "VIGIL_" + name.uppercased().replacing("-", with: "_") }
}

/// A setting of any type.
package protocol AnySetting: Sendable {
    /// What is known of it whatever its type.
    var declaration: SettingDeclaration { get }
}
