import { State } from '@confab/client/store';
import { expect, test } from 'vitest';
import { waysOf } from '../../../../web/app/store/account/ways.ts';
import type { Arrived } from '../../../../web/app/store/notifying.ts';
import { snapshot } from '../later/snapshot.ts';

const OFF = {
  enable_desktop_notifications: false,
  enable_sounds: false,
  enable_followed_topic_desktop_notifications: false,
  enable_followed_topic_audible_notifications: false,
  enable_stream_desktop_notifications: false,
  enable_stream_audible_notifications: false,
  wildcard_mentions_notify: false,
  enable_followed_topic_wildcard_mentions_notify: false,
};

interface Told {
  readonly settings?: Partial<Record<keyof typeof OFF, boolean>>;
  readonly own?: object;
  readonly policy?: number;
  readonly message?: Partial<Arrived['message']>;
  readonly flags?: readonly string[];
}

function told({ settings = {}, own = {}, policy = 0, message = {}, flags = [] }: Told): string {
  const base = snapshot();
  const state = new State({
    ...base,
    user_settings: { ...OFF, ...settings },
    subscriptions: base.subscriptions?.map((one) => ({ ...one, ...own })),
    user_topics:
      policy === 0
        ? []
        : [{ stream_id: 1, topic_name: 'tea', visibility_policy: policy, last_updated: 1 }],
  } as never);
  const arrived: Arrived = {
    flags,
    message: {
      id: 50,
      sender_id: 2,
      sender_full_name: 'Ada',
      type: 'stream',
      stream_id: 1,
      subject: 'tea',
      content: '',
      display_recipient: 'general',
      ...message,
    },
  };
  const { onDesktop, withSound } = waysOf(arrived, state);
  return [onDesktop ? 'desktop' : '', withSound ? 'sound' : ''].filter(Boolean).join(' ');
}

const { stream_id: _, ...DIRECT } = {
  stream_id: 1,
  type: 'private',
  display_recipient: [],
} as const;
const DESKTOP = { enable_desktop_notifications: true };
const FOLLOWED = 3;

test('direct messages and mentions are told of in the ways that they have', () => {
  const direct = { ...DIRECT, stream_id: undefined } as never;
  expect(told({ message: direct, settings: DESKTOP })).toBe('desktop');
  expect(told({ message: direct, settings: { enable_sounds: true } })).toBe('sound');
  expect(told({ message: direct })).toBe('');
  expect(told({ flags: ['mentioned'], settings: DESKTOP })).toBe('desktop');
  expect(told({ flags: ['has_alert_word'], settings: DESKTOP })).toBe('desktop');
});

test('what one has written or read, and what mentions nobody, is silent', () => {
  expect(told({ flags: ['mentioned', 'read'], settings: DESKTOP })).toBe('');
  expect(told({ flags: ['mentioned'], message: { sender_id: 4 }, settings: DESKTOP })).toBe('');
  expect(told({ settings: { ...DESKTOP, enable_sounds: true } })).toBe('');
});

test('mentions of everybody are as the account says, or the channel', () => {
  const flags = ['stream_wildcard_mentioned'];
  expect(told({ flags, settings: DESKTOP })).toBe('');
  expect(told({ flags, settings: { ...DESKTOP, wildcard_mentions_notify: true } })).toBe('desktop');
  expect(told({ flags, settings: DESKTOP, own: { wildcard_mentions_notify: true } })).toBe(
    'desktop',
  );
});

test('topics that are followed have settings of their own', () => {
  const settings = { enable_followed_topic_desktop_notifications: true };
  expect(told({ settings })).toBe('');
  expect(told({ settings, policy: FOLLOWED })).toBe('desktop');
  const wildcards = { ...DESKTOP, enable_followed_topic_wildcard_mentions_notify: true };
  const flags = ['topic_wildcard_mentioned'];
  expect(told({ settings: wildcards, flags, policy: FOLLOWED })).toBe('desktop');
});

test('a channel follows the account until it has its own, and is silent where it is muted', () => {
  const settings = { enable_stream_audible_notifications: true };
  expect(told({ settings })).toBe('sound');
  expect(told({ settings, own: { audible_notifications: false } })).toBe('');
  expect(told({ own: { desktop_notifications: true } })).toBe('desktop');
  expect(told({ settings, own: { is_muted: true } })).toBe('');
  expect(told({ settings, policy: 1 })).toBe('');
});
