import { z } from 'zod';
import { someText } from '../payload.ts';
import { code, link, plain, strong } from '../texts.ts';

/** Objects that payloads of GitLab share, as its documentation of webhook events describes them. */
export const project = z.object({ name: z.string(), web_url: someText });
export const person = z.object({ name: someText, username: someText });
export const user = person.nullish();
export const numbered = z.object({ iid: z.int(), title: z.string(), url: someText });

type Numbered = z.output<typeof numbered>;

export const by = (one: z.output<typeof user>) => strong(one?.name ?? one?.username);

export const projectLink = ({ name, web_url }: z.output<typeof project>) =>
  link(plain(name), web_url);

export const issueLink = ({ iid, title, url }: Numbered, noun = 'issue') =>
  link(`${noun} #${iid} ${plain(title)}`, url);
export const mergeLink = ({ iid, title, url }: Numbered) => link(`MR !${iid} ${plain(title)}`, url);

export const issueTopic = (name: string, { iid, title }: Numbered) =>
  `${name} / issue #${iid} ${title}`;
export const mergeTopic = (name: string, { iid, title }: Numbered) =>
  `${name} / MR !${iid} ${title}`;

/** Links a commit by the beginning of its hash. */
export const commitLink = (
  { web_url }: { readonly web_url?: string | null | undefined },
  sha: string,
) => link(code(sha.slice(0, 7)), web_url && `${web_url}/-/commit/${sha}`);
