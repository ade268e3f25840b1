/// A file of rule tests.
package struct RuleTestFile: Sendable {
    /// The rule files and folders that it names, as paths; empty: those that the command names.
    package var rules: [String]
    package var tests: [RuleTest]
}
