import Foundation
import Plotting
import VigilSchema

/// The report that a person takes to a visit: who it is, what stands, what was measured, what the modules say, what alarms there were.
struct VisitReport: Sendable {
    let sources: ReportSources
    let numbers: ReportNumbers
    let profile: ParticipantProfile
    let period: ClosedRange<Double>
    /// The account that asks, and when.
    let author: String
    let now: Double

    private var words: PageWords.Language { numbers.words }

    /// The PDF's bytes.
    func pdf() async throws -> [UInt8] {
        let courses = try await sources.courses()
        var blocks = identity() + glance(try await sources.entries())
        blocks += figures(courses) + plots(courses)
        let events = try await sources.alerts()
        blocks += modules(await sources.modules()) + alarms(events)
        blocks += strips(try await sources.strips(of: events.filter { $0.transition == "raised" }))
        let footer = words("report.footer", ["moment": numbers.moment(now), "author": author])
        return try ReportDocument(title: name, subtitle: subtitle, footer: footer, blocks: blocks).pdf()
    }

    private var name: String {
        let name = [profile.first, profile.last].compactMap(\.self).joined(separator: " ")
        return profile.pseudonym ?? (name.isEmpty ? sources.participant : name)
    }

    private var subtitle: String {
        let zone = numbers.zone.identifier == "GMT" ? "UTC" : numbers.zone.identifier
        let period = words(
            "report.period", ["from": numbers.date(period.lowerBound), "to": numbers.date(max(period.lowerBound, period.upperBound - 1))])
        return "\(words("report.title")) · \(period) · \(zone)"
    }

    private func identity() -> [ReportDocument.Block] {
        var facts: [ReportDocument.Fact] = []
        if let birth = profile.birthDate {
            let age = profile.age(at: Timestamp(seconds: now)).map { words("summary.years", ["n": "\($0)"]) }
            facts.append(.init(words("report.birth-date"), [birth, age].compactMap(\.self).joined(separator: ", ")))
        }
        if let sex = profile.sex { facts.append(.init(words("report.sex"), words("sex.\(sex.rawValue)"))) }
        if let height = profile.height { facts.append(.init(words("report.height"), numbers.text(height, "body-height", "cm"))) }
        if profile.isPregnant == true { facts.append(.init(words("report.pregnant"), words("yes"))) }
        return facts.isEmpty ? [] : [.facts(facts)]
    }

    private func glance(_ entries: [TimelineEntry]) -> [ReportDocument.Block] {
        let kinds: [TimelineEntry.Kind] = [.allergy, .condition, .medication, .immunization, .procedure, .result, .note]
        var facts = kinds.flatMap { kind in
            entries.filter { $0.kind == kind }.suffix(15).map { ReportDocument.Fact(words("kind.\(kind.rawValue)"), text(of: $0)) }
        }
        if !entries.contains(where: { $0.kind == .allergy }) {
            facts.insert(.init(words("glance.allergy"), words("glance.no-allergy")), at: 0)
        }
        return [.heading(words("glance.title")), .facts(facts)]
    }

    private func text(of entry: TimelineEntry) -> String {
        let value = entry.value.map { "\(numbers.number($0, 1)) \(numbers.name(of: entry.unit ?? "1"))" } ?? entry.text
        let since = words(entry.kind.isStanding ? "glance.since" : "glance.on", ["date": numbers.date(entry.time.seconds)])
        let until = entry.ends.map { words("glance.until", ["date": numbers.date($0.seconds)]) }
        return [entry.description, value, entry.detail.map { "– \($0)" }, "(\([since, until].compactMap(\.self).joined(separator: " ")))"]
            .compactMap(\.self).joined(separator: " ")
    }

    private func figures(_ courses: [ReportSources.Course]) -> [ReportDocument.Block] {
        guard !courses.isEmpty else { return [.heading(words("report.values")), .paragraph(words("report.nothing"))] }
        let header = ["metric", "newest", "mean", "lowest", "highest", "count"].map { words("report.\($0)") }
        let rows = courses.map { course in
            let isCounter = MetricCatalogue.standard.definition(named: course.metric)?.kind == .total
            let write = { numbers.text($0, course.metric, course.unit) }
            // A counter's parts say nothing by themselves: its sum stands for them.
            let figures =
                isCounter
                ? ["–", "Σ \(write(course.sum))", "–", "–"]
                : [course.steps.last?.last ?? 0, course.mean, course.low, course.high].map(write)
            return [numbers.metric(course.metric)] + figures + ["\(course.count)"]
        }
        return [.heading(words("report.values")), .table(header: header, rows: rows)]
    }

