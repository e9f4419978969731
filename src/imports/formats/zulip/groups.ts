import { SERVER_SUPPORTED_PERMISSION_SETTINGS } from '../../../domain/wire/settings/permission-settings.ts';
import type {
  ImportedPermission,
  ImportedPermissions,
} from '../../../operations/importing/permissions.ts';
import { type HistoryRow, skipped } from '../../history.ts';
import { groupBound, memberBound } from '../shared/bounds.ts';
import { type Fields, idOf, textOf } from '../shared/fields.ts';

export interface Group {
  readonly name: string;
  readonly description: string;
  /** True for groups that are made of roles, which are there in every organization. */
  readonly isSystem: boolean;
  readonly permissions: PermittedGroups;
}

/** The ids of groups that have permissions, in the order of their names, as one short text. */
export type PermittedGroups = string;

const namesOf = (table: object) => Object.keys(table) as readonly string[];
const GROUP_PERMISSIONS = namesOf(SERVER_SUPPORTED_PERMISSION_SETTINGS.group);
const CHANNEL_PERMISSIONS = namesOf(SERVER_SUPPORTED_PERMISSION_SETTINGS.stream);

const permittedIn = (row: Fields, names: readonly string[]): PermittedGroups =>
  names.map((name) => idOf(row[name])).join(',');

/** Older versions have a number for who may send to a channel, and before that a mark. */
const POST_POLICIES: Readonly<Record<number, string>> = {
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
};

export function permittedInChannel(row: Fields): PermittedGroups {
  const policy = row['is_announcement_only'] === true ? 2 : Number(row['stream_post_policy']);
  const send = row[SEND] ?? POST_POLICIES[policy];
  return permittedIn({ ...row, [SEND]: send }, CHANNEL_PERMISSIONS);
}

const SEND = 'can_send_message_group';

/** The groups of an export, with the people and groups in them. */
export class Groups {
  readonly named = new Map<string, Group>();
  /** Groups that have no name: a permission of certain people and groups is one. */
  private readonly unnamed = new Set<string>();
  private readonly members = new Map<string, string[]>();
  private readonly within = new Map<string, string[]>();
  private readonly groupBound = groupBound();
  private readonly memberBound = memberBound();

  /** Newer versions have two tables; the one without names comes first. */
  take(row: Fields): string | null {
    const id = idOf(row['usergroup_ptr']) || idOf(row['id']);
    const name = textOf(row['name']);
    this.groupBound.add();
    if (name === '') {
      this.unnamed.add(id);
      return null;
    }
    const isSystem = row['is_system_group'] === true;
    if (row['deactivated'] === true) return 'It was deactivated.';
    const permissions = permittedIn(row, GROUP_PERMISSIONS);
    this.named.set(id, { name, description: textOf(row['description']), isSystem, permissions });
    return null;
  }

  takeMember(row: Fields): void {
    this.memberBound.add();
    push(this.members, idOf(row['user_group']), idOf(row['user_profile']));
  }

  takeSubgroup(row: Fields): void {
    this.memberBound.add();
    push(this.within, idOf(row['supergroup']), idOf(row['subgroup']));
  }

  ofChannel(permitted: PermittedGroups, isUser: (id: string) => boolean): ImportedPermissions {
    return this.permissionsOf(permitted, { names: CHANNEL_PERMISSIONS, isUser });
  }

  private permissionsOf(
    permitted: PermittedGroups,
    { names, isUser }: { names: readonly string[]; isUser: (id: string) => boolean },
  ): ImportedPermissions {
    const groups = permitted.split(',');
    return Object.fromEntries(
      names.flatMap((name, index) => {
        const permission = this.permissionOf(groups[index] ?? '', isUser);
        return permission === undefined ? [] : [[name, permission]];
      }),
    );
  }

  private permissionOf(
    id: string,
    isUser: (id: string) => boolean,
  ): ImportedPermission | undefined {
    if (id === '') return undefined;
    if (id.startsWith('role:')) return { users: [], groups: [id] };
    const reference = (one: string): string => {
      const group = this.named.get(one);
      return group?.isSystem === true ? group.name : one;
    };
    if (this.named.has(id)) return { users: [], groups: [reference(id)] };
    if (!this.unnamed.has(id)) return undefined;
    const users = (this.members.get(id) ?? []).filter(isUser);
    const groups = (this.within.get(id) ?? []).filter((one) => this.named.has(one));
    return { users, groups: groups.map(reference) };
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
      const permissions = this.permissionsOf(group.permissions, {
        names: GROUP_PERMISSIONS,
        isUser,
      });
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
      yield { kind: 'group', id, name, description, members, subgroups: known, permissions };
    }
  }
}

export function push(lists: Map<string, string[]>, key: string, id: string) {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
}
