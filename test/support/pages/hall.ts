import { join } from 'node:path';
import { expect, inject } from 'vitest';
import { Role } from '../../../src/domain/wire/roles.ts';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import * as users from '../../../src/operations/users/users.ts';
import { sendMany } from '../messages/many-messages.ts';
import { PUBLIC_CHANNEL } from '../new-channel.ts';
import { givePasswords, PASSWORD } from '../people/session-browser.ts';
import { startServer, type TestServer } from '../start-server.ts';
import { texts } from './bodies.ts';
import { type Audience, type AudienceOptions, openAudience, type Participant } from './story.ts';

/** A server in this process, whose store tests fill at once, and a member at a browser. */
export interface Hall extends Audience {
  readonly server: TestServer;
  /** Opens a browser at an address, in which Mel Member logs in with a password. */
  at(hash: string, options?: { readonly url?: string }): Promise<Participant>;
}

export async function openHall(
  env: Readonly<Record<string, string>> = {},
  options: AudienceOptions = {},
): Promise<Hall> {
  const folder = join(inject('dist'), 'bundle', 'web');
  const server = await startServer({
    env: { CONFAB_WEB_DEV: folder, ...env },
    channels: ['general'],
  });
  await givePasswords(server, server.people.mel);
  const others: string[] = [];
  const audience = await openAudience(() => server.url, { ...options, others });
  return {
    ...audience,
    server,
    async at(hash, { url = server.url } = {}) {
      others.push(url);
      const visit = await audience.visit();
      const { page, hand } = visit;
      await page.goto(`${url}/${hash}`);
      await hand.fill(page.getByLabel('Email address'), server.people.mel.email);
      await hand.fill(page.getByLabel('Password'), PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('.own').getByText('live', { exact: true }).waitFor();
      return { ...visit, person: server.people.mel };
    },
  };
}

interface Size {
  readonly people: number;
  readonly channels: number;
}

/** Fills the organization with people, and with channels, to all of which Mel is subscribed. */
export const fillHall = (server: TestServer, { people, channels }: Size): Promise<void> =>
  server.perform((tx, site) => {
    for (let number = 1; number <= people; number += 1) {
      const fullName = `${FIRST[number % FIRST.length]} ${LAST[number % LAST.length]} ${number}`;
      const email = `person${number}@example.com`;
      users.create(tx, { email, fullName, role: Role.member }, site);
    }
    const mel = tx.users.get([server.people.mel.id]) ?? expect.fail('Mel is there');
    subscriptions.subscribe(tx, mel, {
      channels: Array.from({ length: channels }, (_, index) => ({
        name: `${TOPICS[index % TOPICS.length]} ${index + 1}`,
        description: `All about ${TOPICS[index % TOPICS.length]}`,
      })),
      principals: [mel],
      site,
      areRefusalsFatal: true,
      creation: PUBLIC_CHANNEL,
    });
  });

const FIRST = [
  'Ann',
  'Bao',
  'Carla',
  'Dmitri',
  'Esi',
  'Farid',
  'Gudrun',
  'Hana',
  'Iker',
  'Jun',
  'Kofi',
];
const LAST = ['Abel', 'Brandt', 'Costa', 'Diaz', 'Ek', 'Fofana', 'Garcia'];
const TOPICS = ['design', 'support', 'releases', 'translations', 'events'];

const COMMIT_MESSAGES = 1_000;

/** Fills a topic with real texts, and now and then one with everything that messages can have. */
export async function fillTopic(server: TestServer, topic: string, count: number): Promise<void> {
  const all = texts();
  for (let from = 0; from < count; from += COMMIT_MESSAGES) {
    await sendMany(server, {
      as: server.people.max,
      topic,
      count: Math.min(COMMIT_MESSAGES, count - from),
      content: (number) => all[(from + number) % all.length] ?? '',
    });
  }
}
