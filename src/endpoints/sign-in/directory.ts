import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Client, Entry } from 'ldapts';
import type { SignInEntry } from '../../config.ts';
import {
  DIRECTORY_ANSWER_BYTES_MAX,
  DIRECTORY_LOG_INS_MAX,
  DIRECTORY_PAGE,
  DIRECTORY_PAGE_BYTES_MAX,
} from '../../domain/limits/credentials.ts';
import type { Vouched } from '../../operations/accounts/vouched.ts';
import { codeOf, SignInFault } from './fault.ts';

export type LdapEntry = Extract<SignInEntry, { type: 'ldap' }>;

/** A person of a directory, with what their account follows besides. */
export interface DirectoryPerson extends Vouched {
  readonly timezone: string | undefined;
}

/** The issuer of the people of a directory, in the table of identities. */
export const issuerOf = ({ name }: Pick<LdapEntry, 'name'>) => `ldap:${name}`;

/** The library is loaded when a directory is first asked: most servers have none. */
const library = () => import('ldapts');

export type Checked =
  | { readonly is: 'absent' }
  | { readonly is: 'wrong' }
  | { readonly is: 'right'; readonly person: DirectoryPerson };

interface Credentials {
  readonly username: string;
  readonly password: string;
}

let underWay = 0;

/**
 * Finds a person by what was typed and verifies the password by a bind as that person (RFC 4511
 * section 4.2). `beforeBind` is told the person, and may refuse. An empty password is never sent:
 * a directory would take it for nobody's, and accept it (RFC 4513 section 5.1.2). Throws a
 * `SignInFault` if the directory vouches for nobody at the moment.
 */
export async function check(
  entry: LdapEntry,
  { username, password }: Credentials,
  beforeBind: (subject: string) => void,
): Promise<Checked> {
  if (password === '' || username === '') return { is: 'wrong' };
  return await connected(entry, async (connection) => {
    const [one, other] = await entriesOf(connection, entry, username);
    if (one === undefined) {
      await bindAsNobody(connection, entry);
      return { is: 'absent' };
    }
    if (other !== undefined) throw new SignInFault('ambiguous');
    const person = personOf(entry, one);
    // Without a DN a bind is for nobody, and any password would be right.
    if (one.dn === '' || person === undefined) throw new SignInFault('no_id');
    beforeBind(person.subject);
    const isRight = await connection.run(DIRECTORY_ANSWER_BYTES_MAX, (client) =>
      isAccepted(client.bind(one.dn, password)),
    );
    return isRight ? { is: 'right', person } : { is: 'wrong' };
  });
}

/** Asks a directory as a log-in does, and takes no notice of the answer. */
export const feign = (entry: LdapEntry, username: string) =>
  connected(entry, async (connection) => {
    await entriesOf(connection, entry, username);
    await bindAsNobody(connection, entry);
  });

/** Runs a log-in over a connection of its own, unless too many are under way. */
async function connected<Result>(
  entry: LdapEntry,
  run: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  if (underWay >= DIRECTORY_LOG_INS_MAX) throw new SignInFault('busy');
  underWay += 1;
  let connection: Connection | undefined;
  try {
    connection = await openConnection(entry);
    return await run(connection);
  } finally {
    underWay -= 1;
    connection?.close();
  }
}

/** Returns one or two entries of a name, with what an account takes from them. */
async function entriesOf(connection: Connection, entry: LdapEntry, username: string) {
  const found = await connection.run(DIRECTORY_ANSWER_BYTES_MAX, (client) =>
    client.search(entry.base, {
      filter: entry.filter.replaceAll('{name}', () => escaped(username)),
      sizeLimit: 2,
      ...asked(entry),
    }),
  );
  return found.searchEntries;
}

/**
 * A directory gets the same exchanges for a name that it does not have as for a wrong password, so
 * that the time of an answer tells nobody which names there are. Nobody has such a DN.
 */
async function bindAsNobody(connection: Connection, { base }: LdapEntry) {
  const [name, password] = [randomUUID(), randomUUID()];
  await connection.run(DIRECTORY_ANSWER_BYTES_MAX, (client) =>
    client.bind(`cn=${name},${base}`, password).catch((error) => {
      // Any result of the directory says the same; a connection that breaks is a fault.
      if (typeof (error as { code?: unknown }).code !== 'number') throw error;
    }),
  );
}

/**
 * Returns all people of a directory, page by page (RFC 2696); one whom it gives no id is left out.
 * Rejects with a `SignInFault`, so that part of a directory never passes for the whole.
 */
export async function* peopleOf(entry: LdapEntry, signal: AbortSignal) {
  const connection = await openConnection(entry);
  const onAbort = () => connection.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const pages = connection.client.searchPaginated(entry.base, {
      filter: entry.filter.replaceAll('{name}', '*'),
      paged: { pageSize: DIRECTORY_PAGE },
      ...asked(entry),
    });
    while (true) {
      signal.throwIfAborted();
      const page = await connection.run(DIRECTORY_PAGE_BYTES_MAX, () => pages.next());
      if (page.done) return;
      yield page.value.searchEntries
        .map((one) => personOf(entry, one))
        .filter((person) => person !== undefined);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
  }
}

/**
 * Returns which of these people a directory does not have, asking for each: a page that came empty
 * must not make people leave.
 */
