import Metrics

/// What an app counts, under its name.
struct AppMetrics: Sendable {
  let connections: Gauge
  let framesReceived: Counter
  let bytesReceived: Counter
  let framesSent: Counter
  let bytesSent: Counter
  let commits: Counter
  let failedCommits: Counter
  let refusals: Counter
  let commitSeconds: Recorder

  init(app: String) {
    let dimensions = [("app", app)]
    func counter(_ label: String) -> Counter {
      Counter(label: "sync_" + label, dimensions: dimensions)
    }
    connections = Gauge(label: "sync_connections", dimensions: dimensions)
    framesReceived = counter("frames_received_total")
    bytesReceived = counter("bytes_received_total")
    framesSent = counter("frames_sent_total")
    bytesSent = counter("bytes_sent_total")
    commits = counter("commits_total")
    failedCommits = counter("failed_commits_total")
    refusals = counter("refused_tokens_total")
    commitSeconds = Recorder(label: "sync_commit_seconds", dimensions: dimensions)
  }
}
