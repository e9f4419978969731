import { setTimeout as pause } from 'node:timers/promises';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import {
  INCOMING_BYTES_MAX,
  INCOMING_MAIL_BYTES_MAX,
  MAIL_OWNER_MS_MAX,
} from '../../domain/limits/outbox.ts';
import type { Site } from '../../operations/access/caller.ts';
import { fateOf } from '../../operations/notifications/automatic-mails.ts';
import * as incomingMails from '../../operations/notifications/incoming-mails.ts';
import { answerOf, asRefusal, type MailAnswer, Refusal } from './answers.ts';
import { nameIn } from './names.ts';
import { type MailWithFiles, openMailReader } from './reader.ts';
import { storeFiles } from './stored-files.ts';

/** A mail with its envelope. */
export interface ComingMail {
  readonly address: string;
  /** The sender by the envelope, in lower case; empty if a node of an older version took it. */
  readonly sender: string;
  readonly raw: Buffer;
}

/** A mail on its way to the node that writes the realm of its address. */
export interface HandedMail extends ComingMail {
  /** The time in which the answer has to come, in milliseconds. */
  readonly msMax: number;
}

export interface TakingInput {
  /** Returns the realm of a host name, if there is one. */
  readonly at: (host: string) => { readonly realm: Realm | undefined; readonly site: Site };
  /** Tests whether this process writes the realm. */
  readonly isWritten: (realm: Realm) => boolean;
  /**
   * Hands a mail to the node that writes the realm of a host. Resolves with undefined if there is
   * none now, or it is not known what became of the mail. Null where there is no cluster.
   */
  readonly handOver: ((host: string, mail: HandedMail) => Promise<MailAnswer | undefined>) | null;
  readonly onBug: (error: unknown) => void;
  readonly onTaken: (mail: { readonly messageId: number; readonly realm: string }) => void;
  /** In a test: how long an owner is looked for, in milliseconds. */
  readonly ownerMsMax?: number;
}

/** Makes messages of mails, wherever they have come in. */
export interface MailTaking {
  /** Refuses an address that is nobody's. Where another node knows better, that one refuses it. */
  refuse(address: string): void;
  /** Takes a mail that a relay has handed over. It resolves when the message is on disk. */
  take(mail: ComingMail): Promise<MailAnswer>;
  /** Takes a mail from another node; undefined if this one does not write the realm. */
  takeHere(mail: ComingMail): Promise<MailAnswer | undefined>;
  /** Counts bytes that are held in memory, and refuses those beyond the bounds. */
  hold(): Holding;
  close(): void;
}

export interface Holding {
  /** Returns the refusal of a mail that is too large, or of any while too much is held. */
  add(bytes: number): Refusal | undefined;
  release(): void;
}

/** The next owner of a shard is there after a second or two, and is looked for so often. */
const AGAIN_MS = 100;

export function openMailTaking(input: TakingInput): MailTaking {
  const reader = openMailReader();
  let held = 0;

  /** Resolves with undefined if this process does not write the realm, or no longer. */
  async function takeHere({ address, sender, raw }: ComingMail): Promise<MailAnswer | undefined> {
    try {
      const place = placeOf(input, address);
      if (!input.isWritten(place.realm)) return undefined;
      const kind = refuseUnknown(place);
      const mail = withAuthor(await reader.read(raw), sender);
      const fate = fateOf(kind, mail.origin);
      if (fate.is === 'refused') return { code: 554, text: fate.why, result: fate.result };
      if (fate.is === 'dropped') return { code: 250, text: fate.why, result: 'dropped' };
      const { files: inMail, ...read } = mail;
      const messageId = await stored(place, read, inMail);
      input.onTaken({ messageId, realm: place.realm.stringId });
      return { code: 250, text: `message ${messageId}`, result: 'taken' };
    } catch (error) {
      return answerOf(asRefusal(error, input.onBug));
    }
  }

  return {
    takeHere,
    refuse(address) {
      const place = placeOf(input, address);
      // A copy may lag behind an address that was made just now.
      if (input.isWritten(place.realm)) refuseUnknown(place);
    },
    async take(mail) {
      const { handOver, ownerMsMax = MAIL_OWNER_MS_MAX } = input;
      const until = performance.now() + ownerMsMax;
      let isFirst = true;
      while (isFirst || performance.now() < until) {
        isFirst = false;
        const host = mail.address.slice(mail.address.lastIndexOf('@') + 1).toLowerCase();
        const msMax = Math.max(1, Math.ceil(until - performance.now()));
        // A mail that two owners were handed is one message: its id is known to both.
        const answer = (await takeHere(mail)) ?? (await handOver?.(host, { ...mail, msMax }));
        if (answer !== undefined) return answer;
        if (handOver === null) break;
        await pause(AGAIN_MS);
      }
      const text = 'nobody writes this organization now: try again later';
      return { code: 451, text, result: 'no_owner' };
    },
    hold() {
      let own = 0;
      return {
        add(bytes) {
          own += bytes;
          held += bytes;
          if (own > INCOMING_MAIL_BYTES_MAX)
            return new Refusal(552, 'too_large', 'the mail is too large');
          if (held > INCOMING_BYTES_MAX)
            return new Refusal(452, 'busy', 'too many mails are coming: try again');
          return undefined;
        },
        release() {
          held -= own;
          own = 0;
        },
      };
    },
    close: reader.close,
  };
}

interface Place {
  readonly realm: Realm;
  readonly site: Site;
  readonly local: string;
}

/** Returns the realm of an address, or refuses it. */
function placeOf({ at, isWritten }: TakingInput, address: string): Place {
  const end = address.lastIndexOf('@');
  const [local, host] = [address.slice(0, end), address.slice(end + 1).toLowerCase()];
  const { realm, site } = at(host);
  const none = new Refusal(550, 'no_address', 'no such address here');
  if (realm === undefined) throw none;
  if (isWritten(realm)) {
    // The site of a realm whose rows cannot be read has another name.
    if (!realm.isOpen()) throw new Refusal(451, 'no_owner', NOT_SERVED);
    // Addresses of former versions have the host that API addresses have.
    if (site.mailHost !== host && site.host !== host) throw none;
  }
  return { realm, site, local };
}

/** Returns the mail with its sender by the envelope as the author, if no header names one. */
const withAuthor = (mail: MailWithFiles, sender: string): MailWithFiles =>
  mail.author === '' ? { ...mail, author: nameIn(sender), authorAddress: sender } : mail;

const NOT_SERVED = 'this server does not serve this organization now: try again later';

function refuseUnknown({ realm, local }: Place): 'channel' | 'reply' {
  const known = incomingMails.kindOf(realm.reader, local, realm.now());
  if ('why' in known) throw new Refusal(550, 'no_address', known.why);
  return known.kind;
}

/** Writes the files of a mail and then its message; without a message no file stays. */
async function stored(
  { realm, site, local }: Place,
  mail: incomingMails.ReadMail,
  inMail: Parameters<typeof storeFiles>[1],
): Promise<number> {
  const { files, settle } = await storeFiles(realm, inMail, site.settings.maxUploadMib);
  let pathIds: readonly string[] = [];
  try {
    const taken = await realm.perform((tx) =>
      incomingMails.accept(tx, site, { local, mail, files }),
    );
    pathIds = taken.pathIds;
    return taken.id;
  } finally {
    await settle(pathIds);
  }
}
