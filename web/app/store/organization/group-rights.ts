/** The rights over a group of people: who may join it, mention it, and change it. */
import type { ParamsOf } from '@confab/client';
import type { Contents } from '@confab/client/store';
import type { Holders } from '../account/rights.ts';
import { app } from '../app.ts';
import { type GroupOption, optionsUnder } from '../channels/permissions.ts';

export type GroupRight = Extract<
  keyof NonNullable<ParamsOf<'PATCH', '/user_groups/{user_group_id}'>>,
  `can_${string}`
>;

export interface GroupRightWords {
  readonly name: GroupRight;
  readonly label: string;
  /** A rule that holds beside the setting. */
  readonly hint?: string;
}

const OF_MANAGERS = 'Those who may change the group may as well.';

/** The settings in the order in which they are shown. */
export const GROUP_RIGHTS: readonly {
  readonly title: string;
  readonly settings: readonly GroupRightWords[];
}[] = [
  {
    title: 'The group',
    settings: [
      { name: 'can_mention_group', label: 'Who may mention it' },
      {
        name: 'can_manage_group',
        label: 'Who may change the group',
        hint: 'Those who may change all user groups may as well.',
      },
    ],
  },
  {
    title: 'People in it',
    settings: [
      { name: 'can_join_group', label: 'Who may join by themselves', hint: OF_MANAGERS },
      { name: 'can_leave_group', label: 'Who may leave by themselves', hint: OF_MANAGERS },
      { name: 'can_add_members_group', label: 'Who may add people', hint: OF_MANAGERS },
      { name: 'can_remove_members_group', label: 'Who may remove people', hint: OF_MANAGERS },
    ],
  },
];

/** Returns the groups that a right may be given to. */
export const optionsOfRight = (state: Contents, name: GroupRight): readonly GroupOption[] =>
  optionsUnder(state, state.facts.server_supported_permission_settings?.group[name]);

export interface RightChange {
  readonly name: GroupRight;
  readonly before: Holders | undefined;
  readonly after: Holders;
}

/** Gives a right over a group; another change since is a refusal. */
export const setGroupRight = (groupId: number, { name, before, after }: RightChange) =>
  app.chat.call('PATCH', '/user_groups/{user_group_id}', {
    user_group_id: groupId,
    [name]: { new: after, ...(before === undefined ? {} : { old: before }) },
  });
