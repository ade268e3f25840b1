// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with. Warnings become errors where `VIGIL_WARNINGS_AS_ERRORS` is set, as CI does,
/// so that a newer compiler's new warning does not stop a user's build.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),  // SE-0335: `any` spelled out
        .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409: imports are internal unless said otherwise
        .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444: members only from modules imported in the file
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461: async functions stay on the caller's actor
        .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470: conformances isolated as their type is
        .enableUpcomingFeature("ImmutableWeakCaptures"),  // SE-0481: `weak let`
    ] + (Context.environment["VIGIL_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])

/// A C library from Debian. One Swift module imports each.
func clibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Shared/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A library under `Shared/`. One that touches C says so with `unsafe` at each dangerous line.
func shared(_ name: String, _ dependencies: [Target.Dependency] = [], importsC: Bool = false) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Shared/\(name)",
        swiftSettings: strict + (importsC ? [.strictMemorySafety()] : []))
}

/// A service: its code as a library, so that tests can reach it, and a command that only starts it.
func service(
    _ name: String, command: String, _ dependencies: [Target.Dependency], exclude: [String] = [], commandNeeds: [Target.Dependency] = []
) -> [Target] {
    [
        .target(
            name: name, dependencies: dependencies + ["VigilSchema", "ServiceKit", "Observability", "Settings"],
            path: "Services/\(name)", exclude: ["Command"] + exclude, swiftSettings: strict),
        .executableTarget(
            name: command, dependencies: [.target(name: name), "ServiceKit", "Observability", "Settings"] + commandNeeds,
            path: "Services/\(name)/Command", swiftSettings: strict),
    ]
}

/// A test target under `Tests/`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: strict)
}

/// A fuzz target under `Tests/Fuzz`.
func fuzz(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: "Fuzz\(name)", dependencies: dependencies, path: "Tests/Fuzz/\(name)", swiftSettings: strict)
}

