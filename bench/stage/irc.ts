import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { NewUser } from './audience.ts';

/** A line of the real messages. */
export interface IrcMessage {
  readonly date: string;
  readonly time: string;
  readonly nick: string;
  readonly text: string;
}

/** The first messages of a file of JSON lines, gzipped when its name says so. */
export async function readIrcMessages(path: string, countMax: number): Promise<IrcMessage[]> {
  const file = createReadStream(path);
  const input = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  const messages: IrcMessage[] = [];
  for await (const line of createInterface({ input })) {
    if (messages.length >= countMax) break;
    if (line !== '') messages.push(JSON.parse(line) as IrcMessage);
  }
  file.destroy();
  return messages;
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
