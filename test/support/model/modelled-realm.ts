import { rmSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { Role } from '../../../src/domain/wire/roles.ts';
import type { Caller } from '../../../src/operations/access/caller.ts';
import * as subscriptions from '../../../src/operations/channels/subscriptions.ts';
import * as userGroups from '../../../src/operations/groups/user-groups.ts';
import * as users from '../../../src/operations/users/users.ts';
import { openRealmStore } from '../../../storage/store.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { PUBLIC_CHANNEL } from '../new-channel.ts';
import { makeScratch } from '../scratch.ts';
import { SITE } from '../site.ts';
import { ADA, BOARD, emptyModel, NAMES, PEOPLE } from './model.ts';
import { actsOn, callerOf, userOf } from './modelled-acts.ts';

/** Changes the store and the model alike. A refusal changes neither. */
export type Step = (tx: RealmTransaction) => void;
export type ModelledRealm = Awaited<ReturnType<typeof openModelledRealm>>;

/**
 * A realm of four people and four channels in a store of its own; Ada is the owner, Gus a guest.
 */
export async function openModelledRealm({ extraChannels = 0 } = {}) {
  const directory = makeScratch();
  let store = openRealmStore(directory);
  const close = async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  };
  const model = emptyModel();
  let now = 1_700_000_000_000;

  async function run<Reply>(operation: (tx: RealmTransaction) => Reply): Promise<Reply> {
    now += 1000;
    const [outcome] = await store.commit(
      () => [operation],
      () => now,
    );
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    return outcome.reply as Reply; // of the only operation
  }
  /** In one commit; those that are refused are left out. */
  async function steps(list: readonly Step[]) {
    now += 1000;
    const outcomes = await store.commit(
      () => list,
      () => now,
    );
    for (const outcome of outcomes) {
      if ('error' in outcome && !(outcome.error instanceof Error && 'code' in outcome.error)) {
        throw outcome.error;
      }
    }
  }

  await run((tx) => populate(tx, extraChannels));
  const acts = actsOn(model);
  await steps(
    Array.from({ length: extraChannels }, (_, index) => acts.join(ADA, BOARD + 1 + index)),
  );
  const caller = (userId: number): Caller => callerOf(store.reader, userId);
  return {
    get store() {
      return store;
    },
    get reader() {
      return store.reader;
    },
    /** The store is closed, and opened again. */
    async restart() {
      await store.close();
      store = openRealmStore(directory);
    },
    close,
    model,
    run,
    steps,
    caller,
    ...acts,
  };
}

export async function modelledRealm(options?: { extraChannels?: number }) {
  const realm = await openModelledRealm(options);
  onTestFinished(realm.close);
  return realm;
}

/** The model knows of no topics that are followed by themselves. */
const FOLLOWS_NOTHING = {
  automatically_follow_topics_policy: 4,
  automatically_follow_topics_where_mentioned: false,
  automatically_unmute_topics_in_muted_streams_policy: 4,
};

function populate(tx: RealmTransaction, extraChannels: number) {
  tx.realm.put(['realm'], {
    id: 1,
    stringId: 'demo',
    name: 'Demo',
    description: '',
    dateCreated: 0,
    isActive: true,
    settings: {},
    userDefaults: {},
    deletableAt: null,
    formerStringIds: [],
    firstStringId: null,
    newsVersion: '0.1.0',
    formerIds: [],
  });
  tx.secrets.put(['external content'], { value: 'of a modelled realm' });
  const roles = [Role.owner, Role.member, Role.member, Role.guest] as const;
  for (const [index, role] of roles.entries()) {
    const name = NAMES[index] ?? '';
    const user = { email: `${name}@example.com`, fullName: `${name} Doe`, role };
    const row = users.create(tx, user, SITE);
    tx.users.put([row.id], { ...row, settings: FOLLOWS_NOTHING });
  }
  const ada = userOf(tx, ADA);
  const add = (name: string, isPrivate: boolean, hasSharedHistory: boolean) => {
    subscriptions.subscribe(tx, ada, {
      channels: [{ name, description: '' }],
      principals: [ada],
      site: SITE,
      areRefusalsFatal: true,
      creation: { ...PUBLIC_CHANNEL, isPrivate, hasSharedHistory },
    });
    subscriptions.unsubscribe(tx, ada, { names: [name], principals: [ada], site: SITE });
  };
  const crew = {
    name: 'crew',
    description: '',
    memberIds: PEOPLE,
    subgroupIds: [],
    permissions: {},
  };
  userGroups.create(tx, { user: ada, site: SITE, client: 'test' }, crew);
  add('general', false, true);
  add('random', false, true);
  add('team', true, true);
  add('board', true, false);
  for (let index = 1; index <= extraChannels; index++) add(`extra ${index}`, false, true);
}
