import Records
import Support

/// The places of a gallery, in the order in which they were added.
struct PlaceCollection: Sendable {
    private(set) var places: [Place] = []
    private var indices: [String: Int] = [:]
    private var ids: [String: String] = [:]
    private var ofDays: [CalendarDay: [String]] = [:]
    private var numbers: Set<Int> = []
    private var lastNumber = 0

    subscript(key: String) -> Place? { indices[key].map { places[$0] } }

    /// Adds a place, or replaces the place with the same key. A failure never replaces a picture. Returns the place
    /// that the collection contains afterwards. If the new place is a failure and another place of its day has a
    /// picture, adds nothing and returns nil.
    @discardableResult
    mutating func add(_ place: Place) -> Place? {
        takeOver(place.formerKey, as: place.key, place.day)
        if let index = indices[place.key] {
            let old = places[index]
            guard place.hasPicture || !old.hasPicture else { return old }
            guard old.day == place.day else {
                remove([place.key])
                return add(place)
            }
            var place = place
            (place.id, place.number) = (old.id, old.number)
            places[index] = place
            return place
        }
        let neighbours = (place.day.flatMap { ofDays[$0] } ?? []).compactMap { self[$0] }
        if place.record.hasError, neighbours.contains(where: \.hasPicture) { return nil }
        if place.hasPicture {
            // Remove the failures of earlier runs for this day. Their keys differ, because the address of the picture
            // was unknown.
            remove(neighbours.filter { !$0.hasPicture && $0.record.hasError }.map(\.key))
        }
        var place = place
        place.id = reserveID(place.key, place.day, place.id)
        if place.number == 0 || numbers.contains(place.number) { place.number = lastNumber + 1 }
        numbers.insert(place.number)
        lastNumber = max(lastNumber, place.number)
        indices[place.key] = places.count
        if let day = place.day { ofDays[day, default: []].append(place.key) }
        places.append(place)
        return place
    }

    /// Changes the key of a place from `former`, which an earlier version of the tool computed, to `key`, unless the
    /// place has another day.
    mutating func takeOver(_ former: String?, as key: String, _ day: CalendarDay?) {
        guard let former, former != key, indices[key] == nil, let index = indices[former] else { return }
        let old = places[index]
        // The old day may be nil, because earlier versions did not read the day from the metadata of a file.
        guard old.isFormer, old.day == day || old.day == nil else { return }
        var renamed = Place(key: key, record: old.record, day: old.day)
        (renamed.id, renamed.number) = (old.id, old.number)
        places[index] = renamed
        indices[former] = nil
        indices[key] = index
        ids[old.id] = key
        if let day = old.day, let place = ofDays[day]?.firstIndex(of: former) { ofDays[day]?[place] = key }
    }

    /// Returns the id of an existing place, or reserves an id for a new place. Prefers `wanted` if no other place has
    /// this id.
    mutating func reserveID(_ key: String, _ day: CalendarDay?, _ wanted: String = "") -> String {
        if let old = self[key], old.day == day { return old.id }
        let id = ([wanted] + Place.names(day: day, key: key)).first { !$0.isEmpty && (ids[$0] ?? key) == key } ?? key
        ids[id] = key
        return id
    }

    private mutating func remove(_ keys: [String]) {
        if !keys.isEmpty { keep { !keys.contains($0.key) } }
    }

    /// Removes the places that `isWanted` does not accept.
    mutating func keep(_ isWanted: (Place) -> Bool) {
        var kept = PlaceCollection()
        for place in places where isWanted(place) { kept.add(place) }
        self = kept
    }

    /// Returns the key of the given place if the collection contains it, otherwise the keys of all places of its day.
    func keys(standingFor place: Place) -> [String] {
        if indices[place.key] != nil { return [place.key] }
        return place.day.flatMap { ofDays[$0] } ?? []
    }
}