/// The C libraries, each imported by one module.
let cLibraries: [Target] = [
    clibrary("CArchive", pkgConfig: "libarchive", apt: "libarchive-dev"),
    clibrary("CCairo", pkgConfig: "cairo", apt: "libcairo2-dev"),
    clibrary("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
    clibrary("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    clibrary("CExpat", pkgConfig: "expat", apt: "libexpat1-dev"),
    clibrary("CFido2", pkgConfig: "libfido2", apt: "libfido2-dev"),
    clibrary("CIcal", pkgConfig: "libical", apt: "libical-dev"),
    clibrary("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
    clibrary("CMosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
    clibrary("CQRencode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
    clibrary("CPostgres", pkgConfig: "libpq", apt: "libpq-dev"),
    clibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    clibrary("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
    clibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    clibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
]

/// What services and tools share: a library stands behind those that it imports.
let libraries: [Target] = [
    shared("VigilSchema"),
    shared("FHIRMapping", ["VigilSchema"]),
    shared("Signals"),
    shared("JSON5", ["VigilSchema"]),
    shared("SQLiteDatabase", ["CSQLite"], importsC: true),
    shared("HTTPClient", ["CCurl"], importsC: true),
    shared("Cryptography", ["CCrypto", "CSodium"], importsC: true),
    shared("Passkeys", ["CFido2", "Cryptography"], importsC: true),
    shared("Calendars", ["CIcal"], importsC: true),
    shared("Compression", ["CArchive", "CZlib"], importsC: true),
    shared("Plotting", ["CCairo"], importsC: true),
    shared("QRCode", ["CQRencode"], importsC: true),
    .systemLibrary(name: "CIconv", path: "Shared/CIconv"),
    shared("TextDecoding", ["CExpat", "CIconv"], importsC: true),
    shared("MessageBus", ["CMosquitto"], importsC: true),
    shared("Observability", ["CMicrohttpd"], importsC: true),
    .systemLibrary(name: "CMalloc", path: "Shared/CMalloc"),
    shared("Settings", ["CMalloc", "MessageBus", "Observability", "VigilSchema"], importsC: true),
    shared(
        "ServiceKit", ["Cryptography", "MessageBus", "Observability", "Settings", "Shares", "SQLiteDatabase", "VigilSchema"], importsC: true
    ),
    shared("Access", ["Cryptography", "JSON5", "MessageBus", "Observability", "ServiceKit", "Settings", "SQLiteDatabase", "VigilSchema"]),
    shared("AlertRules", ["JSON5", "VigilSchema"]),
    shared("Shares", ["Observability", "VigilSchema"]),
    shared("TimelineStore", ["VigilSchema", "Shares", "SQLiteDatabase", "Cryptography", "CPostgres", "CZlib", "CZstd"], importsC: true),
]

let services: [Target] =
    service(
        "SensorIngest", command: "vigil-ingest",
        ["Access", "Cryptography", "MessageBus", "Shares", "SQLiteDatabase", "HTTPClient", "JSON5", "TimelineStore"])
    + service(
        "StressAnalysis", command: "vigil-stress", ["Access", "MessageBus", "Shares", "Signals", "SQLiteDatabase", "TimelineStore"],
        exclude: ["Evaluation"], commandNeeds: ["DetectorEvaluation"])
    + service(
        "Alerting", command: "vigil-alert",
        [
            "Access", "AlertRules", "Calendars", "MessageBus", "SQLiteDatabase", "JSON5", "HTTPClient", "Cryptography", "Shares",
            "TimelineStore",
        ])
    + service(
        "Timeline", command: "vigil-timeline",
        ["Access", "FHIRMapping", "MessageBus", "Shares", "TimelineStore", "Cryptography", "Plotting"])
    + service(
        "CSVImport", command: "vigil-import",
        [
            "Access", "MessageBus", "Shares", "SQLiteDatabase", "TimelineStore", "JSON5", "Cryptography", "Compression", "HTTPClient",
            "TextDecoding",
        ])
    + service(
        "Dashboard", command: "vigil-dashboard",
        ["Access", "Cryptography", "FHIRMapping", "JSON5", "MessageBus", "Passkeys", "Plotting", "QRCode", "TimelineStore"],
        exclude: ["Web"])
    + service("HealthModules", command: "vigil-modules", ["Access", "MessageBus", "Shares", "SQLiteDatabase", "TimelineStore"])
    + service(
        "VigilCLI", command: "vigil",
        [
            "Access", "Cryptography", "MessageBus", "SQLiteDatabase", "HTTPClient", "Signals", "AlertRules", "Alerting", "SensorIngest",
            "Shares", "StressAnalysis", "DetectorEvaluation", "SignalSynthesis", "Timeline", "CSVImport", "Dashboard", "HealthModules",
            "TimelineStore",
        ])

/// Evaluation and synthesis: used by commands, tests and benchmarks, never by a running service.
let tools: [Target] = [
    shared("SignalSynthesis", ["Signals"]),
    .target(
        name: "DetectorEvaluation",
        dependencies: ["StressAnalysis", "Signals", "SignalSynthesis", "ServiceKit", "Settings", "VigilSchema"],
        path: "Services/StressAnalysis/Evaluation", swiftSettings: strict),
]

/// Benchmarks and fault runs: programs of their own, which start the suite's.
let proof: [Target] = [
    .target(name: "TestSupport", dependencies: ["MessageBus", "ServiceKit"], path: "Tests/TestSupport", swiftSettings: strict),
    .target(name: "SecondOpinion", dependencies: ["SensorIngest", "VigilSchema"], path: "Tests/SecondOpinion", swiftSettings: strict),
    .target(name: "SuiteHarness", dependencies: ["TestSupport"], path: "Tests/SuiteHarness", swiftSettings: strict),
    .executableTarget(
        name: "vigil-limits", dependencies: ["CMosquitto", "CPostgres", "CSQLite"], path: "Tests/Benchmarks/Limits",
        linkerSettings: [.linkedLibrary("m")]),
    .executableTarget(
        name: "vigil-bench",
        dependencies: [
            "DetectorEvaluation", "SignalSynthesis",
            "SuiteHarness", "TestSupport", "MessageBus", "TimelineStore", "VigilSchema", "CSVImport", "AlertRules", "HealthModules",
            "Observability", "SensorIngest", "ServiceKit", "SQLiteDatabase", "Signals", "Timeline", "StressAnalysis", "vigil-limits",
            "vigil-ingest",
            "vigil-timeline",
            "vigil-import", "vigil-alert", "vigil-stress", "vigil-dashboard", "vigil-modules", "Dashboard",
        ],
        path: "Tests/Benchmarks/Bench", swiftSettings: strict),
    .target(
        name: "FaultInjection", dependencies: ["SignalSynthesis", "Signals", "SuiteHarness", "TestSupport"],
        path: "Tests/Faults/FaultInjection",
        swiftSettings: strict),
    .executableTarget(
        name: "vigil-faults",
        dependencies: [
            "FaultInjection", "vigil", "vigil-limits", "vigil-ingest", "vigil-timeline", "vigil-stress", "vigil-alert",
        ],
        path: "Tests/Faults/vigil-faults", swiftSettings: strict),
    .executableTarget(
        name: "vigil-packets",
        dependencies: [
            "SignalSynthesis", "Signals", "SuiteHarness", "TestSupport", "vigil", "vigil-ingest", "vigil-timeline", "vigil-stress",
            "vigil-alert",
        ],
        path: "Tests/Fuzz/Packets", swiftSettings: strict),
]

/// Fuzz targets, for deploy/fuzz alone: static libraries that it links with libFuzzer, which brings the `main`.
let fuzzTargets: [Target] = [
    fuzz("Formats", ["SecondOpinion", "VigilSchema"]),
    fuzz("Import", ["CSVImport", "JSON5"]),
    fuzz("Control", ["AlertRules", "StressAnalysis", "VigilSchema"]),
    fuzz("Stored", ["AlertRules", "Alerting", "TimelineStore"]),
    fuzz("Mappings", ["SensorIngest", "VigilSchema"]),
    fuzz("Analysis", ["Signals", "StressAnalysis", "VigilSchema"]),
    fuzz("Observed", ["Dashboard", "TimelineStore", "VigilSchema"]),
]
let chosenFuzzTargets = Context.environment["VIGIL_FUZZ"] == nil ? [] : fuzzTargets

let testTargets: [Target] = [
    tests(
        "FaultTests",
        [
            "FaultInjection", "SuiteHarness", "TestSupport", "vigil", "vigil-limits", "vigil-ingest", "vigil-timeline", "vigil-stress",
            "vigil-alert",
        ]),
    tests("SignalsTests", ["SignalSynthesis", "Signals", "TestSupport"]),
    tests(
        "StressAnalysisTests",
        [
            "DetectorEvaluation", "SignalSynthesis",
            "StressAnalysis", "Access", "Shares", "Signals", "MessageBus", "ServiceKit", "Observability", "Settings", "TimelineStore",
            "VigilSchema", "TestSupport",
            "vigil-stress",
        ]),
    tests(
        "CSVImportTests",
        [
            "SignalSynthesis",
            "CSVImport", "MessageBus", "ServiceKit", "Shares", "Timeline", "TimelineStore", "Signals", "SQLiteDatabase", "Observability",
            "VigilSchema", "TestSupport", "SuiteHarness", "vigil-import", "vigil-timeline",
        ]),
    .executableTarget(
        name: "service-probe", dependencies: ["ServiceKit", "Observability", "Settings"], path: "Tests/ServiceProbe", swiftSettings: strict),
    tests(
        "ServiceKitTests",
        [
            "Cryptography", "ServiceKit", "Observability", "Settings", "MessageBus", "SQLiteDatabase", "TestSupport", "VigilSchema",
            "service-probe",
        ]),
    tests(
        "VigilCLITests",
        [
            "Access", "AlertRules", "SuiteHarness", "VigilCLI", "HTTPClient", "ServiceKit", "Observability", "Settings", "MessageBus",
            "SignalSynthesis", "SQLiteDatabase", "SensorIngest",
            "TestSupport", "TimelineStore",
            "VigilSchema", "vigil", "vigil-alert", "vigil-dashboard", "vigil-import", "vigil-ingest", "vigil-modules", "vigil-stress",
            "vigil-timeline",
        ]),
    tests(
        "AccessTests",
        [
            "Access", "AlertRules", "StressAnalysis", "MessageBus", "Observability", "Settings", "SQLiteDatabase", "TestSupport",
            "VigilSchema",
        ]),
    tests("VigilSchemaTests", ["VigilSchema"]),
    tests("PlottingTests", ["Plotting"]),
    tests("CryptographyTests", ["Cryptography"]),
    tests("PasskeysTests", ["Cryptography", "Passkeys"]),
    tests("SQLiteDatabaseTests", ["SQLiteDatabase"]),
    tests("JSON5Tests", ["JSON5", "TestSupport"]),
    .executableTarget(name: "bus-fixture", dependencies: ["MessageBus"], path: "Tests/Fixtures/BusFixture", swiftSettings: strict),
    tests("MessageBusTests", ["MessageBus", "TestSupport", "bus-fixture"]),
    tests(
        "SensorIngestTests",
        [
            "Access", "SecondOpinion", "SensorIngest", "Timeline", "TimelineStore", "Cryptography", "HTTPClient", "ServiceKit",
            "Observability", "Settings", "SQLiteDatabase", "MessageBus", "SuiteHarness", "TestSupport", "VigilSchema", "vigil-ingest",
        ]),
    tests(
        "TimelineTests",
        [
            "Access", "FHIRMapping", "Timeline", "Plotting", "ServiceKit", "Observability", "Settings", "MessageBus", "TestSupport",
            "TimelineStore",
            "VigilSchema",
        ]),
    tests("TimelineStoreTests", ["Cryptography", "TimelineStore", "VigilSchema", "TestSupport"]),
    tests(
        "AsyncAPITests",
        [
            "Access", "AlertRules", "Alerting", "HealthModules", "SensorIngest", "StressAnalysis", "ServiceKit", "Observability",
            "Settings", "MessageBus", "VigilSchema",
        ]),
    tests("AlertRulesTests", ["SignalSynthesis", "AlertRules", "JSON5", "Signals", "VigilSchema"]),
    tests(
        "AlertingTests",
        [
            "Access", "AlertRules", "Alerting", "Calendars", "Cryptography", "HTTPClient", "JSON5", "MessageBus", "ServiceKit",
            "Observability",
            "Settings", "Shares",
            "Signals", "SignalSynthesis", "SQLiteDatabase", "SuiteHarness", "TestSupport", "TimelineStore", "VigilSchema",
            "vigil-alert",
        ]),
    tests(
        "DashboardTests",
        [
            "Access", "Cryptography", "Dashboard", "FHIRMapping", "MessageBus", "Observability", "Passkeys", "QRCode", "ServiceKit",
            "Settings",
            "TestSupport", "Timeline",
            "TimelineStore", "VigilSchema",
        ]),
    .executableTarget(
        name: "modules-probe", dependencies: ["HealthModules", "ServiceKit", "Settings"], path: "Tests/ModulesProbe", swiftSettings: strict),
    tests(
        "HealthModulesTests",
        [
            "HealthModules", "MessageBus", "Observability", "ServiceKit", "Settings", "Shares", "SQLiteDatabase", "TestSupport",
            "VigilSchema",
            "vigil-modules", "modules-probe", "vigil-timeline", "vigil",
        ]),
    tests("HTTPClientTests", ["HTTPClient", "TestSupport"]),
    tests(
        "SharesTests",
        [
            "HealthModules", "MessageBus", "Observability", "SQLiteDatabase", "ServiceKit", "Shares", "SignalSynthesis", "Signals",
            "StressAnalysis",
            "SuiteHarness",
            "TestSupport",
            "TimelineStore", "VigilSchema", "vigil", "vigil-ingest", "vigil-modules", "vigil-stress", "vigil-timeline",
        ]),
]

/// The test targets that `VIGIL_TESTS` names, separated by commas, so that work on one part builds no other's tests; all of them without it.
let chosenTests: [Target] = {
    guard let names = Context.environment["VIGIL_TESTS"]?.split(separator: ",").map(String.init) else { return testTargets }
    return testTargets.filter { $0.type != .test || names.contains($0.name) }
}()

let package = Package(
    name: "vigil",
    products: [.library(name: "VigilSchema", targets: ["VigilSchema"])]
        + chosenFuzzTargets.map { .library(name: $0.name, type: .static, targets: [$0.name]) },
    targets: cLibraries + libraries + services + tools + proof + chosenFuzzTargets + chosenTests,
    swiftLanguageModes: [.v6]
)
