import type { Readers } from '../../../../storage/databases.ts';
import type { Key } from '../../../../storage/key.ts';
import type { SubscriptionRow } from '../../../../storage/tables/channels/subscriptions.ts';
import type { UserRow } from '../../../../storage/tables/people/users.ts';
import type { MaterializedView, ViewKind } from '../../../../storage/views.ts';
import { ascending } from '../../../domain/ascending.ts';
import { madeIn } from '../../../domain/once-per-key.ts';
import { SYSTEM_USER_ID_MIN } from '../../../domain/rules/people/system-bots.ts';

/**
 * A materialized view of the accounts of the realm and the subscribers of its channels, with their
 * JSON in snapshots: each registration needs all of them, and of 10,000 accounts hardly any has
 * changed since the last one.
 */
export const peopleView: ViewKind<'users' | 'subscriptions' | 'profileValues', PeopleView> = {
  tables: ['users', 'subscriptions', 'profileValues'],
  open: (tables) => new PeopleView(tables),
};

type PeopleReaders = Pick<Readers, 'users' | 'subscriptions'>;

interface Subscribers {
  readonly ids: Set<number>;
  /** JSON of the subscribers with an active account; null if it has to be built again. */
  text: string | null;
}

/** A class because it is the rare thing with a state of its own. */
export class PeopleView implements MaterializedView {
  private readonly tables: PeopleReaders;
  private readonly rows = new Map<number, UserRow>();
  private inOrder: readonly UserRow[] | null = null;
  private readonly texts = new Map<string, Map<number, string>>();
  private textsHost = '';
  private readonly channels = new Map<number, Subscribers>();

  constructor(tables: PeopleReaders) {
    this.tables = tables;
    for (const [[id], row] of tables.users.range({ end: [SYSTEM_USER_ID_MIN] })) {
      this.rows.set(id, row);
    }
  }

  /** Returns all accounts, ascending by id. */
  accounts(): readonly UserRow[] {
    this.inOrder ??= [...this.rows.values()].sort((one, other) => one.id - other.id);
    return this.inOrder;
  }

  account(id: number): UserRow | undefined {
    return this.rows.get(id);
  }

  /**
   * Returns the JSON of an account in a form, built at its first use. Only the forms of one host
   * are cached.
   */
  text(row: UserRow, { host, form }: { host: string; form: string }, make: () => string): string {
    if (host !== this.textsHost) this.texts.clear();
    this.textsHost = host;
    const texts = madeIn(this.texts, form, () => new Map<number, string>());
    return madeIn(texts, row.id, make);
  }

  /**
   * Returns the JSON of the ids of a channel's active subscribers with an active account,
   * ascending.
   */
  subscribers(channelId: number): string {
    let known = this.channels.get(channelId);
    if (known === undefined) {
      known = { ids: this.activeIn(channelId), text: null };
      this.channels.set(channelId, known);
    }
    if (known.text === null) {
      const ids = [...known.ids].filter((id) => this.rows.get(id)?.isActive === true);
      known.text = `[${ids.sort(ascending).join(',')}]`;
    }
    return known.text;
  }

  changed(table: string, key: Key, row: object | undefined) {
    // The rows are of these tables, as the kind of view declares.
    if (table === 'users') this.userChanged(Number(key[0]), row as UserRow | undefined);
    else if (table === 'profileValues') this.forgetTexts(Number(key[0]));
    else {
      const [channelId, userId] = key as [number, number];
      this.subscriptionChanged({ channelId, userId }, row as SubscriptionRow | undefined);
    }
  }

  private userChanged(id: number, row: UserRow | undefined) {
    if (id >= SYSTEM_USER_ID_MIN) return;
    const before = this.rows.get(id);
    if (row === undefined) this.rows.delete(id);
    else this.rows.set(id, row);
    this.inOrder = null;
    this.forgetTexts(id);
    if (before?.isActive === row?.isActive) return;
    for (const channel of this.channels.values()) if (channel.ids.has(id)) channel.text = null;
  }

  private forgetTexts(userId: number) {
    for (const texts of this.texts.values()) texts.delete(userId);
  }

  private subscriptionChanged(
    { channelId, userId }: { channelId: number; userId: number },
    row: SubscriptionRow | undefined,
  ) {
    const channel = this.channels.get(channelId);
    const isActive = row?.isActive === true;
    // Most writes store how far a user has read.
    if (channel === undefined || channel.ids.has(userId) === isActive) return;
    if (isActive) channel.ids.add(userId);
    else channel.ids.delete(userId);
    channel.text = null;
  }

  private activeIn(channelId: number): Set<number> {
    const ids = new Set<number>();
    for (const [[, userId], { isActive }] of this.tables.subscriptions.under([channelId])) {
      if (isActive) ids.add(userId);
    }
    return ids;
  }
}
