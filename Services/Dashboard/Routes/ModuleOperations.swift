import Foundation
import Observability
import ServiceKit
import VigilSchema

/// The operations on what the health modules say of a person.
enum ModuleOperations {
    private static let service = "vigil-modules"

    static let all = [list, page, parameters, set]

    private static let list = APIOperation(
        "GET", "/participants/{participant}/modules",
        "The health modules in the person's order: names, icons, whether they are switched on, and their parameters.",
        for: .permitted(.seeIdentity)
    ) { call in
        .json(try await document("person.modules", call))
    }

    private static let page = APIOperation(
        "GET", "/participants/{participant}/modules/{module}",
        "What a module shows of the person: message, rows, charts, and every value or the reason why it is not known.",
        for: .permitted(.seeIdentity)
    ) { call in
        let module = try name(call, "module")
        try await call.audit("see-module", module)
        return .json(try await document("\(module).page", call))
    }

    private static let parameters = APIOperation(
        "GET", "/participants/{participant}/modules/{module}/{parameter}", "A module's value or setting of the person.",
        for: .permitted(.seeIdentity)
    ) { call in
        let (module, parameter) = (try name(call, "module"), try name(call, "parameter"))
        return .json(try await call.bus.parameter("\(module).\(parameter)", of: service, participant: call.participant))
    }

    private static let set = APIOperation(
        "PUT", "/participants/{participant}/modules/{module}/{parameter}",
        "Sets a module's parameter for the person; an empty text goes back to the initial value. What is refused is told in words.",
        for: .permitted(.enter), body: [.init("value", "A text, a number, true or false.")]
    ) { call in
        struct Form: Decodable { let value: ParameterValue }
        let form = try call.body(Form.self)
        let (module, parameter) = (try name(call, "module"), try name(call, "parameter"))
        try await call.audit("set-module", "\(module).\(parameter)")
        let answer = try await call.bus.parameter("\(module).\(parameter)", of: service, participant: call.participant, set: form.value)
        if let problem = (try? JSONDecoder().decode(Answer.self, from: Data(answer)))?.error {
            throw APIError(status: 422, code: "refused", reason: problem)
        }
        return .json(answer)
    }

    /// An answer of the exchange, as far as it matters here.
    private struct Answer: Decodable {
        let error: String?
        let document: JSONValue?
    }

    /// The document that the modules give under a name.
    private static func document(_ name: String, _ call: APICall) async throws -> [UInt8] {
        let bytes = try await call.bus.parameter(name, of: service, participant: call.participant)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else {
            throw APIError(status: 502, code: "failed", reason: "the modules' answer cannot be read")
        }
        if answer.error != nil { throw APIError.notFound }
        guard let document = answer.document else {
            throw APIError(status: 502, code: "failed", reason: "the modules' answer has no document")
        }
        return [UInt8](try JSONEncoder().encode(document))
    }

    private static func name(_ call: APICall, _ parameter: String) throws -> String {
        let name = try call.path(parameter)
        guard Name.isValid(name), !name.contains(".") else { throw APIError.notFound }
        return name
    }
}
