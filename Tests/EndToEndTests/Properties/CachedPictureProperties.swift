import Records
import Support
import TestSupport
import Testing

/// `img-cache put` caches the best available address of a record.
struct CachedPictureProperties {
    /// Responses that are not pictures and fail permanently.
    private static let refusals: [LoopbackResponse] = [
        .text("gone", status: 404), .text("gone", status: 410), .text("<html><p>Sorry", type: "text/html"),
        .bytes([], type: "image/png"),
    ]

    /// A site that serves pictures, and sends a different response at refused addresses.
    private struct Site {
        let refusal: LoopbackResponse?
        let refused: Monitor<Set<String>>
        let nasa: RandomNASA

        /// - Parameter refusal: the response at refused addresses; nil sends the picture.
        init(refusal: LoopbackResponse?) throws {
            let refused = Monitor(Set<String>())
            (self.refusal, self.refused) = (refusal, refused)
            nasa = try RandomNASA { exchange in
                guard let refusal, refused.withLock({ $0.contains(exchange.request.target) }) else {
                    return try exchange.answer()
                }
                try exchange.connection.send(refusal, to: exchange.request)
            }
        }

        /// The path and query of an address.
        func target(_ url: String) -> String { String(url.dropFirst(nasa.site.count)) }

        func refuse(_ url: String?) {
            if let url { refused.withLock { _ = $0.insert(target(url)) } }
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 3: the largest picture (hdurl) is cached")
    func theLargestPictureIsKept() throws {
        try forAll { random in
            let site = try Site(refusal: random.chance(30) ? random.one(of: Self.refusals) : nil)
            let day = site.nasa.addRange(1, medium: random.one(of: [.picture, .animation]), &random)[0]
            let fields = try found(
                random.one(of: [day.science, day.api]).expected, "neither service has a picture of \(day.day)")
            site.refuse(fields["hdurl"])
            var record = Record()
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) { record.set(name, .string(value)) }
            let home = try site.nasa.home()
            let kept = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"], stdin: .bytes(record.line))
            try withExtendedLifetime(home) { try Self.check(try kept.record, site, kept) }
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 3: the largest picture (hdurl) of each fetched day is cached")
    func theLargestPictureOfEachDayIsKept() throws {
        try forAll(12) { random in
            let site = try Site(refusal: random.chance(30) ? random.one(of: Self.refusals) : nil)
            let days = site.nasa.addRange(
                random.number(2...5), medium: random.one(of: [.picture, .animation]), &random)
            let fetched = try site.nasa.fetch(days, random.one(of: ["science", "api"])).expect(0)
            for record in try fetched.records { site.refuse(record.string("hdurl")) }
            let home = try site.nasa.home()
            let kept = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"], stdin: .bytes(fetched.stdoutBytes))
            let records = try kept.records
            try claim(records.count == days.count, "\(kept)")
            try withExtendedLifetime(home) { for record in records { try Self.check(record, site, kept) } }
        }
    }

    /// Throws unless the best available address is stored with the right bytes.
    private static func check(_ record: Record, _ site: Site, _ output: ToolOutput) throws {
        let url = try found(record.string("url"), "the record has no url: \(record.text)")
        let hdurl = record.string("hdurl")
        let isBroken = site.refusal != nil && hdurl != nil
        guard !(isBroken && url == hdurl) else {
            return try claim(record.has("error") && !record.has("path"), "the record has no error: \(record.text)")
        }
        let best = isBroken ? url : hdurl ?? url
        try claim(record.string("cache.url") == best, "\(best) should be cached: \(record.text)\n\(output)")
        let path = try found(record.string("path"), "the record has no path: \(record.text)")
        let expected = RandomNASA.picture(String(site.target(best).prefix { $0 != "?" })).body
        try claim(try TestFile.bytes(path) == expected, "the file does not have the bytes of \(best): \(record.text)")
        let asked = site.nasa.targets
        try claim(url == best || !asked.contains(site.target(url)), "the smaller picture was requested too: \(asked)")
    }
}