export async function goneOf(entry: LdapEntry, subjects: readonly string[], signal: AbortSignal) {
  const { AndFilter, EqualityFilter, FilterParser } = await library();
  const connection = await openConnection(entry);
  const gone: string[] = [];
  try {
    for (const subject of subjects) {
      signal.throwIfAborted();
      const filter = new AndFilter({
        filters: [
          FilterParser.parseString(entry.filter.replaceAll('{name}', '*')),
          new EqualityFilter({ attribute: entry.attributes.id, value: asStored(subject) }),
        ],
      });
      const found = await connection.run(DIRECTORY_ANSWER_BYTES_MAX, (client) =>
        client.search(entry.base, { filter, sizeLimit: 2, ...asked(entry) }),
      );
      if (found.searchEntries.length === 0) gone.push(subject);
    }
  } finally {
    connection.close();
  }
  return gone;
}

/** RFC 4515 section 3: these stand for themselves only so. */
const escaped = (text: string) =>
  text.replace(/[\\*()\0]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Only attributes that are needed: entries may have pictures. */
function asked({ attributes: { id, address, name, groups, timezone } }: LdapEntry) {
  return {
    scope: 'sub' as const,
    attributes: [id, address, name, groups, ...(timezone === undefined ? [] : [timezone])],
    explicitBufferAttributes: [id],
  };
}

/** `objectGUID` is 16 bytes; other ids are texts. */
const GUID_BYTES = 16;
const GUID = /^guid:([0-9a-f]{32})$/;

function personOf(entry: LdapEntry, found: Entry): DirectoryPerson | undefined {
  const { id, address, name, groups, timezone } = entry.attributes;
  const [raw] = [found[id] ?? []].flat();
  const bytes = Buffer.from(raw ?? '');
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  const isText = bytes.length !== GUID_BYTES || /^[\x20-\x7e]+$/.test(text);
  const held = new Set(texts(found, groups).map((group) => group.toLowerCase()));
  const [email] = texts(found, address);
  return {
    issuer: issuerOf(entry),
    subject: isText ? text : `guid:${bytes.toString('hex')}`,
    email: email ?? null,
    // The operator's own directory gives the addresses.
    isEmailProved: true,
    fullName: texts(found, name)[0] ?? '',
    // Names of groups are compared without case, and `grants` has them as the operator wrote them.
    groups: entry.grants.map(({ group }) => group).filter((group) => held.has(group.toLowerCase())),
    timezone: timezone === undefined ? undefined : texts(found, timezone)[0],
  };
}

function asStored(subject: string): Buffer | string {
  const [, hex] = GUID.exec(subject) ?? [];
  return hex === undefined ? subject : Buffer.from(hex, 'hex');
}

const texts = (found: Entry, attribute: string): string[] =>
  [found[attribute] ?? []]
    .flat()
    .map(String)
    .filter((text) => text !== '');

/**
 * Results of a bind that are about the person (RFC 4511 appendix A): constraintViolation,
 * inappropriateAuthentication, invalidCredentials, insufficientAccessRights, unwillingToPerform.
 */
const REFUSED = new Set([19, 48, 49, 50, 53]);

async function isAccepted(bind: Promise<void>): Promise<boolean> {
  try {
    await bind;
    return true;
  } catch (error) {
    if (REFUSED.has(Number((error as { code?: unknown }).code))) return false;
    throw error;
  }
}

interface Connection {
  readonly client: Client;
  /** Runs one exchange, within the time of the entry and so many bytes of answer. */
  run<Result>(bytesMax: number, exchange: (client: Client) => Promise<Result>): Promise<Result>;
  close(): void;
}

/** Connects, with TLS if the entry says so, and binds as the account that searches. */
async function openConnection(entry: LdapEntry): Promise<Connection> {
  const { Client } = await library();
  const { url, timeout_ms: timeout, ca_file: ca } = entry;
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const tls: ConnectionOptions = {
    ...(ca === undefined ? {} : { ca }),
    host,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  };
  const client = new Client({
    url,
    timeout,
    connectTimeout: timeout,
    ...(url.startsWith('ldaps:') ? { tlsOptions: tls } : {}),
  });
  // The library has no bounds of bytes, and no way to end a connection at once.
  const socket = () => (client as unknown as { readonly socket?: Socket }).socket;
  const close = () => void socket()?.destroy();

  async function run<Result>(bytesMax: number, exchange: (one: Client) => Promise<Result>) {
    const under = exchange(client);
    // The first exchange has begun to connect by now.
    const counted = socket();
    let breakOff = (_: SignInFault): void => undefined;
    const broken = new Promise<never>((_, reject) => {
      breakOff = reject;
    });
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return;
      breakOff(new SignInFault('too_large'));
      close();
    };
    counted?.prependListener('data', count);
    const timer = setTimeout(() => {
      breakOff(new SignInFault('unreachable'));
      close();
    }, timeout);
    try {
      return await Promise.race([under, broken]);
    } catch (error) {
      throw faultOf(error);
    } finally {
      clearTimeout(timer);
      counted?.removeListener('data', count);
    }
  }

  try {
    if (entry.start_tls) {
      await run(DIRECTORY_ANSWER_BYTES_MAX, () => client.startTLS(tls));
    }
    await run(DIRECTORY_ANSWER_BYTES_MAX, () =>
      client.bind(entry.bind_dn ?? '', entry.bind_password ?? ''),
    );
    return { client, run, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The messages of the library are left out of the log: some repeat what was sent. */
function faultOf(error: unknown): Error {
  if (error instanceof SignInFault) return error;
  if (error instanceof Error && error.name === 'ApiError') return error;
  if (typeof (error as { code?: unknown }).code === 'number') {
    return new SignInFault('refused', error);
  }
  const isCut =
    error instanceof Error && /timed? ?out|^Connection closed|^Socket/i.test(error.message);
  return new SignInFault(isCut ? 'unreachable' : codeOf(error), error);
}
