import { NOTICE_COMMITS_MAX } from '../domain/limits/bots.ts';
import { code, counted, link, plain } from './texts.ts';

export interface Commit {
  readonly id: string;
  readonly message: string;
  readonly url?: string | null | undefined;
}

/**
 * Returns a line for each commit with the first line of its message; beyond the limit, one line
 * with the number of the others.
 */
export function commitLines(commits: readonly Commit[]): string[] {
  const lines = commits.slice(0, NOTICE_COMMITS_MAX).map(({ id, message, url }) => {
    const title = plain(message.split('\n', 1)[0] ?? '');
    return `* ${link(code(id.slice(0, 7)), url)} ${title}`.trimEnd();
  });
  const more = commits.length - lines.length;
  return more > 0 ? [...lines, `* and ${counted(more, 'more commit')}`] : lines;
}

/** Splits a ref: `refs/heads/main` is a branch named `main`. */
export function refOf(ref: string): { kind: 'branch' | 'tag'; name: string } {
  const isTag = ref.startsWith('refs/tags/');
  return { kind: isTag ? 'tag' : 'branch', name: ref.replace(/^refs\/(?:heads|tags)\//, '') };
}

/** Tests for the null commit at one side of a push: the push made or deleted the branch. */
export const isNothing = (commit: string | null | undefined) => /^0{40,64}$/.test(commit ?? '');
