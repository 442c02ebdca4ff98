import Records
import Support
import Testing

@testable import APOD
@testable import HTTP

@Suite struct AnswerTests {
    private func picture(_ text: String, _ service: Service = .science) throws -> Picture {
        try ServiceAnswer.picture(in: Array(text.utf8), of: day("2026-11-20"), from: service)
    }

    @Test func pictureOfAnotherDayIsRefused() {
        let bytes = scienceAnswer("2026-11-19").line
        #expect(throws: APODFailure.wrongDay(asked: day("2026-11-20"), answered: day("2026-11-19"), .science)) {
            try ServiceAnswer.picture(in: bytes, of: day("2026-11-20"), from: .science)
        }
    }

    @Test(arguments: [
        ("<!doctype html><p>Sign in", APODFailure.BadAnswer.html), ("\n <html>", .html), ("", .empty), (" \n", .empty),
        ("\u{FEFF}", .empty),
        ("It works!", .notJSON), ("{\"date\":", .truncated), ("{]", .notJSON), ("\"text\"", .notJSON),
        ("NaN", .notJSON),
        ("{\"date\":NaN}", .notJSON), (String(repeating: "{\"a\":", count: 5000), .tooDeep),
        ("{\"date\":12345678901234567890}", .wrongType(field: "date")),
        ("[]", .arrayForObject), ("[{}]", .arrayForObject), ("{}", .missing(field: "date")),
        (#"{"code":200,"msg":"fine"}"#, .missing(field: "date")), (#"{"date":5}"#, .wrongType(field: "date")),
    ])
    func answerWithoutAPictureIsABadAnswer(text: String, fault: APODFailure.BadAnswer) {
        for service in Service.allCases {
            #expect(throws: APODFailure.badAnswer(fault, Server(service))) { try picture(text, service) }
        }
        #expect(APODFailure.badAnswer(fault, .api).exitCode == .data)
        #expect(APODFailure.badAnswer(fault, .api).code == "bad-answer")
    }

    @Test func pictureIsPreferredToABrokenAnswerForTheSameDay() throws {
        let broken = scienceAnswer("2026-11-20", ["title": nil])
        for answers in [[scienceAnswer("2026-11-20"), broken], [broken, scienceAnswer("2026-11-20")]] {
            let page = try ServiceAnswer.days(
                in: list(answers), from: day("2026-11-19"), through: day("2026-11-20"), of: .science,
                at: time("2026-11-20"))
            #expect(try page[day("2026-11-20")]?.get().title == "A Ring of Dust")
        }
    }

    @Test func hugeListIsNotParsed() {
        let bytes = Array(("[" + String(repeating: "{},", count: 1000) + "{}, this is never looked at").utf8)
        for service in Service.allCases {
            #expect(throws: APODFailure.badAnswer(.tooMany, Server(service))) {
                try ServiceAnswer.days(
                    in: bytes, from: day("2026-11-01"), through: day("2026-11-20"), of: Server(service),
                    at: time("2026-11-20"))
            }
        }
    }

    @Test func textThatIsNotUTF8IsABadAnswer() {
        for service in Service.allCases {
            #expect(throws: APODFailure.badAnswer(.notUTF8, Server(service))) {
                try ServiceAnswer.picture(
                    in: Array("{\"date\":\"".utf8) + [0xE9] + Array("\"}".utf8), of: day("2026-11-20"), from: service)
            }
        }
    }

    @Test func loneSurrogateIsReplacedAndLastDuplicateFieldIsUsed() throws {
        let text = String(decoding: scienceAnswer("2026-11-20", ["title": "x"]).line, as: UTF8.self)
        #expect(try picture(text.replacing("\"title\":\"x\"", with: "\"title\":\"x\\ud83d y\"")).title == "x\u{FFFD} y")
        #expect(try picture(text.replacing("\"title\":\"x\"", with: "\"title\":5,\"title\":\"z\"")).title == "z")
    }

    @Test func excerptIsShortAndOnOneLine() {
        func excerpt(_ text: String) -> String? { ErrorAnswer.excerpt(Array(text.utf8)) }
        #expect(excerpt("a\n\u{1B}[2Jb c") == "a [2Jb c")
        #expect(excerpt(" ") == nil)
        #expect(excerpt(String(repeating: "é", count: 5000))?.count == 200)
    }

    @Test func rawObjectIsOnOneLineBeforeTheFieldApod() throws {
        let text = String(decoding: legacyAnswer("2026-11-20", ["copyright": "\u{E9}"]).line, as: UTF8.self)
        let result = try ServiceAnswer.day(
            day("2026-11-20"), in: Array(text.replacing(",\"", with: ",\n\"").utf8), from: .api,
            at: time("2026-11-20"))
        #expect(result.record.names.suffix(2) == ["raw", "apod"])
        #expect(result.record.raw("raw").map { String(decoding: $0, as: UTF8.self) } == text)
    }

    @Test func recordOfAStandInContainsTheRawObject() throws {
        let result = try ServiceAnswer.day(
            day("2026-11-20"), in: logoAnswer().line, from: .api, at: time("2026-11-20"))
        let failure = APODFailure.standIn(.placeholder, day("2026-11-20"), .api)
        #expect(throws: failure) { try result.get() }
        let record = result.record(tool: "apod-fetch")
        #expect(record.names == ["date", "raw", "error"])
        #expect(record.string("raw.title") == "NASA Science")
    }

    @Test func byteOrderMarkAndPrettyPrintingAreAccepted() throws {
        let text =
            "\u{FEFF}\n" + String(decoding: scienceAnswer().line, as: UTF8.self).replacing(",\"", with: ",\n  \"")
        #expect(try picture(text).title == "A Ring of Dust")
    }

    @Test func listMayBeInAnyOrder() throws {
        let bytes = list([
            scienceAnswer("2026-11-20"), scienceAnswer("2026-11-17"), scienceAnswer("2026-11-19", ["title": nil]),
            Record(), scienceAnswer("2026-11-18"),
        ])
        let pictures = try ServiceAnswer.pictures(
            in: bytes, from: day("2026-11-18"), through: day("2026-11-20"), of: .science)
        #expect(Set(pictures.keys) == [day("2026-11-18"), day("2026-11-19"), day("2026-11-20")])
        #expect(throws: Never.self) { try pictures[day("2026-11-18")]?.get() }
        #expect(throws: APODFailure.badAnswer(.missing(field: "title"), .science)) {
            try pictures[day("2026-11-19")]?.get()
        }
    }

    @Test func objectInsteadOfAListIsABadAnswer() {
        #expect(throws: APODFailure.badAnswer(.objectForArray, .api)) {
            try ServiceAnswer.pictures(
                in: legacyAnswer().line, from: day("2026-11-18"), through: day("2026-11-20"), of: .api)
        }
    }
}

