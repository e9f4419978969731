import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { PageCard } from '../../markdown/directory.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import type { Site } from '../access/caller.ts';
import * as heldContents from '../indexes/held-contents.ts';
import * as pageVisits from '../posting/page-visits.ts';
import { messageDirectory } from '../rendering/mention-directory.ts';
import * as searchIndex from '../search/index.ts';
import * as updateEvents from './update-events.ts';

/** Shows the pages that were worth it, unless the message is gone or says something else. Nobody has edited it. */
export function show(
  tx: RealmTransaction,
  site: Site,
  { visit, cards }: { visit: pageVisits.Visit; cards: ReadonlyMap<string, PageCard> },
) {
  const row = tx.messages.get([visit.messageId]);
  if (row === undefined || !pageVisits.isFor(visit, row)) return;
  const author = tx.users.get([row.senderId]);
  if (author === undefined) return;
  const asSent = { ...site, url: visit.realmUrl };
  const { html } = renderMarkdown(row.content, messageDirectory(tx, author, asSent, cards));
  if (html === row.renderedContent) return;
  const rendered = { ...row, renderedContent: html };
  heldContents.noteChange(tx, row, rendered);
  searchIndex.noteChange(tx, row, rendered);
  tx.messages.put([row.id], rendered);
  updateEvents.announceRendering(tx, rendered);
}
