import Foundation
import TestSupport

/// An Apple Health export of any length: three kinds of records from a watch and a phone, the phone's late, as after a synchronisation, so that
/// times go to and fro.
struct HealthLoad {
    let records: Int

    /// The path of `export.xml`; made when it is first asked for.
    func file(in folder: TemporaryFolder) throws -> String {
        let path = folder.path("export-\(records).xml")
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let partial = path + ".partial"
        try Data().write(to: URL(filePath: partial))
        let handle = try FileHandle(forWritingTo: URL(filePath: partial))
        try handle.write(contentsOf: Data(Self.start.utf8))
        for first in stride(from: 0, to: records, by: 10_000) {
            try handle.write(contentsOf: Data((first..<min(first + 10_000, records)).map(record).joined().utf8))
        }
        try handle.write(contentsOf: Data("</HealthData>\n".utf8))
        try handle.close()
        try FileManager.default.moveItem(atPath: partial, toPath: path)
        return path
    }

    /// The path of `export.zip`, as the phone shares it.
    func archive(in folder: TemporaryFolder) async throws -> String {
        let path = folder.path("export-\(records).zip")
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let script =
            "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED, compresslevel=1).write(sys.argv[2], sys.argv[3])"
        let zip = try ChildProcess(
            "/usr/bin/python3", ["-c", script, path + ".partial", try file(in: folder), "apple_health_export/export.xml"],
            output: folder.path("zip.log"))
        guard try await zip.waitForExit(within: .seconds(300)) == 0 else { throw CocoaError(.fileWriteUnknown) }
        try FileManager.default.moveItem(atPath: path + ".partial", toPath: path)
        return path
    }

    private static let start = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
        ]>
        <HealthData locale="en_GB">
         <ExportDate value="2024-05-01 10:00:00 +0200"/>

        """

    private static let kinds: [(type: String, unit: String, base: Int)] = [
        ("HeartRate", "count/min", 60), ("StepCount", "count", 10), ("ActiveEnergyBurned", "kcal", 1),
    ]

    private func record(_ number: Int) -> String {
        let kind = Self.kinds[number % 3], isPhone = number % 10 == 7
        let seconds = 1_600_000_000 + number * 5 - (isPhone ? 86_400 : 0)
        let time = Self.time(seconds), address = String(0x2_8000_0000 + number * 64, radix: 16)
        let device =
            isPhone
            ? "iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone12,1"
            : "Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1"
        return """
             <Record type="HKQuantityTypeIdentifier\(kind.type)" sourceName="Anna’s \(isPhone ? "iPhone" : "Apple Watch")" sourceVersion="9.1" \
            device="&lt;&lt;HKDevice: 0x\(address)&gt;, name:\(device), software:9.1&gt;" unit="\(kind.unit)" creationDate="\(time)" \
            startDate="\(time)" endDate="\(time)" value="\(kind.base + number * 7919 % 40)"/>

            """
    }

    /// Two hours east of Greenwich.
    private static func time(_ seconds: Int) -> String {
        var clock = tm()
        var local = time_t(seconds + 7200)
        gmtime_r(&local, &clock)
        return pad(Int(clock.tm_year) + 1900) + "-" + pad(Int(clock.tm_mon) + 1) + "-" + pad(Int(clock.tm_mday)) + " "
            + pad(Int(clock.tm_hour))
            + ":" + pad(Int(clock.tm_min)) + ":" + pad(Int(clock.tm_sec)) + " +0200"
    }

    private static func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
