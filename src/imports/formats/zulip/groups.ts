import { type HistoryRow, skipped } from '../../history.ts';
import { type Fields, idOf, textOf } from '../shared/fields.ts';

export interface Group {
  readonly name: string;
  readonly description: string;
  /** True for groups that are made of roles, which are there in every organization. */
  readonly isSystem: boolean;
}

/** The groups of an export, with the people and groups in them. */
export class Groups {
  readonly named = new Map<string, Group>();
  private readonly members = new Map<string, string[]>();
  private readonly within = new Map<string, string[]>();

  /** Newer versions have two tables; the one without names comes first. */
  take(row: Fields): string | null {
    const id = idOf(row['usergroup_ptr']) || idOf(row['id']);
    const name = textOf(row['name']);
    // Permissions are rows of groups that have no name.
    if (name === '') return null;
    const isSystem = row['is_system_group'] === true;
    if (row['deactivated'] === true) return 'It was deactivated.';
    this.named.set(id, { name, description: textOf(row['description']), isSystem });
    return null;
  }

  takeMember(row: Fields): void {
    push(this.members, idOf(row['user_group']), idOf(row['user_profile']));
  }

  takeSubgroup(row: Fields): void {
    push(this.within, idOf(row['supergroup']), idOf(row['subgroup']));
  }

  /** Yields groups that people have made, each after those within it. */
  *rows(isUser: (id: string) => boolean, file: string): Generator<HistoryRow> {
    const done = new Set<string>();
    for (const [id, { isSystem }] of this.named) {
      if (!isSystem) yield* this.rowsOf(id, { isUser, file, done });
    }
  }

  private *rowsOf(
    first: string,
    { isUser, file, done }: { isUser: (id: string) => boolean; file: string; done: Set<string> },
  ): Generator<HistoryRow> {
    // A stack, because groups may lie within each other as deep as an archive likes.
    const stack = [{ id: first, isReady: false }];
    const open = new Set<string>();
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { id, isReady } = next;
      const group = this.named.get(id);
      if (group === undefined || group.isSystem || done.has(id)) continue;
      const within = (this.within.get(id) ?? []).filter((one) => this.named.has(one));
      if (!isReady) {
        if (open.has(id)) continue;
        open.add(id);
        stack.push({ id, isReady: true }, ...within.map((one) => ({ id: one, isReady: false })));
        continue;
      }
      done.add(id);
      const { name, description } = group;
      const [known, inCircle] = [[] as string[], [] as string[]];
      for (const one of within) {
        const held = this.named.get(one);
        if (held?.isSystem === true) known.push(held.name);
        else (done.has(one) && one !== id ? known : inCircle).push(one);
      }
      for (const row of inCircle) {
        yield skipped('group within a group', { file, row }, 'It contains the other one as well.');
      }
      const members = (this.members.get(id) ?? []).filter(isUser);
      yield { kind: 'group', id, name, description, members, subgroups: known };
    }
  }
}

export function push(lists: Map<string, string[]>, key: string, id: string) {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
}
