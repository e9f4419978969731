import type { RealmTransaction } from '../../../storage/transaction.ts';
import { PLAYGROUNDS_PER_REALM_MAX } from '../../domain/limits/organizations.ts';
import { unprintableIn } from '../../domain/rules/messages/topic.ts';
import { urlTemplate } from '../../domain/rules/texts/url-templates.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { PlaygroundObject } from '../../domain/wire/realm-objects.ts';
import type { Reads } from '../access/groups.ts';

/** Returns the code playgrounds: clients link them from a block of code. */
export const list = (reads: Reads): PlaygroundObject[] =>
  Array.from(reads.realmPlaygrounds.range({}), ([[id], { name, language, urlTemplate }]) => ({
    id,
    name,
    pygments_language: language,
    url_template: urlTemplate,
  }));

export function add(tx: RealmTransaction, given: Omit<PlaygroundObject, 'id'>): { id: number } {
  const name = given.name.trim();
  const language = given.pygments_language.trim();
  if (unprintableIn(name)) throw errors.badRequest('Invalid character in name.');
  if (!LANGUAGE.test(language)) {
    throw errors.badRequest('Invalid characters in pygments language');
  }
  refuseTemplate(given.url_template);
  const all = list(tx);
  if (all.some((other) => other.name === name && other.pygments_language === language)) {
    throw errors.badRequest(`There is a playground '${name}' of this language already.`);
  }
  if (all.length >= PLAYGROUNDS_PER_REALM_MAX) {
    throw errors.badRequest(
      `An organization has at most ${PLAYGROUNDS_PER_REALM_MAX} playgrounds.`,
    );
  }
  const id = tx.nextId('playground');
  tx.realmPlaygrounds.put([id], { name, language, urlTemplate: given.url_template });
  announce(tx);
  return { id };
}

export function remove(tx: RealmTransaction, id: number) {
  if (!tx.realmPlaygrounds.has([id])) throw errors.badRequest('Invalid playground');
  tx.realmPlaygrounds.remove([id]);
  announce(tx);
}

function announce(tx: RealmTransaction) {
  const event = { type: 'realm_playgrounds', realm_playgrounds: list(tx) } as const;
  tx.emit({ event, audience: { everyone: true } });
}

/** Matches names of languages as lexers have them. */
const LANGUAGE = /^[a-zA-Z0-9][ a-zA-Z0-9_+./#-]*$/;

function refuseTemplate(text: string) {
  const template = urlTemplate(text);
  // A client opens the resulting URL: it may only lead to a web page, and run nothing.
  if (template === null || !/^https?:\/\//i.test(text)) {
    throw errors.badRequest('Invalid URL template.');
  }
  if (!template.names.includes('code')) {
    throw errors.badRequest('Missing the required variable "code" in the URL template');
  }
  if (template.names.length > 1) {
    throw errors.badRequest('"code" should be the only variable present in the URL template');
  }
}
