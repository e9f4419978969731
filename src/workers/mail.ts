import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import { makeFolder } from '../../storage/files/disk.ts';
import { escapeHtml } from '../domain/rules/texts/html.ts';
import { mailLink, mailPage, textAsHtml } from '../domain/rules/texts/mail-page.ts';
import type { Site } from '../operations/access/caller.ts';
import type { Mail } from '../operations/access/mails.ts';
import { CONFIRMATION_PATH } from '../operations/accounts/email-changes.ts';
import { JOINING_PATH } from '../operations/accounts/invitations.ts';
import { PASSWORD_PATH } from '../operations/accounts/passwords.ts';
import { OWN_HEADERS } from '../operations/notifications/automatic-mails.ts';
import { digestFor } from '../operations/notifications/digest-mails.ts';
import type { DigestEntry } from '../operations/notifications/digest-plan.ts';
import { mailFor } from '../operations/notifications/missed-mails.ts';
import type { MissedEntry } from '../operations/notifications/missed-messages.ts';
import type { Worker } from './dispatcher.ts';
import { smtpOptions } from './smtp-options.ts';

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

/** The names of buttons, by the paths that their links begin with. */
const LABELS = {
  [PASSWORD_PATH]: 'Set the password',
  [CONFIRMATION_PATH]: 'Confirm the address',
  [JOINING_PATH]: 'Make your account',
};

const htmlOf = ({ subject, text }: Mail, { settledUrl: url }: Site, name: string): string =>
  mailPage({
    title: subject,
    name,
    content: `<h1>${escapeHtml(subject)}</h1>\n${textAsHtml(text, { url, labels: LABELS })}`,
    footer: `<p>This mail is from ${escapeHtml(name)} at ${mailLink(`${url}/`, url)}</p>`,
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
      deliver({ id, content }, { realm, site }) {
        const name = realm.reader.realm.get(['realm'])?.name ?? '';
        const written = mail.parse(content);
        // Each attempt has the same id, so that a mail which was sent twice is shown once.
        const messageId = `<mail.${id}@${site.mailHost}>`;
        return send({ ...written, html: htmlOf(written, site, name), messageId });
      },
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
