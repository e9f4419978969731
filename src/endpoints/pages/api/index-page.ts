import { GENERAL } from '../../documents/general.ts';
import { html, joined, type Markup } from '../markup.ts';
import type { Group } from './catalogue.ts';
import { paragraphs } from './inline.ts';
import { badge, filterBox } from './layout.ts';

/** Renders the page that lists all operations, after the rules for all of them. */
export const indexPage = (groups: readonly Group[]): Markup => html`<div class="index">
<h1>API</h1>
<p class="lead">Everything that this server does for its clients, with an example of each request that a test has sent. Choose an operation to
read what it takes and answers, and to try it with a key of your own.</p>
<section aria-labelledby="rules">
<h2 id="rules">Rules for all operations</h2>
${paragraphs(GENERAL)}
</section>
<section aria-labelledby="operations">
<h2 id="operations">Operations</h2>
${filterBox('all-operations')}
<div id="all-operations">
${joined(groups.map(section))}</div>
</section>
</div>`;

const section = ({
  name,
  anchor,
  entries,
}: Group): Markup => html`<section class="group" id="${anchor}" data-group="${anchor}" aria-labelledby="${anchor}-name">
<h3 id="${anchor}-name">${name}</h3>
<ul class="operations">
${joined(
  entries.map(
    ({ id, method, path, operation }) =>
      html`<li data-words="${path}"><a href="/api/${id}">${operation.summary}</a> <span class="route">${badge(method)} <code>${path}</code></span></li>\n`,
  ),
)}</ul>
</section>
`;
