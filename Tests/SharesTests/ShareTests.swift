import MessageBus
import Testing
import VigilSchema

@testable import Shares

@Suite("Shares")
struct ShareTests {
    @Test("every partition belongs to exactly one share", arguments: Share.counts)
    func coverPartitions(count: Int) {
        let partitions = Share.all(of: count).flatMap(\.partitions)
        #expect(partitions.sorted() == Partition.all)
        let sizes = Share.all(of: count).map(\.partitions.count)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }

    @Test("a share's filters take the topics of its partitions and no other's", arguments: Share.counts)
    func filters(count: Int) {
        for share in Share.all(of: count) {
            let taken = { (filter: String, topic: (Partition) -> Topic) in
                Partition.all.filter { TopicFilter.matches(filter, topic($0).path(.shared)) }
            }
            #expect(taken(share.readings, Topic.readings) == share.partitions)
            #expect(taken(share.waveforms, Topic.waveforms) == share.partitions)
            #expect(taken(share.derived, Topic.derived) == share.partitions)
            #expect(taken(share.history, Topic.history) == share.partitions)
            for topic in [Topic.readings, Topic.waveforms, Topic.derived] { #expect(taken(share.observations, topic) == share.partitions) }
            #expect(taken(share.readings, Topic.waveforms).isEmpty && taken(share.derived, Topic.readings).isEmpty)
            let strays = Partition.all.map { Topic.readings($0).path } + Partition.all.map { Topic.history($0).path }
            #expect(!strays.contains { TopicFilter.matches(share.observations, $0) || TopicFilter.matches(share.history, $0) })
        }
    }

    @Test("whoever wants everything, and whoever takes what came without a share, misses nothing and hears nothing twice")
    func everything() {
        for partition in Partition.all {
            for (topic, filters) in [
                (Topic.readings(partition), Topic.Filter.readings), (.waveforms(partition), Topic.Filter.waveforms),
                (.derived(partition), Topic.Filter.derived), (.history(partition), Topic.Filter.history),
            ] {
                for path in topic.paths { #expect(filters.filter { TopicFilter.matches($0, path) }.count == 1, "\(path)") }
                let stray = topic.paths.map { path in Topic.Filter.plainObservations.filter { TopicFilter.matches($0, path) }.count }
                #expect(stray == [1, 0], "\(topic.path)")
            }
        }
    }

    @Test("there are no shares but of 1, 4, 16 and 64, and their names have no dots")
    func names() {
        #expect(Share(0, of: 0) == nil && Share(64, of: 64) == nil && Share(-1, of: 4) == nil && Share(0, of: 8) == nil)
        #expect(Share.all(of: 0).isEmpty && Share.all(of: 65).isEmpty)
        #expect(Share.all(of: 16).map(\.description)[6...10] == ["s06", "s07", "s08", "s09", "s10"])
    }
}

@Suite("The division of shares")
struct SharePlanTests {
    /// A view in which everybody is alive who is named.
    private func view(_ owners: [String?], members: [String], drained: Set<String> = [], wanted: [Int: String] = [:]) -> LeaseView {
        LeaseView(
            rows: owners.enumerated().map { share, owner in
                LeaseView.Row(
                    share: share, owner: owner, epoch: 1,
                    remaining: owner.map { members.contains($0) } == true ? .seconds(5) : .seconds(-1),
                    wanted: wanted[share])
            },
            members: members.map { LeaseView.Member(name: $0, remaining: .seconds(5), drains: drained.contains($0)) })
    }

    private func plan(_ view: LeaseView, _ name: String, releasing: Set<Int> = [], mayTakeOver: Bool = true) -> SharePlan {
        let held = Set(view.rows.filter { $0.owner == name && $0.isHeld }.map(\.share))
        return SharePlan(view, for: name, held: held, releasing: releasing, mayTakeOver: mayTakeOver)
    }

    @Test("the first replica claims everything")
    func first() { #expect(plan(view([nil, nil, nil], members: ["a"]), "a").claims == [0, 1, 2]) }

    @Test("gives up one share at a time to one who has less, and none that keeps it even")
    func surplus() {
        let uneven = view(["a", "a", "a", "a", "a"], members: ["a", "b"])
        #expect(plan(uneven, "a").releases == [4])
        #expect(plan(uneven, "a", releasing: [4]).releases == [])
        #expect(plan(uneven, "b").claims == [] && !plan(uneven, "b").isSettled)
        let even = view(["a", "a", "a", "b", "b"], members: ["a", "b"])
        #expect(plan(even, "a").isSettled && plan(even, "b").isSettled)
    }

    @Test("one who has more keeps it where one must")
    func remainder() {
        let even = view(["b", "b", "a"], members: ["a", "b"])
        #expect(plan(even, "a").isSettled && plan(even, "b").isSettled)
    }

    @Test("claims what another let expire only once it has heard the database for a lease")
    func expired() {
        let left = view(["gone", "a"], members: ["a"])
        #expect(plan(left, "a", mayTakeOver: false).claims == [])
        #expect(plan(left, "a", mayTakeOver: true).claims == [0])
    }

    @Test("a share goes where it was moved, and comes back when that replica is gone")
    func moved() {
        let asked = view(["a", "a", "b", "b"], members: ["a", "b"], wanted: [0: "b"])
        #expect(plan(asked, "a").releases == [0])
        let given = view([nil, "a", "b", "b"], members: ["a", "b"], wanted: [0: "b"])
        #expect(plan(given, "a").claims == [])
        #expect(plan(given, "b").claims == [0])
        let full = view(["b", "a", "b", "b"], members: ["a", "b"], wanted: [0: "b"])
        #expect(plan(full, "b").releases == [3])
        let gone = view([nil, "a"], members: ["a"], wanted: [0: "b"])
        #expect(plan(gone, "a").claims == [0])
    }

    @Test("more shares moved to one than its part stay there, and the others divide the rest")
    func pinned() {
        let pinned = view(["b", "b", "b", "a", "c", nil], members: ["a", "b", "c"], wanted: [0: "b", 1: "b", 2: "b"])
        #expect(plan(pinned, "b").isSettled)
        #expect(plan(pinned, "a").claims == [5])
        #expect(plan(pinned, "c").claims == [])
    }

    @Test("a drained replica gives everything up, but not where nobody else is left")
    func drained() {
        let two = view(["a", "b"], members: ["a", "b"], drained: ["a"])
        #expect(plan(two, "a").releases == [0])
        let one = view(["a", "a"], members: ["a"], drained: ["a"])
        #expect(plan(one, "a").isSettled)
    }

    @Test("claims again what is its own by the table and not by its own account")
    func lostAnswer() {
        let mine = view(["a", "a"], members: ["a"])
        #expect(SharePlan(mine, for: "a", held: [0], releasing: [], mayTakeOver: false).claims == [1])
    }
}