@Suite struct ErrorAnswerTests {
    private func failure(
        _ status: Int, _ body: String, _ fields: KeyValuePairs<String, String> = [:], from service: Service = .api,
        day asked: String? = "2020-01-01"
    ) throws -> APODFailure {
        let headers = HTTPHeaders(fields)
        return ErrorAnswer.failure(
            for: FetchFailure.Answer(
                status: status, headers: headers, url: try WebURL(FakeNASA.apiBase), body: Array(body.utf8),
                retryAfter: headers.last("Retry-After").flatMap(Int.init).map { .seconds($0) }),
            from: service == .api ? .api : .science, day: asked.map { day($0) }, newest: day("2026-11-20"))
    }

    @Test(arguments: [
        "upstream connect error or disconnect/reset before headers. reset reason: x", " upstream request timeout",
        "no healthy upstream\n",
    ])
    func proxyErrorTextIsTransientForAnyStatus(_ text: String) throws {
        for status in [200, 404, 503] {
            let failure = try failure(status, text)
            #expect(failure.isTransient)
            #expect(failure.message.contains("upstream"))
        }
    }

    @Test func status401And403AreForbidden() throws {
        #expect(try failure(403, #"{"error":{"code":"API_KEY_MISSING","message":"x"}}"#).code == "forbidden")
        #expect(try failure(403, "<h1>Access denied</h1>", from: .science) == .forbidden(.science, status: 403))
        #expect(try failure(401, "").exitCode == .notAllowed)
    }

    @Test func missingDayHasNoPictureOrIsNotPublished() throws {
        let body = #"{"code":404,"msg":"No data available for date: x","service_version":"v1"}"#
        #expect(try failure(404, body) == .noPicture(day("2020-01-01")))
        #expect(try failure(404, body, day: "2026-11-20") == .notPublished(day("2026-11-20")))
        #expect(try failure(404, #"{"code":"apod_basic_not_found"}"#, from: .science) == .noPicture(day("2020-01-01")))
        #expect(APODFailure.noPicture(day("2020-01-01")).exitCode == .unavailable)
        #expect(APODFailure.notPublished(day("2026-11-20")).exitCode == .temporary)
    }

