import { table } from '../table.ts';

/** Users that are still to be looked for, because of a message that came, or of messages that are gone. */
export type PushWorkRow =
  | {
      readonly type: 'message';
      readonly messageId: number;
      /** In order: a mention by name says more than one of a group. */
      readonly mentionedUserIds: readonly number[];
      readonly mentionedGroupIds: readonly number[];
      /** Only these, of an edit; null: all whom the message is for. */
      readonly userIds: readonly number[] | null;
      /** Where the next step begins. */
      readonly fromUserId: number;
    }
  | {
      readonly type: 'gone';
      readonly messageId: number;
      /** Gone for those alone who may not read it. */
      readonly isOutOfSight: boolean;
      readonly fromUserId: number;
    };

/** Earliest first (UNIX milliseconds), and in the order of the changes. */
export const pushWork = table<[dueAt: number, workId: number], { readonly work: PushWorkRow }>(
  'push_work',
  ['work'],
);
