import Support
import TestSupport

/// The settings given on the command line.
struct SampleSettings: Sendable {
    var today: CalendarDay?
    var legacy: LegacyManner
    var exerciseKey: String?
    var exerciseCount: Int
    /// The number of images after which the monthly quota is exhausted.
    var exerciseQuota: Int?
    /// The side length of every GIF, regardless of the requested resolution.
    var exerciseSide: Int?
    var hasExerciseFaults = false
    /// The address of the open version's GIFs; nil for this service.
    var exerciseMedia: String?
    var width: Int
    var height: Int
    var fixtures: String?

    /// The number of days that a test has added to the newest day.
    var daysLater = 0

    /// The newest day with a picture.
    var newestDay: CalendarDay { (today ?? CalendarDay(at: .now())).advanced(by: daysLater) }

    /// The first of the newest days, which all have a landscape picture. If the clock sets the newest day, these are 31
    /// days, so that the results of tests do not depend on the date.
    var firstLandscape: CalendarDay { newestDay.advanced(by: today == nil ? -30 : -1) }
}

/// Counts each request, finds its response, and sends the response with the faults in the request's path.
final class SampleService: Sendable {
    private let settings: Monitor<SampleSettings>
    private let counters = RequestCounters()
    private let pictures: PictureAnswers
    private let recorded: RecordedAnswers?
    private let address = Monitor("")
    private let log: File?

    init(_ settings: SampleSettings, log: File?) {
        self.settings = Monitor(settings)
        self.log = log
        pictures = PictureAnswers(width: settings.width, height: settings.height)
        recorded = settings.fixtures.map(RecordedAnswers.init)
    }

    /// Sets the service's own address, for links in its responses.
    func listens(at address: String) { self.address.update { $0 = address } }

    func answer(_ request: LoopbackRequest, on connection: LoopbackConnection) throws {
        if let response = administered(request) {
            try connection.send(response, to: request)
            return
        }
        let own = address.wait { $0.isEmpty ? nil : $0 }
        counters.begin(request.path)
        defer { counters.end() }
        let (faults, asked) = Fault.split(request, counters)
        let inner = faults.all.contains(.wrongDay) ? asked.dayBefore : asked
        var delivery = Delivery(request)
        for fault in faults.early {
            if let response = fault.response(own, inner) {
                delivery.response = response
                break
            }
        }
        if delivery.response == nil {
            let response = route(inner, own)
            delivery.response = Conditional.answer(inner, response, faults.all)
        }
        for fault in faults.all { fault.spoil(&delivery) }
        let line = "\(delivery.response?.status ?? 0) \(request.method) \(request.target)\n"
        try log?.write(Array(line.utf8))
        try delivery.send(on: connection)
    }

    /// Responds to requests that read counters or change the service, which are not counted; nil for other requests.
    private func administered(_ request: LoopbackRequest) -> LoopbackResponse? {
        switch (request.method, request.path) {
        case ("DELETE", "/requests"), (_, "/requests/reset"):
            counters.reset()
            return .json("{}")
        case (_, "/requests"):
            return request.field("format") == "text" ? .text(counters.text) : .json(counters.json)
        case ("POST", "/revision"):
            pictures.revise()
            return .json("{}")
        case ("POST", "/publish"):
            settings.withLock { $0.daysLater += 1 }
            return .json("{}")
        default: return nil
        }
    }

    private func route(_ request: LoopbackRequest, _ own: String) -> LoopbackResponse {
        let path = request.path
        let settings = settings.withLock { $0 }
        guard request.method == "GET" || request.method == "HEAD" else {
            return .text("only GET and HEAD\n", status: 405)
        }
        if path == "/wp-json" || path.hasPrefix("/wp-json/") {
            return ScienceAnswers(settings: settings, own: own).answer(request)
        }
        if path == "/planetary/apod" { return ClassicAnswers(settings: settings, own: own).answer(request) }
        if path == "/image" || ["/exercises", "/api/v1/exercises", "/exercise-gifs/"].contains(where: path.hasPrefix) {
            return ExerciseAnswers(settings: settings, counters: counters, own: own).answer(request)
        }
        if path.hasPrefix("/recorded/") || path.hasPrefix("/always/") {
            return recorded?.answer(request) ?? .text("start with --fixtures\n", status: 404)
        }
        if path.hasPrefix("/image-article/") {
            return .text("<!doctype html><title>Article</title><p>An article.", type: "text/html; charset=UTF-8")
        }
        return pictures.answer(request) ?? .text("no such route: \(TerminalText.escaped(path))\n", status: 404)
    }
}

/// The routes in the text of `--help`.
enum Routes {
    static let help = """
        ROUTES
          /wp-json/wp/v2/apod-basic/YYMMDD   one day from NASA's service
          /wp-json/wp/v2/apod-basic          ?date_from= &date_to= (YYMMDD) &per_page= (at most 25) &page=
          /planetary/apod                    a classic server: ?date= or ?start_date= &end_date= or ?count=, &thumbs=
          /exercises                         ?limit= &offset=; /exercises/exercise/ID is a single exercise
          /image                             ?exerciseId= &resolution= (180, 360, 720, 1080)
          /api/v1/exercises                  the open version: ?limit= (at most 25) &offset=; /api/v1/exercises/ID is
                                             a single one; gifUrl: /exercise-gifs/ID.gif, here or at --exercise-media
          /pictures/NAME.EXT                 a sky drawn for NAME: jpg, png, gif, webp; the beginning of a tif
                                             (with ?w= a JPEG), mp4, mov, mp3; a page: html; ?w= &h= size, with
                                             fit=clip a box to fit; &seed= another sky; &frames= of a gif;
                                             NAME `landscape` or `portrait` sets the orientation
          /recorded/FOLDER/NAME              a recorded answer (--fixtures) with its status, or ?status=
          /always/FOLDER/NAME/…              the same answer for any path after NAME; for use as a service's address
          /requests                          counters as JSON (?format=text: lines); DELETE sets them to zero
          POST /revision                     draws all pictures again, at the same addresses
          POST /publish                      publishes the picture of the day after the newest
        """
}
