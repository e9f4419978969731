import { z } from 'zod';
import { EVENT_NAME_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import { type EventReader, noticeOf } from '../events.ts';
import type { Integration } from '../integration.ts';
import { ALERT_EVENTS } from './alerts.ts';
import { CHECK_EVENTS } from './checks.ts';
import { DISCUSSION_EVENTS } from './discussions.ts';
import { ISSUE_EVENTS } from './issues.ts';
import { repository, repositoryLink } from './objects.ts';
import { ORGANIZATION_EVENTS } from './organization.ts';
import { REPOSITORY_EVENTS } from './repository.ts';
import { UPKEEP_EVENTS } from './upkeep.ts';

const READERS: ReadonlyMap<string, EventReader> = new Map(
  Object.entries({
    ...REPOSITORY_EVENTS,
    ...ISSUE_EVENTS,
    ...DISCUSSION_EVENTS,
    ...CHECK_EVENTS,
    ...UPKEEP_EVENTS,
    ...ORGANIZATION_EVENTS,
    ...ALERT_EVENTS,
  }),
);

/** GitHub: the header names the event, and most payloads name an action. */
export const github: Integration = {
  displayName: 'GitHub',
  hasBranches: true,
  isSigned: true,
  eventHeader: 'X-GitHub-Event',
  eventTypes: [...READERS.keys()].sort(),
  notice(payload, event) {
    const action = ACTION.safeParse(payload).data?.action;
    const named = action === undefined ? [] : [`${event} ${cutTo(action, EVENT_NAME_LENGTH_MAX)}`];
    const repository = REPOSITORY.safeParse(payload).data?.repository;
    return noticeOf(github, {
      names: [event, ...named],
      event: named[0] ?? event,
      reader: READERS.get(event),
      payload,
      where: repository && repositoryLink(repository),
    });
  },
};

const ACTION = z.object({ action: z.string() });
const REPOSITORY = z.object({ repository });
