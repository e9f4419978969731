import { html, joined, type Markup, NOTHING } from '../markup.ts';
import { addressOf } from './assets.ts';
import type { Group } from './catalogue.ts';

interface Layout {
  readonly title: string;
  /** The path of the page. */
  readonly path: string;
  readonly navigation: Markup;
  /** The content of `<main>`. */
  readonly main: Markup;
}

/** Puts a page of the API into its frame. Nothing is inline, so that the policy can be strict. */
export const layout = ({ title, path, navigation, main }: Layout): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${addressOf('frame.css')}">
<link rel="stylesheet" href="${addressOf('content.css')}">
<link rel="stylesheet" href="${addressOf('controls.css')}">
<script type="module" src="${addressOf('page.js')}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/api">confab <span>API</span></a>
<nav aria-label="Parts">
${joined(PARTS.map(([address, name]) => html`<a href="${address}"${current(address, path)}>${name}</a>\n`))}</nav>
</header>
${navigation}
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`;

const PARTS: readonly (readonly [address: string, name: string])[] = [
  ['/api', 'Operations'],
  ['/api/events', 'Events'],
  ['/api/objects', 'Objects'],
  ['/api/errors', 'Errors'],
  ['/api/v1/openapi.json', 'OpenAPI'],
];

const current = (address: string, path: string) =>
  address === path ? html` aria-current="page"` : NOTHING;

/** Renders the list of all operations that is beside each page, with the group of one open. */
export const navigation = (
  groups: readonly Group[],
): Markup => html`<nav class="side" aria-label="Operations">
${filterBox('side-list')}
<div id="side-list">
${joined(groups.map(navigationGroup))}</div>
</nav>`;

const navigationGroup = ({ name, anchor, entries }: Group) => html`<details data-group="${anchor}">
<summary>${name} <small>${String(entries.length)}</small></summary>
<ul>
${joined(
  entries.map(
    ({ id, method, path, operation }) =>
      html`<li data-words="${path}"><a href="/api/${id}"><span>${operation.summary}</span>${badge(method)}</a></li>\n`,
  ),
)}</ul>
</details>
`;

/** Renders the method of a request. */
export const badge = (method: string): Markup =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

/** Renders a field that narrows the list of this id; without a script it is not shown. */
export const filterBox = (listId: string): Markup => html`<div class="filter" hidden>
<label for="${listId}-filter">Filter operations</label>
<input id="${listId}-filter" type="search" autocomplete="off" spellcheck="false" placeholder="message, GET, /users …" data-filters="${listId}" aria-controls="${listId}">
<p class="count" role="status"></p>
</div>`;
