import Foundation
package import Observability
import VigilSchema

/// Every route of the service.
package enum DashboardRoutes {
    /// The operations of the REST interface.
    static let operations: [APIOperation] =
        SessionOperations.all + PasskeyOperations.all + TokenOperations.all + TimelineOperations.all + AlertOperations.all
        + AnswerOperations.all
        + ProfileOperations.all + ShareLinkOperations.all + QuestionnaireOperations.all
        + MeasurementOperations.all + ModuleOperations.all + ReportOperations.all
        + OperatorOperations.all + ImportOperations.all + [
            LiveOperation.operation, document,
        ]

    /// The routes, each guarded.
    package static func routes(_ dashboard: RouteContext, files: WebFiles, protection: BrowserProtection) -> [HTTPRoute] {
        let api = operations.map { $0.route(dashboard) }
        let unknown = ["GET", "POST", "PUT", "PATCH", "DELETE"].map { method in
            HTTPRoute(method, "/api/{rest*}") { _ in APIError.notFound.response }
        }
        return (api + unknown + FHIRRoutes.routes(dashboard) + [page(dashboard, files)]).map(protection.guarding)
    }

    private static let document = APIOperation("GET", "/openapi.json", "This description.", for: .signedIn) { _ in
        .json(OpenAPI.document(operations))
    }

    /// A file, or for any address without a dot the application, which then shows what the address says. One about a participant whom
    /// the account may not see is not found.
    private static func page(_ dashboard: RouteContext, _ files: WebFiles) -> HTTPRoute {
        HTTPRoute("GET", "/{path*}") { request in
            if let file = files.answer(request.path, to: request) { return file }
            let levels = request.path.split(separator: "/").map(String.init)
            guard levels.count <= 4, !(levels.last?.contains(".") ?? false) || levels.first == "p" else {
                return .text("not found\n", status: 404)
            }
            guard levels.first == "p", levels.count > 1 else { return files.page(request) }
            let session = try? await RequestChecks(request: request).session(dashboard)
            guard let account = session?.account else { return files.page(request) }
            let known = account.seesPseudonyms ? await dashboard.directory.names() : []
            let isSeen = dashboard.pseudonyms.participant(levels[1], for: account, known: known) != nil
            return files.page(request, status: isSeen ? 200 : 404)
        }
    }
}

/// The OpenAPI 3.1 document, made of the operations themselves.
enum OpenAPI {
    /// The document as JSON, keys sorted.
    static func document(_ operations: [APIOperation]) -> [UInt8] {
        var paths: [String: [String: Any]] = [:]
        for operation in operations { paths["/api/v1" + operation.path, default: [:]][operation.method.lowercased()] = describe(operation) }
        let document: [String: Any] = [
            "openapi": "3.1.0",
            "info": [
                "title": "Vigil", "version": "1",
                "description":
                    "Everything that the pages of vigil-dashboard do. What an account may not see is 404. Times are Unix seconds. "
                    + "A change whose header Vigil-Account names another account than the one that is signed in is refused with 409.",
            ],
            "paths": paths,
            "components": [
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer", "description": "A personal token: vigil people token NAME."],
                    "session": ["type": "apiKey", "in": "cookie", "name": "__Host-vigil"],
                ],
                "schemas": [
                    "Error": [
                        "type": "object", "required": ["error"],
                        "properties": [
                            "error": [
                                "type": "object", "required": ["code", "reason"],
                                "properties": ["code": ["type": "string"], "reason": ["type": "string"]],
                            ]
                        ],
                    ]
                ],
            ],
            "security": [["token": [String]()], ["session": [String]()]],
        ]
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // Texts, lists and objects only: always JSON.
        return (try? JSONSerialization.data(withJSONObject: document, options: options)).map { [UInt8]($0) + [0x0A] } ?? []
    }

    private static func describe(_ operation: APIOperation) -> [String: Any] {
        let failure: [String: Any] = [
            "description": "Refused, in words.",
            "content": ["application/json": ["schema": ["$ref": "#/components/schemas/Error"]]],
        ]
        let types = ["/live": "text/event-stream", "/participants/{participant}/report": "application/pdf"]
        let type = types[operation.path] ?? "application/json"
        var result: [String: Any] = [
            "summary": operation.summary,
            "responses": ["200": ["description": "Done.", "content": [type: [String: String]()]], "default": failure],
        ]
        let names = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
        let inPath = names.map { ["name": $0, "in": "path", "required": true, "schema": ["type": "string"]] as [String: Any] }
        let inQuery = operation.parameters.map {
            ["name": $0.name, "in": "query", "description": $0.about, "schema": ["type": $0.kind.rawValue]] as [String: Any]
        }
        if !(inPath + inQuery).isEmpty { result["parameters"] = inPath + inQuery }
        if operation.takesBytes {
            result["requestBody"] = ["content": ["application/octet-stream": [String: String]()]]
        } else if !operation.members.isEmpty {
            let members = operation.members.map { ($0.name, ["type": $0.kind.rawValue, "description": $0.about]) }
            let schema: [String: Any] = ["type": "object", "properties": Dictionary(uniqueKeysWithValues: members)]
            result["requestBody"] = ["content": ["application/json": ["schema": schema]]]
        }
        switch operation.caller {
        case .anybody: result["security"] = [[String: [String]]]()
        case .signedIn: break
        case .permitted(let permission): result["x-permission"] = permission.rawValue
        }
        return result
    }
}
