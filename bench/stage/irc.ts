import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { NewUser } from './audience.ts';

/** A line of the real messages. */
const ircMessage = z.object({
  date: z.string(),
  time: z.string(),
  nick: z.string(),
  text: z.string(),
});

export type IrcMessage = Readonly<z.output<typeof ircMessage>>;

/** The first messages of a file of JSON lines, gzipped when its name says so. */
export async function readIrcMessages(path: string, countMax: number): Promise<IrcMessage[]> {
  const bytes = await readFile(path);
  const lines = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .slice(0, countMax)
    .map((line) => ircMessage.parse(JSON.parse(line)));
}

// What `@**…**` means to all, and so nobody may be called.
const WILDCARDS = new Set(['all', 'everyone', 'channel', 'stream', 'topic']);

/** A user for each nick: full names as the server accepts them, each different from the others. */
export function usersOfNicks(nicks: Iterable<string>): ReadonlyMap<string, NewUser> {
  const users = new Map<string, NewUser>();
  const namesTaken = new Set(WILDCARDS);
  const slugsTaken = new Set<string>();
  for (const nick of nicks) {
    const full_name = unique(fullNameOf(nick), '~', namesTaken);
    const slug = unique(slugOf(nick), '.', slugsTaken);
    users.set(nick, { full_name, email: `${slug}@irc.example.com` });
  }
  return users;
}

// Full names may have none of these, since mentions are written with them.
const NOT_IN_NAMES = /[*`\\>"@]|[^\P{C}]/gu;
const NAME_LENGTH_MAX = 90;

function fullNameOf(nick: string): string {
  const name = nick
    .replace(NOT_IN_NAMES, '_')
    // A name followed by `|` and digits is a mention by user id.
    .replace(/\|(?=\d+$)/, '-')
    .trim()
    .slice(0, NAME_LENGTH_MAX);
  return name.length < 2 ? name.padEnd(2, '_') : name;
}

function slugOf(nick: string): string {
  const slug = nick.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-+|-+$/g, '') || 'nick';
}

/** Upper and lower case are one name to a server, and two on IRC. */
function unique(wanted: string, separator: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name.toLowerCase()); count++) {
    name = `${wanted}${separator}${count}`;
  }
  taken.add(name.toLowerCase());
  return name;
}

interface Addressed {
  readonly content: string;
  readonly mentionedNick?: string;
}

/** `nick:` or `nick,` at the start addresses somebody: a mention, if the nick is a user. */
export function withMention(text: string, users: ReadonlyMap<string, NewUser>): Addressed {
  const [prefix, nick = ''] = /^(\S+)[:,](?=\s)/.exec(text) ?? [];
  const user = users.get(nick);
  if (prefix === undefined || user === undefined) return { content: text };
  return {
    content: `@**${user.full_name}**${text.slice(prefix.length)}`,
    mentionedNick: nick,
  };
}

/** Days lie in channels by a hash, so that a day is never split. */
export function channelOf(date: string, channelCount: number): string {
  const hash = createHash('sha256').update(date).digest().readUInt32BE(0);
  return `irc-${(hash % channelCount) + 1}`;
}
