import Foundation
import RealmSwift

/// Shows the file as it changes. The realm lives on a loop thread, which refreshes it by itself;
/// what is shown goes to the coordinator, at most a few times a second.
final class Viewer: @unchecked Sendable {
  // Sendable: made on one thread, and from then on touched on the loop's thread alone.

  enum Subject: String {
    /// Sizes and sections.
    case archive
    /// What the editor does.
    case edits
  }

  private let subject: Subject
  private let realm: Realm
  private let packages: Results<Package>
  private let notes: Results<Note>
  private var tokens: [NotificationToken] = []
  private var changes = View.Changes()
  private var changeSets = 0
  private var isDirty = true
  private var sightings: [Sighting] = []
  private var lastSeen: [String: Int] = [:]
  private var held: Realm?

  static func run(file: String, subject: Subject) {
    let thread = LoopThread(name: subject.rawValue)
    let opened = thread.performAndWait { () -> Viewer? in
      do {
        let viewer = try Viewer(file: file, subject: subject)
        viewer.start(on: thread.loop)
        return viewer
      } catch {
        Wire.send(.problem("a viewer could not open the file: \(error)"))
        return nil
      }
    }
    guard let viewer = opened else { exit(1) }
    let done = DispatchSemaphore(value: 0)
    Wire.receive { order in
      switch order {
      case .pin: thread.perform { viewer.pin() }
      case .quit: done.signal()
      }
    }
    done.wait()
    thread.performAndWait { viewer.stop() }
    thread.join()
  }

  private init(file: String, subject: Subject) throws {
    let started = monotonicNanoseconds()
    self.subject = subject
    realm = try Realm(configuration: Store.configuration(file))
    packages = realm.objects(Package.self)
    notes = realm.objects(Note.self)
    Wire.ready(since: started)
  }

  private func start(on loop: UVLoop) {
    tokens = [
      realm.observe { [unowned self] _, _ in noteSightings() },
      subject == .archive ? observe(packages) : observe(notes),
    ]
    loop.schedule(after: .zero, every: .milliseconds(200)) { [unowned self] in show() }
  }

  private func stop() {
    show()
    tokens = []
    held = nil
  }

  private func observe(_ results: Results<some Object>) -> NotificationToken {
    results.observe { [unowned self] change in
      isDirty = true
      guard case .update(_, let deletions, let insertions, let modifications) = change else {
        return
      }
      changeSets += 1
      changes.deletions += deletions.count
      changes.insertions += insertions.count
      changes.modifications += modifications.count
    }
  }

  private func noteSightings() {
    let now = monotonicNanoseconds()
    isDirty = true
    for pulse in realm.objects(Pulse.self) where lastSeen[pulse.writer] != pulse.number {
      lastSeen[pulse.writer] = pulse.number
      sightings.append(Sighting(writer: pulse.writer, number: pulse.number, at: now))
    }
  }

  private func pin() {
    let frozen = realm.freeze()
    held = frozen
    Wire.send(.pinned(packages: frozen.objects(Package.self).count))
  }

  private func show() {
    if !sightings.isEmpty {
      Wire.send(.seen(sightings))
      sightings = []
    }
    guard isDirty else { return }
    isDirty = false
    Wire.send(.view(subject == .archive ? archive() : edits()))
    changes = View.Changes()
    changeSets = 0
  }

  private func archive() -> View {
    let sections = realm.objects(Section.self)
      .map { View.Line(name: $0.name, value: $0.packages.count) }
      .sorted { ($0.value, $1.name) > ($1.value, $0.name) }
    return View(
      counts: [
        .init(name: "packages", value: packages.count),
        .init(name: "sections", value: sections.count),
        .init(name: "over 100 MiB", value: packages.where { $0.size > 100 << 20 }.count),
      ],
      title: "largest sections", top: Array(sections.prefix(5)), changes: changes,
      changeSets: changeSets)
  }

  private func edits() -> View {
    let starred = packages.where { $0.stars > 0 }
    let top = starred.sorted(byKeyPath: "stars", ascending: false).prefix(5)
    let libc = packages.where { $0.name == "libc6" }.first
    return View(
      counts: [
        .init(name: "notes", value: notes.count),
        .init(name: "starred", value: starred.count),
        .init(name: "stars", value: packages.sum(of: \.stars)),
        .init(name: "need libc6", value: libc?.dependents.count ?? 0),
      ],
      title: "most stars", top: top.map { .init(name: $0.name, value: $0.stars) },
      changes: changes, changeSets: changeSets)
  }
}
