import RealmSwift

// E: embedded objects where they cannot be.

extension Misuse {
  private static let managed = "Can't set link to existing managed embedded object"
  private static let inList = "Cannot add an existing managed embedded object to a List."
  private static let inMap = "Cannot add an existing managed embedded object to a Dictionary."

  static let embedded = [
    Misuse("E: a managed embedded object in another property", managed) { scene in
      try scene.inWrite { realm in
        let houses = [realm.create(House.self, value: [1]), realm.create(House.self, value: [2])]
        houses[0].hall = Room("hall")
        houses[1].hall = houses[0].hall
      }
    },
    Misuse("E: a managed embedded object in an owner that is added", managed) { scene in
      try scene.inWrite { realm in
        let house = House(2)
        house.hall = realm.create(House.self, value: ["hall": ["name": "hall"]]).hall
        realm.add(house)
      }
    },
    Misuse("E: a managed embedded object in a list", inList) { scene in
      try scene.inWrite { realm in
        let house = realm.create(House.self, value: ["rooms": [["a"]]])
        house.rooms.append(house.rooms[0])
      }
    },
    Misuse("E: an embedded object in a list twice", inList) { scene in
      try scene.inWrite { realm in
        let room = Room("a")
        realm.create(House.self).rooms.append(objectsIn: [room, room])
      }
    },
    Misuse("E: a managed embedded object for an element", inList) { scene in
      try scene.inWrite { realm in
        let house = realm.create(House.self, value: ["rooms": [["a"], ["b"]]])
        house.rooms[0] = house.rooms[1]
      }
    },
    Misuse("E: a managed embedded object in a map", inMap) { scene in
      try scene.inWrite { realm in
        let house = realm.create(House.self, value: ["rooms": [["a"]]])
        house.named["a"] = house.rooms[0]
      }
    },
    Misuse(
      "E: embedded objects queried through a projection",
      "Embedded objects of class 'Room' cannot be queried by themselves; query their owners."
    ) { scene in
      _ = try scene.open().objects(RoomView.self)
    },
    Misuse("E: an embedded object that went with its owner", deletedObject) { scene in
      try scene.inWrite { realm in
        let house = realm.create(House.self, value: ["hall": ["name": "hall"]])
        let hall = house.hall!
        realm.delete(house)
        _ = hall.name
      }
    },
    Misuse(
      "E: an asymmetric object in a local realm",
      "Asymmetric objects are only sent to a server; 'Measurement' cannot be created in a local "
        + "Realm."
    ) { scene in
      try scene.inWrite { $0.create(Measurement.self, value: ["value": 1]) }
    },
  ]
}

final class Measurement: AsymmetricObject {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var value: Int
}
