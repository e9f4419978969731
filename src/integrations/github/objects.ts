import { z } from 'zod';
import { someText } from '../payload.ts';
import { code, link, plain, strong } from '../texts.ts';

/** Objects that payloads of GitHub share, as its documentation of webhooks describes them. */
export const person = z.object({ login: z.string() });
export const sender = person.nullish();
export const repository = z.object({
  name: z.string(),
  full_name: someText,
  html_url: someText,
  default_branch: someText,
});

export const organization = z.object({ login: z.string() });

export const base = { action: z.string(), repository, sender };

export const issue = z.object({
  number: z.int(),
  title: z.string(),
  html_url: someText,
  body: someText,
  state_reason: someText,
  /** Only an issue that is a pull request has it. */
  pull_request: z.unknown().optional(),
});

export const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  html_url: someText,
  body: someText,
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  base: z.object({ ref: z.string() }).nullish(),
  head: z.object({ ref: z.string() }).nullish(),
});

export const comment = z.object({ html_url: someText, body: someText });

type Repository = z.output<typeof repository>;
interface Numbered {
  readonly number: number;
  readonly title: string;
  readonly html_url?: string | null | undefined;
}

export const by = (one: z.output<typeof sender>) => strong(one?.login);

export const repositoryLink = ({ name, full_name, html_url }: Repository) =>
  link(plain(full_name || name), html_url);

/** Links a commit by the beginning of its hash. */
export const commitLink = ({ html_url }: Repository, sha: string) =>
  link(code(sha.slice(0, 7)), html_url && `${html_url}/commit/${sha}`);

export const issueLink = ({ number, title, html_url }: Numbered) =>
  link(`issue #${number} ${plain(title)}`, html_url);
export const pullLink = ({ number, title, html_url }: Numbered) =>
  link(`PR #${number} ${plain(title)}`, html_url);

export const issueTopic = ({ name }: Repository, { number, title }: Numbered) =>
  `${name} / issue #${number} ${title}`;
export const pullTopic = ({ name }: Repository, { number, title }: Numbered) =>
  `${name} / PR #${number} ${title}`;

const COMMENT_VERBS: ReadonlyMap<string, string> = new Map([
  ['created', 'commented'],
  ['edited', 'edited a comment'],
  ['deleted', 'deleted a comment'],
]);

/** Returns `{who} commented on {it}:`, and the comment. */
export function commented(
  action: string,
  { who, it, url, body }: { who: string; it: string; url: string | null | undefined; body: string },
): readonly string[] | undefined {
  const verb = COMMENT_VERBS.get(action);
  if (verb === undefined) return undefined;
  if (action === 'deleted') return [`${who} ${verb} on ${it}.`];
  return [`${who} ${link(verb, url)} on ${it}${body === '' ? '.' : ':'}`, body];
}
