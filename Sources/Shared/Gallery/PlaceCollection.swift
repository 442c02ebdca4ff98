import Records
import Support

/// The places of a gallery, in the order in which they came. Pure.
struct PlaceCollection: Sendable {
    private(set) var places: [Place] = []
    private var indices: [String: Int] = [:]
    private var ids: [String: String] = [:]
    private var ofDays: [CalendarDay: [String]] = [:]

    /// The place of a key.
    subscript(key: String) -> Place? { indices[key].map { places[$0] } }

    /// Adds a place or replaces that of its key, and returns what stands there now; nil if a place of its day has a
    /// picture already, and this one failed. What failed never takes the place of a picture.
    @discardableResult
    mutating func add(_ place: Place) -> Place? {
        if let index = indices[place.key] {
            let old = places[index]
            guard place.hasPicture || !old.hasPicture else { return old }
            guard old.day == place.day else {
                remove([place.key])
                return add(place)
            }
            var place = place
            place.id = old.id
            places[index] = place
            return place
        }
        let neighbours = (place.day.flatMap { ofDays[$0] } ?? []).compactMap { self[$0] }
        if place.record.hasError, neighbours.contains(where: \.hasPicture) { return nil }
        if place.hasPicture {
            // The failure of an earlier run, in which the day had no address yet.
            remove(neighbours.filter { !$0.hasPicture && $0.record.hasError }.map(\.key))
        }
        var place = place
        place.id = reserveID(place.key, place.day, place.id)
        indices[place.key] = places.count
        if let day = place.day { ofDays[day, default: []].append(place.key) }
        places.append(place)
        return place
    }

    /// The name of a place that is there or will come: `wanted` if nobody else has it.
    mutating func reserveID(_ key: String, _ day: CalendarDay?, _ wanted: String = "") -> String {
        if let old = self[key], old.day == day { return old.id }
        let id = ([wanted] + Place.names(day: day, key: key)).first { !$0.isEmpty && (ids[$0] ?? key) == key } ?? key
        ids[id] = key
        return id
    }

    private mutating func remove(_ keys: [String]) {
        if !keys.isEmpty { keep { !keys.contains($0.key) } }
    }

    /// Drops the places that are not wanted.
    mutating func keep(_ isWanted: (Place) -> Bool) {
        var kept = PlaceCollection()
        for place in places where isWanted(place) { kept.add(place) }
        self = kept
    }

    /// The keys of places that stand for a record: its own, or those of its day.
    func keys(standingFor place: Place) -> [String] {
        if indices[place.key] != nil { return [place.key] }
        return place.day.flatMap { ofDays[$0] } ?? []
    }
}
