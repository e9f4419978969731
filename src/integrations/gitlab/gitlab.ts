import { z } from 'zod';
import { EVENT_NAME_LENGTH_MAX } from '../../domain/limits/bots.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import { type EventReader, noticeOf } from '../events.ts';
import type { Integration } from '../integration.ts';
import { read, someText } from '../payload.ts';
import { GITLAB_CODE_EVENTS } from './code.ts';
import { GITLAB_ISSUE_EVENTS } from './issues.ts';
import { project, projectLink } from './objects.ts';
import { GITLAB_SYSTEM_EVENTS } from './system.ts';

const READERS: ReadonlyMap<string, EventReader> = new Map(
  Object.entries({ ...GITLAB_CODE_EVENTS, ...GITLAB_ISSUE_EVENTS, ...GITLAB_SYSTEM_EVENTS }),
);

/**
 * GitLab: the payload names the event; the header has only the name of the hook in GitLab's
 * settings.
 */
export const gitlab: Integration = {
  displayName: 'GitLab',
  hasBranches: true,
  isSigned: true,
  eventTypes: [...READERS.keys()].sort(),
  notice(payload) {
    const { object_kind, event_name, object_attributes, event_type, ...root } = read(
      KIND,
      payload,
      'GitLab',
    );
    const kind = cutTo(object_kind ?? event_name ?? '', EVENT_NAME_LENGTH_MAX);
    const { action, noteable_type } = object_attributes ?? {};
    const details = [action ?? root.action, noteable_type]
      .filter((detail) => typeof detail === 'string')
      .map((detail) => cutTo(detail, EVENT_NAME_LENGTH_MAX));
    const isConfidential =
      event_type?.startsWith('confidential_') === true || object_attributes?.confidential === true;
    const names = [...hookNames(kind, isConfidential), kind].flatMap((name) => [
      ...details.map((detail) => `${name} ${detail}`),
      name,
    ]);
    const project = PROJECT.safeParse(payload).data?.project;
    return noticeOf(gitlab, {
      names: names.reverse(),
      event: details[0] === undefined ? kind : `${kind} ${details[0]}`,
      reader: READERS.get(kind),
      payload,
      where: project && projectLink(project),
    });
  },
};

/** Events of a group or of a whole server have no `object_kind`. */
const KIND = z
  .object({
    object_kind: someText,
    event_name: someText,
    event_type: someText.catch(null),
    action: someText.catch(null),
    object_attributes: z
      .object({
        action: someText.catch(null),
        noteable_type: someText.catch(null),
        confidential: z.unknown().optional(),
      })
      .nullish()
      .catch(null),
  })
  .refine((payload) => payload.object_kind ?? payload.event_name, { path: ['object_kind'] });

const PROJECT = z.object({ project });

const HOOKS: Readonly<Record<string, string>> = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  work_item: 'Issue Hook',
  note: 'Note Hook',
  merge_request: 'Merge Request Hook',
  wiki_page: 'Wiki Page Hook',
  build: 'Job Hook',
  pipeline: 'Pipeline Hook',
  deployment: 'Deployment Hook',
  release: 'Release Hook',
  feature_flag: 'Feature Flag Hook',
  emoji: 'Emoji Hook',
  milestone: 'Milestone Hook',
  access_token: 'Resource Access Token Hook',
  vulnerability: 'Vulnerability Hook',
};

/**
 * Returns the older names of an event, `Issue Hook` or `Confidential Issue Hook`, which filters may
 * still use.
 */
function hookNames(kind: string, isConfidential: boolean): string[] {
  const hook = Object.hasOwn(HOOKS, kind) ? HOOKS[kind] : undefined;
  if (hook === undefined) return [];
  return [isConfidential ? `Confidential ${hook}` : hook];
}
