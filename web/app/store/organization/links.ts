/** Patterns that become links, and places where code is tried out. */
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';
import { moved } from './ordering.ts';

export type Linkifier = NonNullable<Contents['facts']['realm_linkifiers']>[number];
export type Playground = NonNullable<Contents['facts']['realm_playgrounds']>[number];

export const linkifiers = (): readonly Linkifier[] =>
  app.read('linkifiers').facts.realm_linkifiers ?? [];

export interface NewLinkifier {
  readonly pattern: string;
  readonly template: string;
}

const paramsOf = ({ pattern, template }: NewLinkifier) => ({
  pattern: pattern.trim(),
  url_template: template.trim(),
});

export const addLinkifier = (wanted: NewLinkifier) =>
  app.chat.call('POST', '/realm/filters', paramsOf(wanted));

export const changeLinkifier = (id: number, wanted: NewLinkifier) =>
  app.chat.call('PATCH', '/realm/filters/{filter_id}', { filter_id: id, ...paramsOf(wanted) });

export const removeLinkifier = (id: number) =>
  app.chat.call('DELETE', '/realm/filters/{filter_id}', { filter_id: id });

/** The first pattern that fits makes the link: their order counts. */
export async function moveLinkifier(id: number, by: -1 | 1): Promise<void> {
  const order = moved(
    linkifiers().map((one) => one.id),
    id,
    by,
  );
  if (order !== null) {
    await app.chat.call('PATCH', '/realm/linkifiers', { ordered_linkifier_ids: order });
  }
}

export const playgrounds = (): readonly Playground[] =>
  app.read('playgrounds').facts.realm_playgrounds ?? [];

export interface NewPlayground {
  readonly name: string;
  readonly language: string;
  readonly template: string;
}

export const addPlayground = ({ name, language, template }: NewPlayground) =>
  app.chat.call('POST', '/realm/playgrounds', {
    name: name.trim(),
    pygments_language: language.trim(),
    url_template: template.trim(),
  });

export const removePlayground = (id: number) =>
  app.chat.call('DELETE', '/realm/playgrounds/{playground_id}', { playground_id: id });
