import { FORM, MULTIPART } from '../../documents/openapi-shapes.ts';
import { html, joined, type Markup, NOTHING } from '../markup.ts';
import { type Entry, isDestructive } from './catalogue.ts';
import type { Field } from './fields.ts';
import { takesUrlKey, textOf } from './snippets.ts';

/** A parameter with the value that an example has for it. */
export interface Parameter extends Field {
  readonly example?: unknown;
}

/**
 * Renders the form that sends a request, filled in with the example. The script shows it, since
 * without one it could do nothing.
 */
export function tryForm(
  { id, method, path, operation }: Entry,
  parameters: readonly Parameter[],
): Markup {
  const isPublic = operation.security?.length === 0 || takesUrlKey(operation);
  const content = operation.requestBody?.content;
  const body =
    content?.[FORM] !== undefined ? 'form' : content?.[MULTIPART] !== undefined ? 'file' : 'none';
  const isShown = (field: Parameter) => field.isRequired || field.example !== undefined;
  const shown = parameters.filter(isShown);
  const others = parameters.filter((field) => !isShown(field));
  return html`<section class="try" aria-labelledby="try" hidden>
<h2 id="try">Try it</h2>
<form autocomplete="off" data-operation="${id}" data-method="${method}" data-path="${path}" data-body="${body}"${isDestructive({ method, path }) ? html` data-asks` : NOTHING}>
${isPublic ? html`<p>It needs no key.</p>` : CREDENTIALS}
${shown.length === 0 ? NOTHING : html`<fieldset><legend>Parameters</legend>${joined(shown.map(control))}</fieldset>`}
${others.length === 0 ? NOTHING : html`<details><summary>${String(others.length)} more, not needed</summary>${joined(others.map(control))}</details>`}
<p class="actions"><button type="submit" class="send">Send ${method}</button> <button type="button" class="stop" hidden>Stop</button></p>
</form>
<div class="outcome" hidden>
<p class="status" role="status"></p>
<div class="result"></div>
</div>
</section>`;
}

/** The key is kept for this tab only, and sent to this server only. */
const CREDENTIALS = html`<fieldset class="credentials">
<legend>Your account</legend>
<label for="try-email">Email address</label>
<input id="try-email" name="email" type="text" inputmode="email" autocomplete="off" spellcheck="false">
<label for="try-key">API key</label>
<input id="try-key" name="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="try-kept">
<p class="note" id="try-kept">Kept until this tab is closed, and sent to this server only. <button type="button" class="forget">Forget</button></p>
</fieldset>`;

function control(field: Parameter, index: number): Markup {
  const { name, isRequired, place = '', isJson } = field;
  const id = `try-${place.replaceAll(' ', '-')}-${name.replaceAll(/[^\w-]/g, '-')}-${String(index)}`;
  const about = html`id="${id}" data-name="${name}" data-place="${place}"${isRequired ? html` required` : NOTHING}`;
  const needed = isRequired ? html` <span class="needed">required</span>` : NOTHING;
  return html`<div class="control"><label for="${id}"><code>${name}</code>${needed}${isJson ? html` <span class="place">JSON</span>` : NOTHING}</label>
${inputFor(field, about)}</div>
`;
}

function inputFor({ name, schema, place, isJson, isRequired, example }: Parameter, about: Markup) {
  const words = schema['type'] === 'boolean' ? [true, false] : schema['enum'];
  const text = example === undefined ? '' : isJson ? JSON.stringify(example) : textOf(example);
  if (place === 'multipart body') return html`<input ${about} type="file">`;
  if (Array.isArray(words) && words.every((word) => typeof word !== 'object')) {
    const choices = [...(isRequired ? [] : ['']), ...words.map((word) => textOf(word))];
    return html`<select ${about}>${joined(
      choices.map(
        (word) =>
          html`<option value="${word}"${word === text ? html` selected` : NOTHING}>${word === '' ? 'not sent' : word}</option>`,
      ),
    )}</select>`;
  }
  if (isJson || name === 'content') {
    return html`<textarea ${about} rows="${isJson ? '2' : '3'}" spellcheck="false">${text}</textarea>`;
  }
  return html`<input ${about} type="text" value="${text}" spellcheck="false">`;
}
