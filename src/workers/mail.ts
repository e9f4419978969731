import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import { makeFolder } from '../../storage/files/disk.ts';
import type { Mail } from '../operations/access/mails.ts';
import { OWN_HEADERS } from '../operations/notifications/automatic-mails.ts';
import { digestFor } from '../operations/notifications/digest-mails.ts';
import type { DigestEntry } from '../operations/notifications/digest-plan.ts';
import { mailFor } from '../operations/notifications/missed-mails.ts';
import type { MissedEntry } from '../operations/notifications/missed-messages.ts';
import { smtpOptions } from '../settings/outgoing-mail.ts';
import type { Worker } from './dispatcher.ts';

export interface MailInput {
  /** `smtp://user:password@host:port` or `smtps://…`. Null: mails are written into a folder. */
  readonly smtpUrl: string | null;
  readonly folder: string;
  /** Notified when the last attempt at a mail has failed. */
  readonly onLost: (error: unknown) => void;
}

/**
 * The attempts span seven hours: a mail server that is down for a night of maintenance loses none.
 */
const PAUSES_MS = [10_000, 60_000, 600_000, 3_600_000, 7_200_000, 14_400_000];
/**
 * The timeout is well below the lease of an entry, so that a slow server does not get a mail twice.
 */
const WAIT_MS = 30_000;

const mail: z.ZodType<Mail> = z.object({
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
});

interface SentMail extends SendMailOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

type Send = (mail: SentMail) => Promise<void>;

/** Send mails by SMTP, or write them to files for an operator without a mail server. */
export function mailWorkers({ onLost, ...input }: MailInput): {
  mail: Worker;
  missed: Worker;
  digest: Worker;
} {
  const send = openSending(input);
  const rest = {
    pausesMs: PAUSES_MS,
    giveUp: async (_entry: unknown, _origin: unknown, error: unknown) => onLost(error),
  };
  return {
    mail: {
      ...rest,
      deliver: ({ id, content }, { site }) =>
        // Each attempt has the same id, so that a mail which was sent twice is shown once.
        send({ ...mail.parse(content), messageId: `<mail.${id}@${site.mailHost}>` }),
    },
    missed: {
      ...rest,
      async deliver({ id, content }, { realm, site }) {
        const entry = content as MissedEntry; // only `notifications/missed-messages.ts` writes these
        const missed = mailFor(
          { reader: realm.reader, site },
          {
            ...entry,
            entryId: id,
            now: realm.now(),
          },
        );
        if (missed !== undefined) await send(missed);
      },
    },
    digest: {
      ...rest,
      async deliver({ id, content }, { realm, site }) {
        const { userId } = content as DigestEntry; // only `notifications/digest-plan.ts` writes these
        const about = { userId, entryId: id, now: realm.now() };
        const digest = digestFor({ reader: realm.reader, site }, about);
        if (digest !== undefined) await send(digest);
      },
    },
  };
}

function openSending(input: Omit<MailInput, 'onLost'>): Send {
  let opening: Promise<Send> | undefined;
  return async (mail) => {
    opening ??= open(input);
    const send = await opening;
    await send({ ...mail, headers: { ...OWN_HEADERS, ...mail.headers } });
  };
}

/** Loads the library, with the first mail. */
async function open({ smtpUrl, folder }: Omit<MailInput, 'onLost'>): Promise<Send> {
  const { createTransport } = await import('nodemailer');
  if (smtpUrl === null) {
    const composer = createTransport({ streamTransport: true, buffer: true });
    return async (mail) => {
      const { message } = await composer.sendMail(mail);
      await write(folder, message);
    };
  }
  const transport = createTransport(smtpOptions(smtpUrl, WAIT_MS));
  return async (mail) => {
    await transport.sendMail(mail);
  };
}

/**
 * Writes a mail to a temporary file, syncs and renames it, so that a crash leaves only whole mails.
 */
async function write(folder: string, message: Buffer | Readable) {
  const name = `${Date.now()}-${randomUUID()}.eml`;
  await makeFolder(folder);
  const aside = join(folder, `.${name}`);
  try {
    await writeFile(aside, message, { mode: 0o600, flush: true });
    await rename(aside, join(folder, name));
  } catch (error) {
    // On a full disk each attempt would leave a partial file.
    await rm(aside, { force: true });
    throw error;
  }
}
