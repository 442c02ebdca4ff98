import Support
import TestSupport

/// ExerciseDB, in the version at RapidAPI and in the open version: a list of exercises, and an animation for each.
struct ExerciseAnswers {
    let settings: SampleSettings
    let counters: RequestCounters
    /// The service's own address.
    let own: String

    private static let resolutions = [180, 360, 720, 1080]
    private static let frames = 8

    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let key = request.header("X-RapidAPI-Key") ?? request.field("rapidapi-key")
        if let wanted = settings.exerciseKey, key != wanted {
            return message("Invalid API key. Go to https://docs.rapidapi.com/docs/keys for more info.", 401)
        }
        switch request.path {
        case "/image": return image(request)
        case "/exercises": return list(request)
        case "/api/v1/exercises": return openList(request)
        case let path where path.hasPrefix("/api/v1/exercises/"):
            let id = String(path.dropFirst("/api/v1/exercises/".count))
            guard number(id) != nil else { return .json(#"{"success":false,"error":"no such exercise"}"#, status: 404) }
            var answer = JSONObject()
            answer.add("success", json: "true")
            answer.add("data", object(id, isOpen: true))
            return .json(answer)
        case let path where path.hasPrefix("/exercise-gifs/") && path.hasSuffix(".gif"):
            let id = String(path.dropFirst("/exercise-gifs/".count).dropLast(".gif".count))
            guard number(id) != nil else { return .text("no such file", status: 404) }
            return .bytes(Self.animation(id, side: settings.exerciseSide ?? 180).gif(), type: "image/gif")
        default:
            let id = String(request.path.dropFirst("/exercises/exercise/".count))
            guard request.path.hasPrefix("/exercises/exercise/"), number(id) != nil else {
                return message("no such exercise", 404)
            }
            return .json(object(id))
        }
    }

    /// Returns a plain array: 10 exercises by default, all if the limit is 0.
    private func list(_ request: LoopbackRequest) -> LoopbackResponse {
        let limit = max(0, request.field("limit").flatMap { Int($0) } ?? 10)
        let offset = min(max(0, request.field("offset").flatMap { Int($0) } ?? 0), settings.exerciseCount)
        let end = limit == 0 ? settings.exerciseCount : min(settings.exerciseCount, offset + limit)
        return .json((offset..<max(offset, end)).lazy.map { object(Self.id($0 + 1)) })
    }

    /// Returns a page with a link to the next page; 10 exercises by default.
    private func openList(_ request: LoopbackRequest) -> LoopbackResponse {
        let (limit, offset) = (Int(request.field("limit") ?? "10") ?? 0, Int(request.field("offset") ?? "0") ?? -1)
        guard (1...25).contains(limit), (0..<1_000_000).contains(offset) else {
            return .json(#"{"success":false,"error":"limit must be at most 25"}"#, status: 400)
        }
        func page(_ offset: Int) -> String {
            let isThere = (0..<settings.exerciseCount).contains(offset)
            return isThere ? "\"\(own)/api/v1/exercises?offset=\(offset)&limit=\(limit)\"" : "null"
        }
        var metadata = JSONObject()
        metadata.add("totalPages", (settings.exerciseCount + limit - 1) / limit)
        metadata.add("totalExercises", settings.exerciseCount)
        metadata.add("currentPage", offset / limit + 1)
        metadata.add("previousPage", json: page(offset - limit))
        metadata.add("nextPage", json: page(offset + limit))
        let end = min(settings.exerciseCount, offset + limit)
        let data = LoopbackResponse.json((offset..<max(offset, end)).lazy.map { object(Self.id($0 + 1), isOpen: true) })
        var answer = JSONObject()
        answer.add("success", json: "true")
        answer.add("metadata", metadata)
        answer.add("data", json: String(decoding: data.body, as: UTF8.self))
        return .json(answer)
    }

    private func image(_ request: LoopbackRequest) -> LoopbackResponse {
        if let quota = settings.exerciseQuota, counters.use("exercise quota", within: .seconds(86_400)).used > quota {
            return message("You have exceeded the MONTHLY quota for Requests on your current plan, BASIC.", 429)
        }
        let resolution = Int(request.field("resolution") ?? "180") ?? 0
        guard let id = request.field("exerciseId"), let number = number(id) else {
            return message("exerciseId is missing or unknown", 422)
        }
        guard Self.resolutions.contains(resolution) else {
            return message("resolution must be one of 180, 360, 720, 1080", 422)
        }
        let gif = Self.animation(id, side: settings.exerciseSide ?? resolution).gif()
        if settings.hasExerciseFaults, let fault = ExerciseFault(number: number) {
            return fault.response(insteadOf: gif)
        }
        return .bytes(gif, type: "image/gif")
    }

    /// Returns the number of the exercise with this ID, or nil if there is none. IDs have four digits.
    private func number(_ id: String) -> Int? {
        guard id.utf8.count == 4, let number = Int(id), id == Self.id(number), number <= settings.exerciseCount else {
            return nil
        }
        return number > 0 ? number : nil
    }

    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private func object(_ id: String, isOpen: Bool = false) -> JSONObject {
        var random = SeededRandom(name: "exercise \(id)")
        func pick(_ words: [String]) -> String { words[random.below(words.count)] }
        let part = pick(["waist", "back", "chest", "upper legs", "shoulders", "lower arms"])
        let tool = pick(["body weight", "cable", "barbell", "band", "dumbbell"])
        let move = pick(["raise", "curl", "press", "twist", "reach", "45° hold"])
        var object = JSONObject()
        let muscle = pick(["abs", "lats", "glutes", "biceps", "quads"])
        if isOpen {
            object.add("exerciseId", id)
            object.add("name", "\(tool) \(part) \(move)")
            object.add("gifUrl", "\(settings.exerciseMedia ?? own)/exercise-gifs/\(id).gif")
            object.add("targetMuscles", [muscle])
            object.add("bodyParts", [part, "\(id.last ?? "0") toes"])
            object.add("equipments", [tool])
        } else {
            object.add("bodyPart", part)
            object.add("equipment", tool)
            object.add("id", id)
            object.add("name", "\(tool) \(part) \(move)")
            object.add("target", muscle)
        }
        object.add("secondaryMuscles", [pick(["calves", "triceps"]), pick(["forearms", "obliques"])])
        object.add("instructions", ["Stand still.", "Do the \(move).", "Come back slowly.", "Repeat."])
        return object
    }

    /// Returns an animation of a ball that swings on a bar: 8 frames, with colours and a speed that depend on the ID.
    static func animation(_ id: String, side: Int) -> DrawnAnimation {
        var random = SeededRandom(name: "animation \(id)")
        let ball = [UInt8(128 + random.below(128)), UInt8(random.below(200)), UInt8(random.below(256))]
        let reach = side / 6 + random.below(max(side / 6, 1))
        let radius = side / 12 + random.below(max(side / 12, 1))
        let frames = (0..<Self.frames).map { index in
            // The ball moves from one end of the bar to the other and back, as a triangle wave.
            let swing = abs(index - Self.frames / 2) * 2 * reach / (Self.frames / 2) - reach
            return frame(side, centre: side / 2 + swing, radius: radius)
        }
        var animation = DrawnAnimation(
            width: side, height: side, palette: [[255, 255, 255], [40, 40, 48], ball, [220, 220, 226]], frames: frames)
        for index in animation.frames.indices { animation.frames[index].delay = 6 + Int(random.next() % 3) }
        return animation
    }

    private static func frame(_ side: Int, centre: Int, radius: Int) -> DrawnAnimation.Frame {
        let middle = side / 2
        var pixels = [UInt8](repeating: 0, count: side * side)
        for y in 0..<side {
            for x in 0..<side {
                let (dx, dy) = (x - centre, y - middle)
                if dx * dx + dy * dy <= radius * radius {
                    pixels[y * side + x] = 2
                } else if abs(y - middle) <= side / 90 + 1 {
                    pixels[y * side + x] = 1
                } else if y > side - side / 8 {
                    pixels[y * side + x] = 3
                }
            }
        }
        return DrawnAnimation.Frame(width: side, height: side, pixels: pixels)
    }

    private func message(_ text: String, _ status: Int) -> LoopbackResponse {
        var object = JSONObject()
        object.add("message", text)
        return .json(object, status: status)
    }
}
