package import Settings

/// The settings by which a service learns of accounts and their rights.
package enum AccessSettings {
    package static let accounts = Setting.optional(
        "accounts-file", .path,
        help: """
            The list of accounts that `vigil accounts` maintains; requests are then checked against \
            --roles-file. Without it everybody may ask for everything.
            """
    )
    package static let roles = Setting.optional(
        "roles-file", .path, help: "The file that says what each role may do, deploy/roles.json5. Required with --accounts-file.")
    package static let all: [any AnySetting] = [accounts, roles]
}

extension AccessControl {
    /// Makes what the settings ask for.
    package convenience init?(_ configuration: Configuration) throws {
        guard let accounts = try configuration[AccessSettings.accounts] else { return nil }
        guard let roles = try configuration[AccessSettings.roles] else {
            throw CommandError(
                .configuration, "--accounts-file needs --roles-file: deploy/roles.json5, or /usr/share/vigil/roles.json5 in a container")
        }
        do { try self.init(roles: roles, accounts: accounts) } catch { throw CommandError(.configuration, "\(error)") }
    }
}
