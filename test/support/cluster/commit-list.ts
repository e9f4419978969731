import type { CommitLog, LoggedCommit, Place } from '../../../storage/replication/commit-log.ts';

/** A log of commits in memory, which a test may follow, and make fail. */
export interface CommitList extends CommitLog {
  readonly records: readonly (LoggedCommit & { readonly place: Place })[];
  /** The next append rejects with this error. */
  failNext(error: unknown): void;
}

export function openCommitList(): CommitList {
  const records: (LoggedCommit & { readonly place: Place })[] = [];
  let failure: { readonly error: unknown } | undefined;
  return {
    records,
    failNext(error) {
      failure = { error };
    },
    async append(commit) {
      await new Promise((resolve) => setImmediate(resolve));
      if (failure !== undefined) throw failure.error;
      const sequence = records.length + 1;
      const place = { sequence, id: `record ${sequence}`, epoch: 1 };
      records.push({ ...commit, place });
      return place;
    },
  };
}
