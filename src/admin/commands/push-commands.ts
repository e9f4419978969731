import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import * as pushNotices from '../../operations/notifications/push-notices.ts';
import * as pushTokens from '../../operations/notifications/push-tokens.ts';
import { hasPushService, sendsItself } from '../../settings/services.ts';
import { openSenders } from '../../workers/devices/device-workers.ts';
import { type GoneSince, goneAtOf, isGone, type Outcome } from '../../workers/devices/sender.ts';
import { TooEarly } from '../../workers/post.ts';
import type { Realms } from '../deployment.ts';
import { found, known, realmName } from './on-realm.ts';

export const PUSH_ARGS = {
  'push test': z.object({ realm: realmName, email: z.string() }),
} as const;

type Args<Name extends keyof typeof PUSH_ARGS> = z.output<(typeof PUSH_ARGS)[Name]>;

const DEVICES = { web: 'browser', apns: 'iOS device', fcm: 'Android device' } as const;

export const PUSH_COMMANDS: {
  [Name in keyof typeof PUSH_ARGS]: (realms: Realms, args: Args<Name>) => Promise<object[]>;
} = {
  /** Each device is sent to at once, and not by the outbox, so that the answer can be shown. */
  'push test': async (realms, { realm: name, email }) => {
    const { settings } = realms;
    if (!hasPushService(settings)) {
      throw errors.badRequest(
        'This server sends no pushes: docs/operating/push.md says how it does.',
      );
    }
    const realm = found(realms, name);
    const site = realms.siteOf(realm);
    const { id: userId } = known(realm.reader, email);
    const entry = { type: 'test_token', userId, token: null } as const;
    const source = { reader: realm.reader, site, now: realm.now() };
    const { tokens } = pushNotices.pushesFor(source, entry);
    const senders = openSenders(settings);
    return await Promise.all(
      tokens.map(async (push) => {
        const device = { device: DEVICES[push.kind], service: serviceOf(push) };
        if (!sendsItself(settings, push.kind)) {
          return { ...device, answer: 'not asked: no key is set; the bouncer has to reach it' };
        }
        try {
          const outcome = await senders[push.kind](push, { realm, site });
          if (!isGone(outcome)) return { ...device, answer: wordsOf(outcome) };
          const goneAt = goneAtOf(outcome);
          const isOff = await realm.perform((tx) => pushTokens.forgetSent(tx, push, goneAt));
          return { ...device, answer: isOff ? GONE : CAME_AGAIN };
        } catch (error) {
          return { ...device, answer: `not taken: ${messageOf(error)}` };
        }
      }),
    );
  },
};

/** The rest of an address is a secret of the browser. */
const serviceOf = ({ kind, token }: pushNotices.TokenPush): string =>
  kind === 'web' ? new URL(token).host : kind === 'apns' ? 'Apple' : 'Google';

const GONE = 'gone: the service does not know it any more, and it was removed';
const CAME_AGAIN = 'gone: the service did not know it, but it has registered since, and stays';

function wordsOf(outcome: Exclude<Outcome, 'gone' | GoneSince>): string {
  if (outcome === 'taken') return 'taken';
  if (outcome === 'unwanted') return 'not sent';
  return `refused: ${outcome.status} ${outcome.reason ?? ''}`.trim();
}

/** An error of a connection to several addresses has a code alone. */
function messageOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const words = message === '' ? (code ?? 'no answer') : message;
  const pauseMs = error instanceof TooEarly ? error.pauseMs : 0;
  return pauseMs === 0 ? words : `${words}; it asks to wait ${Math.ceil(pauseMs / 1_000)} s`;
}
