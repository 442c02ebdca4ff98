import Records
import TestSupport
import Testing

/// Kills `apod-fetch` while it stores days.
struct DaysKillTests {
    /// A range of 400 published days, some without a picture. A single service is used, so each day has one row.
    private let days = ["APOD_TOOLS_SERVICE=science", "--date", "2023-01-01..2024-02-04"]
    private let count = 400

    @Test(arguments: KilledHome.all)
    func killLeavesOnlyCompleteRowsAndKeepsEarlierRows(_ killed: KilledHome) throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let root = CacheOnDisk(home)
        // Creates an empty index, whose rows are then counted.
        try home.run("img-cache", ["clean"]).expect(0)
        let killer = Killer(killed)
        try killer.repeatUntilDone {
            let before = try root.metadataCount()
            // Once all days are stored, they are refreshed.
            let tool = try home.start(
                "apod-fetch", days + (before == count ? ["--refresh"] : []), stdin: .empty)
            let wanted = before == count ? 0 : before + killer.random.below(count - before)
            switch killer.random.below(3) {
            case 0: _ = tool.waitForOutput(1 + killer.random.below(400_000))
            case 1: _ = eventually { !tool.isRunning || (try? root.metadataCount()).map { $0 > wanted } ?? false }
            default: _ = tool.waitForOutput(1)
            }
            _ = killer.killSoon(tool)

            try root.expectWholeMetadata()
            #expect(try root.metadataCount() >= before)
            try home.expectVerified()
        }

        try service.reset()
        let kept = try root.metadataCount()
        try home.run("apod-fetch", days).expect(69)
        #expect(try root.metadataCount() == count)
        // Each request is for a page of 25 days; stored days are not requested again.
        #expect(try service.requests().total <= (count - kept) / 25 + 10)
    }
}
