import { z } from 'zod';
import { EVENT_NAME_LENGTH_MAX } from '../limits.ts';
import { type EventReader, noticeOf } from './events.ts';
import { CHECK_EVENTS } from './github-checks.ts';
import { ISSUE_EVENTS } from './github-issues.ts';
import { REPOSITORY_EVENTS } from './github-repository.ts';
import type { Integration } from './integration.ts';

const READERS: ReadonlyMap<string, EventReader> = new Map(
  Object.entries({ ...REPOSITORY_EVENTS, ...ISSUE_EVENTS, ...CHECK_EVENTS }),
);

/** GitHub: the header names the event, the payload often an action. */
export const github: Integration = {
  displayName: 'GitHub',
  eventHeader: 'X-GitHub-Event',
  eventTypes: [...READERS.keys()].sort(),
  notice(payload, event) {
    const action = ACTION.safeParse(payload).data?.action;
    const named =
      action === undefined ? [] : [`${event} ${action.slice(0, EVENT_NAME_LENGTH_MAX)}`];
    return noticeOf(github, { names: [event, ...named], reader: READERS.get(event), payload });
  },
};

const ACTION = z.object({ action: z.string() });
