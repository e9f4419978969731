import { z } from 'zod';
import { EVENT_NAME_LENGTH_MAX } from '../limits.ts';
import { type EventReader, noticeOf } from './events.ts';
import { GITLAB_EVENTS } from './gitlab-events.ts';
import type { Integration } from './integration.ts';
import { read, someText } from './payload.ts';

const READERS: ReadonlyMap<string, EventReader> = new Map(Object.entries(GITLAB_EVENTS));

/** GitLab: the payload names the event; the header that names it too is the name of a hook in its settings. */
export const gitlab: Integration = {
  displayName: 'GitLab',
  eventTypes: [...READERS.keys()].sort(),
  notice(payload) {
    const { object_kind, object_attributes, event_type } = read(KIND, payload, 'GitLab');
    const kind = object_kind.slice(0, EVENT_NAME_LENGTH_MAX);
    const { action, noteable_type } = object_attributes ?? {};
    const details = [action, noteable_type]
      .filter((detail) => typeof detail === 'string')
      .map((detail) => detail.slice(0, EVENT_NAME_LENGTH_MAX));
    const isConfidential = event_type?.startsWith('confidential_') === true;
    const names = [...hookNames(kind, isConfidential), kind].flatMap((name) => [
      ...details.map((detail) => `${name} ${detail}`),
      name,
    ]);
    return noticeOf(gitlab, { names: names.reverse(), reader: READERS.get(kind), payload });
  },
};

const KIND = z.object({
  object_kind: z.string(),
  event_type: someText.catch(null),
  object_attributes: z.object({ action: someText, noteable_type: someText }).nullish(),
});

const HOOKS: Readonly<Record<string, string>> = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  note: 'Note Hook',
  merge_request: 'Merge Request Hook',
  wiki_page: 'Wiki Page Hook',
  build: 'Job Hook',
  pipeline: 'Pipeline Hook',
  deployment: 'Deployment Hook',
  release: 'Release Hook',
  feature_flag: 'Feature Flag Hook',
};

/** `Issue Hook`, `Confidential Issue Hook`: as filters of this interface have always called them. */
function hookNames(kind: string, isConfidential: boolean): string[] {
  const hook = Object.hasOwn(HOOKS, kind) ? HOOKS[kind] : undefined;
  if (hook === undefined) return [];
  return [isConfidential ? `Confidential ${hook}` : hook];
}