    private func plots(_ courses: [ReportSources.Course]) -> [ReportDocument.Block] {
        let shown = courses.filter { $0.count > 1 && MetricCatalogue.standard.definition(named: $0.metric)?.kind != .total }
        let pressures = shown.filter { $0.metric.hasSuffix("olic-pressure") }
        let others = shown.filter { !$0.metric.hasSuffix("olic-pressure") }.prefix(6).map { [$0] }
        return ((pressures.isEmpty ? [] : [pressures]) + others).map(plot)
    }

    private func plot(_ courses: [ReportSources.Course]) -> ReportDocument.Block {
        let unit = courses.first.map { numbers.own(0, $0.metric, $0.unit).unit } ?? "1"
        let title = courses.map { numbers.metric($0.metric) }.joined(separator: ", ")
        let series = courses.map { course in
            TimePlot.Series(label: numbers.metric(course.metric), points: course.steps.map { point($0, course) })
        }
        let caption = PlotCaption(title: title, subtitle: "", unit: numbers.name(of: unit))
        return .plot(TimePlot(caption: caption, series: series, range: period, zone: numbers.zone))
    }

    private func point(_ step: SeriesBucket, _ course: ReportSources.Course) -> TimePlot.Point {
        let own = { numbers.own($0, course.metric, course.unit).value }
        return TimePlot.Point(time: step.time.seconds, low: own(step.min), mean: own(step.mean), high: own(step.max))
    }

    private func modules(_ modules: [ReportSources.Module]?) -> [ReportDocument.Block] {
        guard let modules else { return [.heading(words("page.health")), .paragraph(words("report.modules-away"))] }
        guard !modules.isEmpty else { return [] }
        return [.heading(words("page.health"))]
            + modules.flatMap { module in
                [.paragraph(local(module.name), isBold: true)]
                    + (module.message.map { [.paragraph(local($0))] } ?? [])
                    + [.facts(module.rows.map { ReportDocument.Fact(local($0.label), local($0.value)) })]
            }
    }

    private func local(_ texts: [String: String]) -> String { texts[words.name] ?? texts["en"] ?? "" }

    private func alarms(_ events: [AlertMessage]) -> [ReportDocument.Block] {
        let raised = events.filter { $0.transition == "raised" }
        guard !raised.isEmpty else { return [.heading(words("page.alerts")), .paragraph(words("report.no-alarms"))] }
        let acknowledged = Dictionary(grouping: events.filter { $0.transition == "acknowledged" }, by: \.rule)
        let header = ["alarm", "severity", "times", "last", "value", "acknowledged"].map { words("report.\($0)") }
        let rows = Dictionary(grouping: raised, by: \.rule).values.sorted { $0.count > $1.count }.prefix(40).compactMap { events in
            events.last.map { last in
                [
                    title(of: last), words("severity.\(last.severity)"), "\(events.count)",
                    numbers.moment(last.time), value(of: last), "\(acknowledged[last.rule]?.count ?? 0)",
                ]
            }
        }
        return [.heading(words("page.alerts")), .table(header: header, rows: Array(rows))]
    }

    private func strips(_ strips: [ReportSources.Strip]) -> [ReportDocument.Block] {
        guard !strips.isEmpty else { return [] }
        let papers = strips.map { strip in
            let what = [title(of: strip.alarm), strip.alarm.value == nil ? nil : value(of: strip.alarm)].compactMap(\.self)
            let caption = PlotCaption(
                title: "\(numbers.exact(strip.alarm.time)): \(what.joined(separator: " "))",
                subtitle: words("report.strip", ["lead": strip.lead]), unit: "mV")
            let parts = strip.segments.map { ECGPaper.Strip(time: $0.time.seconds, period: $0.period, samples: $0.samples) }
            let paper = ECGPaper(
                caption: caption, strips: ECGPaper.Strip.joined(parts), range: strip.period, zone: numbers.zone, moment: strip.alarm.time)
            return ReportDocument.Block.paper(paper)
        }
        return [.heading(words("report.strips"))] + papers
    }

    private func title(of event: AlertMessage) -> String { event.title[words.name] ?? event.title["en"] ?? event.rule }

    private func value(of event: AlertMessage) -> String {
        guard let value = event.value, let metric = event.metric else { return "–" }
        return numbers.text(value, metric, MetricCatalogue.standard.definition(named: metric)?.unit ?? "1")
    }
}
