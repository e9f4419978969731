import { ERROR_FIELDS, statusesOf } from '../../../domain/wire/error-fields.ts';
import type { ErrorCode } from '../../../domain/wire/errors.ts';
import { EVENT_KINDS } from '../../../events/events.ts';
import type { JsonSchema } from '../../documents/json-schemas.ts';
import { eventName } from '../../documents/openapi.ts';
import { anchorOf, nameOf, typeText } from '../../documents/schema-text.ts';
import { OF_ANY, OF_THOSE_WHO_LOG_IN } from '../../refusals.ts';
import { html, joined, type Markup, NOTHING } from '../markup.ts';
import { fieldList, fieldsOf } from './fields.ts';
import { inline, json } from './inline.ts';
import { codeBlock } from './operation-page.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Renders all events with their fields. */
export const eventsPage = (schemas: Schemas): Markup => html`<h1 id="event">Events</h1>
<p class="lead">An event has the fields of its type and operation, and no others. <a href="/api/postRegister">A queue</a> keeps those
that a client asks for; <a href="/api/getEvents">a poll</a> or a WebSocket at <code>/api/v1/events/socket</code> brings them.</p>
${joined(EVENT_KINDS.map((kind) => component(eventName(kind), schemas)))}`;

/** Renders all objects that have a name. */
export const objectsPage = (schemas: Schemas): Markup => html`<h1>Objects</h1>
<p class="lead">Objects that several operations and events have.</p>
${joined(
  Object.keys(schemas)
    .filter((name) => !name.includes('.') && name !== 'Event')
    .map((name) => component(name, schemas)),
)}`;

function component(name: string, schemas: Schemas): Markup {
  const schema: JsonSchema = schemas[name] ?? {};
  const { description, properties, examples } = schema;
  const [example] = (examples ?? []) as readonly unknown[];
  const anchor = anchorOf(name);
  return html`<section class="component" id="${anchor}" aria-labelledby="${anchor}-name">
<h2 id="${anchor}-name">${nameOf(name)}</h2>
${typeof description === 'string' ? html`<p>${inline(description)}.</p>\n` : NOTHING}${
  properties === undefined ? html`<p>${inline(typeText(schema))}</p>` : fieldList(fieldsOf(schema))
}
${example === undefined ? NOTHING : html`<details class="shown"><summary>Example<span class="quiet"> of ${nameOf(name)}</span></summary>${codeBlock(json(example), `Example of ${nameOf(name)}`)}</details>\n`}</section>
`;
}

/** Renders all codes of refusals. */
export function errorsPage(schemas: Schemas): Markup {
  const codes = Object.keys(ERROR_FIELDS) as ErrorCode[];
  const names = (list: readonly ErrorCode[]) =>
    joined(list.map((code, index) => html`${index === 0 ? '' : ', '}${link(code)}`));
  return html`<h1>Errors</h1>
<p class="lead">Any request may be refused with ${names(OF_ANY)}, and where one has to log in with ${names(OF_THOSE_WHO_LOG_IN)}.</p>
${joined(codes.map((code) => errorSection(code, schemas)))}`;
}

const link = (code: ErrorCode) =>
  html`<a href="#${anchorOf(`error.${code}`)}"><code>${code}</code></a>`;

function errorSection(code: ErrorCode, schemas: Schemas): Markup {
  const anchor = anchorOf(`error.${code}`);
  const fields = fieldsOf(schemas[`error.${code}`] ?? {}).filter(
    ({ name }) => !['result', 'msg', 'code'].includes(name),
  );
  return html`<section class="component" id="${anchor}" aria-labelledby="${anchor}-name">
<h2 id="${anchor}-name"><code>${code}</code> <small>${statusesOf(code).join(', ')}</small></h2>
<p>${inline(ERROR_FIELDS[code].when)}.</p>
${fields.length === 0 ? NOTHING : fieldList(fields)}</section>
`;
}
