import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { PagePreview } from '../../markdown/directory.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import type { Site } from '../access/caller.ts';
import * as contentIndex from '../indexes/content-index.ts';
import * as linkUnfurls from '../posting/link-unfurls.ts';
import { messageDirectory } from '../rendering/mention-directory.ts';
import * as searchIndex from '../search/index.ts';
import * as updateEvents from './update-events.ts';

/**
 * Renders a message again with previews of the pages that it links, unless it is gone or was edited
 * meanwhile. Clients get this as an update of the rendering only, not as an edit.
 */
export function show(
  tx: RealmTransaction,
  site: Site,
  { unfurl, previews }: { unfurl: linkUnfurls.Unfurl; previews: ReadonlyMap<string, PagePreview> },
) {
  const row = tx.messages.get([unfurl.messageId]);
  if (row === undefined || !linkUnfurls.isFor(unfurl, row)) return;
  const author = tx.users.get([row.senderId]);
  if (author === undefined) return;
  const asSent = { ...site, url: unfurl.realmUrl };
  const { html } = renderMarkdown(row.content, messageDirectory(tx, author, asSent, previews));
  if (html === row.renderedContent) return;
  const rendered = { ...row, renderedContent: html };
  contentIndex.noteChange(tx, row, rendered);
  searchIndex.noteChange(tx, row, rendered);
  tx.messages.put([row.id], rendered);
  updateEvents.announceRendering(tx, rendered);
}
