import Foundation
import RealmSwift
import SyncModels

/// Appends numbers to a list of a dog of its own, each in a commit, until the input ends or the
/// process is killed. After each it says the number, for how many microseconds the turn to write
/// was waited for, and for how many a processor, after the pause before it.
enum SteadyWriter {
  static func run(
    _ configuration: Realm.Configuration, _ name: String, periodMilliseconds: Int32
  ) throws {
    SyncDevice.say("ready")
    _ = readLine()
    let realm = try Realm(configuration: configuration)
    let dog = Dog(name: name)
    try realm.write { realm.add(dog) }
    SyncDevice.say("open")
    var count = 0
    var pause = ContinuousClock.now
    while !inputEnds(within: periodMilliseconds) {
      let begin = ContinuousClock.now
      var turn = begin
      try realm.write {
        turn = ContinuousClock.now
        dog.nicknames.append("\(count)")
      }
      let late = begin - pause - .milliseconds(Int(periodMilliseconds))
      SyncDevice.say("\(count) \(microseconds(turn - begin)) \(microseconds(late))")
      count += 1
      pause = .now
    }
  }

  private static func microseconds(_ time: Duration) -> Int { Int(time / .microseconds(1)) }

  private static func inputEnds(within milliseconds: Int32) -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&input, 1, milliseconds) != 0
  }
}
