import ServiceKit

/// Reads and writes every parameter of every module, restores it, and says in words what does not keep its description.
struct ModulesCheck: Sendable {
    /// The modules that were checked, and the problems found.
    struct Report: Sendable {
        var modules = 0
        var parameters = 0
        var problems: [String] = []
    }

    let client: ModulesClient
    let participant: String

    func run() async throws -> Report {
        var report = Report()
        for module in try await client.get("person.modules", of: participant).list {
            guard let id = module["id"]?.text else {
                report.problems.append("a module has no name")
                continue
            }
            report.modules += 1
            report.problems += appearance(id, module)
            for parameter in module["parameters"]?.list ?? [] {
                report.parameters += 1
                report.problems += try await check(id, parameter)
            }
            for name in ["available", "page", "message"] {
                report.parameters += 1
                if case .failure(let refusal) = try await get("\(id).\(name)") {
                    report.problems.append("\(id).\(name) cannot be read: \(refusal)")
                }
            }
        }
        return report
    }

    private func appearance(_ id: String, _ module: JSONValue) -> [String] {
        var problems: [String] = []
        for member in ["name", "description"] {
            for language in ["en", "de", "ru"] where (module[member]?[language]?.text ?? "").isEmpty {
                problems.append("\(id) has no \(member) in \(language)")
            }
        }
        let icon = module["icon"]?.text ?? ""
        if !icon.hasPrefix("<svg") || !icon.contains("width=\"120\"") { problems.append("\(id) has no icon of 120 × 120") }
        if (module["version"]?.text ?? "").isEmpty { problems.append("\(id) has no version") }
        return problems
    }

    private func check(_ module: String, _ parameter: JSONValue) async throws -> [String] {
        let name = "\(module).\(parameter["name"]?.text ?? "")"
        let type = parameter["type"]?.text ?? ""
        var problems = ["en", "de", "ru"].filter { (parameter["description"]?[$0]?.text ?? "").isEmpty }.map {
            "\(name) is not described in \($0)"
        }
        switch try await get(name) {
        case .success(let value): if !Self.fits(value, type) { problems.append("\(name) says that it is \(type), and is \(value.pretty)") }
        case .failure(let refusal):
            if !refusal.description.contains("not known") { problems.append("\(name) cannot be read: \(refusal)") }
        }
        return problems
            + (parameter["readonly"]?.isTrue ?? false ? try await checkReadOnly(name) : try await checkWritable(name, type, parameter))
    }

    private func checkReadOnly(_ name: String) async throws -> [String] {
        switch try await set(name, .number(1)) {
        case .success: ["\(name) says that it can only be read, and was set"]
        case .failure(let refusal):
            refusal.description.contains("can only be read") ? [] : ["\(name) is refused in other words: \(refusal)"]
        }
    }

    private func checkWritable(_ name: String, _ type: String, _ parameter: JSONValue) async throws -> [String] {
        var problems: [String] = []
        let before = try? await get(name).get()
        for example in parameter["examples"]?.list ?? [] {
            guard let value = Self.value(example) else { continue }
            switch try await set(name, value) {
            case .success(let kept):
                if kept != example { problems.append("\(name) was set to \(value.text) and is \(kept.pretty)") }
                if !Self.fits(kept, type) { problems.append("\(name) says that it is \(type), and is \(kept.pretty)") }
            case .failure(let refusal): problems.append("\(name) refuses \(value.text): \(refusal)")
            }
        }
        for example in parameter["refused"]?.list ?? [] {
            guard let value = Self.value(example) else { continue }
            if case .success = try await set(name, value) { problems.append("\(name) takes \(value.text), which it should refuse") }
        }
        _ = try await set(name, before.flatMap(Self.value) ?? .text(""))
        if (try? await get(name).get()) != before { problems.append("\(name) could not be set back to what it was") }
        return problems
    }

    private func get(_ name: String) async throws -> Result<JSONValue, ModulesRefusal> {
        do { return .success(try await client.get(name, of: participant)) } catch let refusal as ModulesRefusal { return .failure(refusal) }
    }

    private func set(_ name: String, _ value: ParameterValue) async throws -> Result<JSONValue, ModulesRefusal> {
        do { return .success(try await client.set(name, value, of: participant)) } catch let refusal as ModulesRefusal {
            return .failure(refusal)
        }
    }

    private static func value(_ json: JSONValue) -> ParameterValue? {
        switch json {
        case .boolean(let value): .boolean(value)
        case .number(let value): .number(value)
        case .text(let value): .text(value)
        default: nil
        }
    }

    private static func fits(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.boolean, "boolean"), (.number, "number"), (.text, "text"), (.object, "document"), (.array, "document"): true
        case (.number(let number), "integer"): number == number.rounded()
        default: false
        }
    }
}
