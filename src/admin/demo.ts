import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../config.ts';
import { Role, type RoleName, roleName } from '../domain/wire/roles.ts';
import { systemGroupId } from '../domain/wire/system-groups.ts';
import { hashPassword } from '../endpoints/server/password-hash.ts';
import * as subscriptions from '../operations/channels/subscriptions.ts';
import * as users from '../operations/users/users.ts';
import { isLoopback } from '../settings/addresses.ts';
import { ConfigError } from '../settings/reading.ts';
import { credentialsFile, writeCredentials } from './demo-file.ts';
import { talk } from './demo-talk.ts';
import type { Realms } from './deployment.ts';

const REALM = 'demo';
const CHANNELS = [
  { name: 'general', description: 'For everyone, about everything' },
  { name: 'random', description: 'For what fits nowhere else' },
];
/** The id of the first channel of a realm. */
const FIRST_CHANNEL = 1;

interface DemoPerson {
  readonly name: string;
  readonly fullName: string;
  readonly role: Role;
  readonly isBot?: true;
}

const PEOPLE: readonly DemoPerson[] = [
  { name: 'ona', fullName: 'Ona Owner', role: Role.owner },
  { name: 'ada', fullName: 'Ada Administrator', role: Role.administrator },
  { name: 'mia', fullName: 'Mia Moderator', role: Role.moderator },
  { name: 'mel', fullName: 'Mel Member', role: Role.member },
  { name: 'max', fullName: 'Max Member', role: Role.member },
  { name: 'gus', fullName: 'Gus Guest', role: Role.guest },
  { name: 'bot', fullName: 'Demo Bot', role: Role.member, isBot: true },
];

/**
 * Makes a realm to try the server with: every role, a bot, two channels, everyone subscribed, and a
 * few messages to look at.
 */
export async function makeDemo(
  realms: Realms,
  { data, hasDemoTalk }: ServerSettings,
  baseUrl: string,
) {
  const people = await Promise.all(
    PEOPLE.map(async (person) => {
      const password = person.isBot ? null : randomBytes(12).toString('base64url');
      const passwordHash = password === null ? null : await hashPassword(password);
      return { ...person, password, passwordHash };
    }),
  );
  await realms.create({ stringId: REALM, name: 'Demo' }, (tx, site) => {
    const accounts = people.map((person) => users.create(tx, newUser(person), site));
    const owner = accounts[0];
    if (owner === undefined) throw new Error('the demo realm needs an owner');
    subscriptions.subscribe(tx, owner, { ...SUBSCRIBE_ALL, principals: accounts, site });
    const byName = new Map(accounts.map((user, index) => [PEOPLE[index]?.name ?? '', user]));
    if (hasDemoTalk) talk(tx, site, { channelId: FIRST_CHANNEL, people: byName });
    // The file is written before the commit: a kill in between leaves keys without a realm, and the
    // next start makes both again.
    writeCredentials(data, {
      base_url: baseUrl,
      realm: REALM,
      users: accounts.map((user, index) => ({
        user_id: user.id,
        email: user.email,
        full_name: user.fullName,
        role: roleName(user.role) satisfies RoleName,
        password: people[index]?.password ?? null,
        password_hash: people[index]?.passwordHash ?? null,
        api_key: users.issueApiKey(tx, user.id, 'command'),
        is_bot: user.botType !== null,
      })),
    });
  });
}

const newUser = (person: DemoPerson & { readonly passwordHash: string | null }): users.NewUser => ({
  email: `${person.name}@demo.example.com`,
  fullName: person.fullName,
  role: person.role,
  ...(person.isBot ? { botType: 1, botOwnerId: 1 } : {}),
  ...(person.passwordHash === null ? {} : { passwordHash: person.passwordHash }),
});

const SUBSCRIBE_ALL: Omit<subscriptions.SubscribeRequest, 'principals' | 'site'> = {
  channels: CHANNELS,
  areRefusalsFatal: true,
  creation: {
    isPrivate: false,
    isWebPublic: false,
    isDefault: true,
    hasSharedHistory: undefined,
    messageRetentionDays: null,
    topicsPolicy: 'inherit',
    folderId: null,
    groups: { can_send_message_group: systemGroupId('role:everyone') },
  },
};

interface DemoOf {
  readonly realms: Realms;
  readonly data: string;
  /** True if the demo realm is about to be made. */
  readonly isNew: boolean;
}

/**
 * Refuses to serve a demo realm to other machines, unless the operator says so: the credentials in
 * one file let anybody in who can reach the server.
 */
export function refuseOpenDemo(settings: ServerSettings, { realms, data, isNew }: DemoOf) {
  if (settings.wantsDemo || isLoopback(settings)) return;
  const reach = `CONFAB_HOST=${settings.host} lets other machines in`;
  if (isNew) {
    throw new ConfigError(
      `${reach}, and a first start makes a demo realm whose passwords and keys are written to a file: ` +
        'set CONFAB_DEMO=0 to have none, or CONFAB_DEMO=1 if that is meant',
    );
  }
  if (!existsSync(credentialsFile(data)) || !isActive(realms.named(REALM))) return;
  throw new ConfigError(
    `${reach}, and passwords and keys of the demo realm are in ${credentialsFile(data)}: ` +
      `deactivate it (confab realm deactivate --realm ${REALM}), or set CONFAB_DEMO=1 if that is meant`,
  );
}

const isActive = (realm: Realm | undefined): boolean =>
  realm !== undefined && realm.reader.realm.get(['realm'])?.isActive !== false;
