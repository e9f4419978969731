/** The servers of the log were not reached in time. An append may be stored all the same. */
export class LogUnreachableError extends Error {
  override readonly name = 'LogUnreachableError';
}

/** The servers of the log are not reached, or are set up so that they may lose records. */
export class LogSetupError extends Error {
  override readonly name = 'LogSetupError';
}

/** The log no longer has a record that is next for a reader, or has another one in its place. */
export class BrokenLogError extends Error {
  override readonly name = 'BrokenLogError';
}

/** No node serves the subject of a request, so that nobody has carried it out. */
export class NobodyServesError extends Error {
  override readonly name = 'NobodyServesError';
}

/** A request was not answered in time: it is not known whether it was carried out. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** The cluster store was closed. */
export class ClusterClosedError extends Error {
  override readonly name = 'ClusterClosedError';
}
