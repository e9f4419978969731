import { ERROR_FIELDS, statusesOf } from '../../../domain/wire/error-fields.ts';
import type { ErrorCode } from '../../../domain/wire/errors.ts';
import { EVENT_KINDS } from '../../../events/events.ts';
import type { JsonSchema } from '../../documents/json-schemas.ts';
import { eventName } from '../../documents/openapi.ts';
import { FORM, JSON_TYPE, MULTIPART, type Operation } from '../../documents/openapi-shapes.ts';
import { anchorOf, nameOf } from '../../documents/schema-text.ts';
import { OF_ANY, OF_THOSE_WHO_LOG_IN } from '../../refusals.ts';
import { html, joined, type Markup, NOTHING } from '../markup.ts';
import type { Entry } from './catalogue.ts';
import { fieldList, fieldsOf } from './fields.ts';
import { inline, json, paragraphs } from './inline.ts';
import { badge } from './layout.ts';
import { shownRequest, snippetsOf } from './snippets.ts';
import { type Parameter, tryForm } from './try-form.ts';

/** Renders the page of one operation, with a link to its group. */
export function operationPage(entry: Entry, group: Markup): Markup {
  const { method, path, operation } = entry;
  const parameters = parametersOf(operation);
  return html`<article class="operation">
<header>
<p class="group">${group}</p>
<h1>${operation.summary}</h1>
<p class="route">${badge(method)} <code>/api/v1${path}</code></p>
<p>For ${inline(operation['x-permission'])}.</p>
${operation.description === undefined ? NOTHING : paragraphs(operation.description)}</header>
<div class="reference">
<section aria-labelledby="parameters">
<h2 id="parameters">Parameters</h2>
${parameters.length === 0 ? html`<p>None.</p>` : fieldList(parameters)}
</section>
<section aria-labelledby="answer">
<h2 id="answer">Answer</h2>
${answer(operation)}
</section>
<section aria-labelledby="refusals">
<h2 id="refusals">Refusals</h2>
${refusals(operation)}
</section>
${events(operation)}</div>
<div class="use">
<section aria-labelledby="example">
<h2 id="example">Example</h2>
${snippets(entry)}
${answers(operation)}</section>
${tryForm(entry, parameters)}
</div>
</article>`;
}

/** Returns the parameters of an operation, wherever they go. */
function parametersOf({ parameters = [], requestBody }: Operation): readonly Parameter[] {
  const form = requestBody?.content[FORM];
  const file = requestBody?.content[MULTIPART];
  const isOfHeader = ({ place }: Parameter) => place === 'header';
  const fields: readonly Parameter[] = [
    ...parameters.map(({ name, in: place, required, schema, content, ...rest }) => ({
      name,
      schema: schema ?? content?.[JSON_TYPE].schema ?? {},
      isRequired: required,
      place,
      isJson: content !== undefined,
      description: rest.description,
      aliases: rest['x-aliases'],
      example: rest.example ?? content?.[JSON_TYPE].example,
    })),
    ...fieldsOf(form?.schema ?? {}).map((field) => ({
      ...field,
      place: 'form',
      isJson: form?.encoding?.[field.name] !== undefined,
      // `openapi.ts` has put it there.
      aliases: field.schema['x-aliases'] as readonly string[] | undefined,
      example: form?.example?.[field.name],
    })),
    ...fieldsOf(file?.schema ?? {}).map((field) => ({ ...field, place: 'multipart body' })),
  ];
  return [...fields.filter((field) => !isOfHeader(field)), ...fields.filter(isOfHeader)];
}

function answer({ responses }: Operation): Markup {
  const success = responses['200']?.content[JSON_TYPE].schema;
  // `openapi.ts` made this list: the success first, then the refusals with status 200.
  const [done = success] = (success?.['oneOf'] ?? []) as readonly JsonSchema[];
  const fields = fieldsOf(done ?? {}).filter(({ name }) => !ENVELOPE.includes(name));
  if (done?.['properties'] === undefined) return html`<p>The document, without an envelope.</p>`;
  return fields.length === 0
    ? html`<p>No fields besides <code>result</code> and <code>msg</code>.</p>`
    : fieldList(fields);
}

const ENVELOPE = ['result', 'msg', 'ignored_parameters_unsupported'];

/** Renders the codes of an operation; those that any request may get are named in one sentence. */
function refusals(operation: Operation): Markup {
  const general: readonly ErrorCode[] =
    operation.security?.length !== 0 ? [...OF_ANY, ...OF_THOSE_WHO_LOG_IN] : OF_ANY;
  const own = operation['x-errors'].filter(
    (code) => !general.includes(code) || code === 'BAD_REQUEST',
  );
  return html`<dl class="codes">
${joined(
  own.map(
    (
      code,
    ) => html`<dt><a href="/api/errors#${anchorOf(`error.${code}`)}"><code>${code}</code></a> <small>${statusesOf(code).join(', ')}</small></dt>
<dd>${inline(ERROR_FIELDS[code].when)}</dd>
`,
  ),
)}</dl>
<p>Besides, <a href="/api/errors">what any request may be refused with</a>.</p>`;
}

function events({ 'x-events': types }: Operation): Markup {
  if (types.length === 0) return NOTHING;
  const kinds = types.flatMap((type) =>
    EVENT_KINDS.filter((kind) => kind === type || kind.startsWith(`${type} `)),
  );
  return html`<section aria-labelledby="events">
<h2 id="events">Events that may follow</h2>
<ul class="kinds">
${joined(
  kinds.map(
    (kind) =>
      html`<li><a href="/api/events#${anchorOf(eventName(kind))}">${nameOf(eventName(kind))}</a></li>\n`,
  ),
)}</ul>
</section>
`;
}

/** Renders the request in each language, one after the other; the script makes tabs of them. */
const snippets = (entry: Entry): Markup => html`<div class="tabs" data-tabs="language">
${joined(
  snippetsOf(shownRequest(entry.operation, entry)).map(
    ({
      language,
      code,
    }) => html`<section class="snippet" aria-label="${language}" data-tab="${language}">
<h3>${language}</h3>
${codeBlock(html`${code}`, language)}
</section>
`,
  ),
)}</div>`;

/** Renders code that can be scrolled by keys and copied. */
export const codeBlock = (code: Markup, label: string): Markup =>
  html`<div class="code" data-copies><pre tabindex="0" role="region" aria-label="${label}"><code>${code}</code></pre></div>`;

function answers({ responses }: Operation): Markup {
  const shown = Object.entries(responses).flatMap(([status, { content }]) => {
    const { example } = content[JSON_TYPE];
    return example === undefined ? [] : [{ status, example }];
  });
  return joined(
    shown.map(
      ({
        status,
        example,
      }) => html`<h3>${status === '200' ? 'Answer' : 'Refusal'} <small>${status}</small></h3>
${codeBlock(json(example), `Answer with status ${status}`)}
`,
    ),
  );
}