    @Test(arguments: [
        "", "<html><h1>Not Found</h1></html>", #"{"error":{"code":"NOT_FOUND","message":"The service is gone"}}"#,
    ]) func missingServiceIsNotReportedAsAMissingPicture(_ body: String) throws {
        for status in [404, 410] {
            for day in ["2020-01-01", "2026-11-20"] {
                #expect(try failure(status, body, from: .science, day: day).code == "refused")
            }
        }
    }

    @Test func wrongAddressIsNotReportedAsAMissingPicture() throws {
        let failure = try failure(404, #"{"code":"rest_no_route","message":"No route was found"}"#, from: .science)
        #expect(failure == .refused(.science, status: 404, said: "No route was found"))
    }

    @Test func messagesOfTheOldServerForMissingPicturesAreRecognised() throws {
        let range = #"{"code":400,"msg":"Date must be between Jun 16, 1995 and Nov 20, 2026."}"#
        #expect(try failure(400, range, day: "2026-11-21") == .notPublished(day("2026-11-21")))
        #expect(try failure(400, range).code == "refused")
        let rewrite = #"{"code":400,"msg":"Bad Request: no APOD entry found for date '200101'."}"#
        #expect(try failure(400, rewrite) == .noPicture(day("2020-01-01")))
    }

    @Test func quotedRefusalHasLimitedLength() throws {
        let failure = try failure(
            400, #"{"code":400,"msg":"bad field and \#(String(repeating: "x", count: 500))"}"#)
        #expect(failure.exitCode == .unavailable)
        #expect(failure.message.contains("bad field and xxx"))
        #expect(failure.message.count < 400)
    }

    @Test func rateLimitMessageStatesTheWait() throws {
        let fields: KeyValuePairs = ["Retry-After": "2870", "X-Ratelimit-Limit": "10", "X-Ratelimit-Remaining": "0"]
        let own = try failure(429, "<html>", fields)
        #expect(own == .rateLimited(.api, limitPerHour: 10, retryAfterSeconds: 2870))
        for (seconds, words) in [
            (1, "in 1 second"), (2, "in 2 seconds"), (119, "in 119 seconds"), (121, "in 3 minutes"),
        ] {
            let failure = APODFailure.rateLimited(
                .api, limitPerHour: nil, retryAfterSeconds: seconds)
            #expect(failure.message.hasSuffix("try again \(words)"))
        }
        #expect(own.isTransient)
        #expect(own.message.contains("limit 10 an hour") && own.message.contains("48 minutes"))
        #expect(try failure(429, "", from: .science).message.contains("try again later"))
    }

    @Test(arguments: [200, 404, 400, 503])
    func upstreamErrorOfAProxyIsTransientForAnyStatus(status: Int) throws {
        let text = "upstream connect error or disconnect/reset before headers. reset reason: connection timeout"
        let failure = try failure(status, text)
        #expect(failure == .failing(.api, status: status, said: text))
        #expect(failure.isTransient)
    }

    @Test func exhaustedQuotaIsReportedAsARateLimitWithTheRemainingWait() throws {
        let quota = FetchFailure.UsedUpQuota(
            url: try WebURL(FakeNASA.apiBase), limit: 10, until: Timestamp(milliseconds: 0), retryAfter: .seconds(600))
        let failure = ErrorAnswer.failure(
            for: FetchFailure.quotaUsedUp(quota), from: .api, day: nil, newest: day("2026-11-20"))
        #expect(failure == .rateLimited(.api, limitPerHour: 10, retryAfterSeconds: 600))
    }

    @Test func serverErrorsAreTransient() throws {
        let text = try failure(503, "upstream connect error or disconnect")
        #expect(text == .failing(.api, status: 503, said: "upstream connect error or disconnect"))
        #expect(text.exitCode == .temporary)
        let html = try failure(
            504, "<html><head><title>x</title></head><body><center><h1>Gateway Time-out</h1></center></body>")
        #expect(html == .failing(.api, status: 504, said: "Gateway Time-out"))
        let json = try failure(500, #"{"code":500,"msg":"Internal Service Error","service_version":"v1"}"#)
        #expect(json.message.contains("Internal Service Error"))
    }
}
