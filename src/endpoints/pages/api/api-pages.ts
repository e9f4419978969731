import { API_PAGES_LENGTH_MAX } from '../../../domain/limits/requests.ts';
import { recentlyUsed } from '../../../domain/recently-used.ts';
import { escapeHtml } from '../../../domain/rules/texts/html.ts';
import type { OpenApiDocument } from '../../documents/openapi-shapes.ts';
import type { JsonDocument } from '../../endpoint.ts';
import { ENDPOINTS } from '../../index.ts';
import { html, Markup } from '../markup.ts';
import type { Page, PageReply } from '../page.ts';
import { type Entry, type Group, groupsOf } from './catalogue.ts';
import { indexPage } from './index-page.ts';
import { layout, navigation } from './layout.ts';
import { errorsPage, eventsPage, objectsPage } from './list-pages.ts';
import { operationPage } from './operation-page.ts';
import { EXAMPLE_ORIGIN } from './snippets.ts';

/** The page of all operations. */
export const allOperationsPage: Page = {
  path: '/api/',
  show: ({ site }) => Promise.resolve(reply('', site.url)),
};

/** The page of one operation, by its id in the document, and the lists beside them. */
export const apiPage: Page = {
  path: '/api/{name}',
  // Programs ask there.
  isFor: ({ name }) => name !== 'v1',
  show: ({ values, site }) => Promise.resolve(reply(values['name'] ?? '', site.url)),
};

/** The rendered pages, which are the same for all organizations but for the address of each. */
const rendered = recentlyUsed<string, Markup>(API_PAGES_LENGTH_MAX, ({ text }) => text.length);

function reply(name: string, origin: string): PageReply {
  const page = rendered.get(name) ?? render(name);
  if (page === undefined) return { status: 404, document: notFound() };
  rendered.set(name, page);
  return {
    status: 200,
    document: new Markup(page.text.replaceAll(EXAMPLE_ORIGIN, escapeHtml(origin))),
  };
}

function render(name: string): Markup | undefined {
  const { schemas } = contents().document.components;
  if (name === '') return list('/api', 'API', indexPage(contents().groups));
  if (name === 'events') return list('/api/events', 'Events', eventsPage(schemas));
  if (name === 'objects') return list('/api/objects', 'Objects', objectsPage(schemas));
  if (name === 'errors') return list('/api/errors', 'Errors', errorsPage(schemas));
  const found = contents().byId.get(name);
  return found === undefined ? undefined : operation(found);
}

interface Found {
  readonly entry: Entry;
  readonly group: Group;
}

interface Contents {
  readonly document: OpenApiDocument;
  readonly groups: readonly Group[];
  readonly byId: ReadonlyMap<string, Found>;
  readonly navigation: Markup;
}

let made: Contents | undefined;

/** Reads the document at the first visit: most servers run for long before anybody asks. */
function contents(): Contents {
  made ??= contentsOf(documentServed().value as OpenApiDocument);
  return made;
}

/** Returns what `GET /openapi.json` answers, so that the pages and the document never differ. */
function documentServed(): JsonDocument {
  for (const endpoint of ENDPOINTS) if ('document' in endpoint) return endpoint.document();
  throw new Error('no endpoint has the document of all endpoints');
}

function contentsOf(document: OpenApiDocument): Contents {
  const groups = groupsOf(document);
  const byId = new Map(
    groups.flatMap((group) => group.entries.map((entry) => [entry.id, { entry, group }] as const)),
  );
  return { document, groups, byId, navigation: navigation(groups) };
}

function operation({ entry, group }: Found): Markup {
  const { id, operation } = entry;
  const path = `/api/${id}`;
  const beside = contents()
    .navigation.text.replace(`<details data-group="${group.anchor}"`, (start) => `${start} open`)
    .replace(`href="${path}"`, (link) => `${link} aria-current="page"`);
  return layout({
    title: `${operation.summary} – confab`,
    path,
    navigation: new Markup(beside),
    main: operationPage(entry, html`<a href="/api#${group.anchor}">${group.name}</a>`),
  });
}

const list = (path: string, title: string, main: Markup): Markup =>
  layout({ title: `${title} – confab`, path, navigation: contents().navigation, main });

const notFound = (): Markup =>
  list(
    '',
    'No such operation',
    html`<h1>No such operation</h1>
<p>There is no operation of this name. <a href="/api">All operations</a> are on one page.</p>`,
  );
