import { join } from 'node:path';
import type { Clock } from '../../../actors/clock.ts';
import { type FollowingRealm, followRealm, type Writer } from '../../../actors/realm/following.ts';
import { filesIn } from '../../../storage/files/open-file-store.ts';
import { openFollowerStore } from '../../../storage/follower-store.ts';
import type { Presence } from '../../../storage/objects/heard-objects.ts';
import { type Hosted, openHosts } from '../../admin/realms/hosts.ts';
import { standInFor } from '../../admin/unserved-realm.ts';
import type { ServerSettings } from '../../config.ts';
import type { LogEntry } from '../../domain/wire/events/log-entry.ts';
import type { Deployment } from '../../endpoints/dispatch/deployment.ts';
import { NO_REALM } from '../../endpoints/turns.ts';
import type { RealmRecord } from '../../metrics/recorders.ts';
import * as realms from '../../operations/access/realms.ts';

interface FollowedInput {
  /** The folder of all realms. */
  readonly folder: string;
  readonly settings: ServerSettings;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly record: RealmRecord;
  readonly writerOf: (realmId: number) => Writer;
  readonly onFilesChanged: (now: Presence) => void;
}

/** The realms that a gateway serves, as the writer tells it of them. */
export interface FollowedRealms extends Deployment {
  add(id: number, head: number): void;
  remove(id: number): Promise<void>;
  /** Realms have other names, or there are others that are not served. */
  named(unserved: readonly (readonly string[])[]): void;
  announce(id: number, entries: readonly LogEntry[]): void;
  realm(id: number): FollowingRealm | undefined;
  all(): readonly FollowingRealm[];
  stop(retryAfterMs: () => number): Promise<void>;
}

type Followed = Hosted & { readonly following: FollowingRealm | null };

/** A realm that is not served: it is closed, and says so. */
type StandIn = Followed & { readonly names: readonly string[] };

export function openFollowedRealms(input: FollowedInput): FollowedRealms {
  const { folder, settings, clock, startedAt } = input;
  const openFiles = filesIn(settings, input.onFilesChanged);
  const all = new Map<number, Followed>();
  let standIns: readonly StandIn[] = [];
  let names = new Map<string, Followed>();
  const hosts = openHosts<Followed>({
    settings,
    startedAt,
    named: (name) => names.get(name),
    all: () => [...all.values(), ...standIns],
    count: () => all.size + standIns.length,
    isUnserved: ({ following }) => following === null,
  });

  function readNames() {
    names = new Map();
    for (const realm of standIns) for (const name of realm.names) names.set(name, realm);
    for (const realm of all.values()) {
      realm.following?.refresh();
      for (const name of realms.namesOf(realm.current().reader)) names.set(name, realm);
    }
    hosts.forget();
  }

  return {
    at(host) {
      const { realm, site } = hosts.at(host);
      // Each request sees what was answered to any other before it, here or elsewhere.
      if (realm !== undefined) all.get(realm.id)?.following?.refresh();
      return { realm, site };
    },
    claimName() {
      throw new Error('names are given by the writer');
    },
    demoPeople: () => [],
    add(id, head) {
      const path = join(folder, String(id));
      const following = followRealm({
        id,
        store: openFollowerStore(path),
        files: openFiles(join(path, 'uploads'), id),
        clock,
        record: input.record,
        head,
        writer: input.writerOf(id),
      });
      all.set(id, { following, current: () => following.realm });
      readNames();
    },
    async remove(id) {
      const gone = all.get(id);
      all.delete(id);
      readNames();
      await gone?.following?.stop(() => 0);
    },
    named(unserved) {
      standIns = unserved.map((called) => {
        const { current } = standInFor({ id: NO_REALM, names: called });
        return { following: null, names: called, current };
      });
      readNames();
    },
    announce: (id, entries) => all.get(id)?.following?.announce(entries),
    realm: (id) => all.get(id)?.following ?? undefined,
    all: () => Array.from(all.values()).flatMap(({ following }) => following ?? []),
    async stop(retryAfterMs) {
      await Promise.all(Array.from(all.values(), ({ following }) => following?.stop(retryAfterMs)));
    },
  };
}
