import { addCopying, coloured, element, KEPT } from './elements.js';

/**
 * Shows the form, and sends what is in it.
 * @param {HTMLElement} section
 */
export function startTrying(section) {
  const form = section.querySelector('form');
  const stop = section.querySelector('.stop');
  if (form === null || !(stop instanceof HTMLElement)) return;
  section.hidden = false;
  for (const name of ['email', 'key']) {
    const input = form.elements.namedItem(name);
    if (!(input instanceof HTMLInputElement)) continue;
    input.value = KEPT.get(name);
    input.addEventListener('input', () => KEPT.set(name, input.value));
    form.querySelector('.forget')?.addEventListener('click', () => {
      input.value = '';
      KEPT.set(name, '');
    });
  }
  /** @type {AbortController | undefined} */
  let sending;
  stop.addEventListener('click', () => sending?.abort());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (sending !== undefined) return;
    const request = requestOf(form);
    if ('asks' in form.dataset && !(await isConfirmed(request))) return;
    sending = new AbortController();
    stop.hidden = false;
    try {
      await send(section, request, sending.signal);
    } finally {
      sending = undefined;
      stop.hidden = true;
    }
  });
}

/**
 * @typedef {object} Sent
 * @property {string} method
 * @property {string} url
 * @property {URLSearchParams | FormData | null} body
 * @property {Record<string, string>} headers
 */

/**
 * Reads the form. A field that is empty is not sent.
 * @param {HTMLFormElement} form
 * @returns {Sent}
 */
function requestOf(form) {
  const { method = 'GET', path = '', body: kind } = form.dataset;
  const query = new URLSearchParams();
  const fields = new URLSearchParams();
  const files = new FormData();
  /** @type {Record<string, string>} */
  const headers = {};
  let filled = `/api/v1${path}`;
  for (const control of form.querySelectorAll('[data-name]')) {
    if (!isControl(control)) continue;
    const { name = '', place } = control.dataset;
    const [file] = control instanceof HTMLInputElement ? (control.files ?? []) : [];
    if (file !== undefined) files.append('file', file);
    // Slashes stay: only the last part of a path can have some.
    else if (place === 'path') {
      const text = encodeURIComponent(control.value).replaceAll('%2F', '/');
      filled = filled.replace(`{${name}}`, () => text);
    } else if (control.value === '') continue;
    else if (place === 'header') headers[name] = control.value;
    else if (place === 'query') query.append(name, control.value);
    else if (place === 'form') fields.append(name, control.value);
  }
  const email = form.elements.namedItem('email');
  const key = form.elements.namedItem('key');
  if (email instanceof HTMLInputElement && key instanceof HTMLInputElement && key.value !== '') {
    headers['Authorization'] = `Basic ${base64(`${email.value.trim()}:${key.value.trim()}`)}`;
  }
  const text = query.toString();
  return {
    method,
    url: text === '' ? filled : `${filled}?${text}`,
    body: { form: fields, file: files }[kind ?? ''] ?? null,
    headers,
  };
}

/**
 * @param {Element} control
 * @returns {control is HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement}
 */
function isControl(control) {
  return ['input', 'select', 'textarea'].includes(control.localName);
}

/** @param {string} text */
function base64(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/**
 * Asks before what cannot be undone.
 * @param {Sent} request
 * @returns {Promise<boolean>}
 */
function isConfirmed({ method, url }) {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-labelledby', 'asked');
  const cancel = element('button', { value: 'no', autofocus: '' }, 'Cancel');
  const go = element('button', { value: 'yes' }, 'Send it');
  dialog.append(
    element('h2', { id: 'asked' }, 'Really send this?'),
    element('p', {}, element('code', {}, `${method} ${url}`)),
    element('p', {}, `It takes something away at ${location.host}, which nothing may bring back.`),
    element('form', { method: 'dialog', class: 'actions' }, cancel, go),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
  });
}

/** Headers that tell a person something. */
const SHOWN = /^(?:content-type|etag|location|retry-after|x-ratelimit-.*)$/;
/** More of an answer than this makes a browser slow. */
const SHOWN_LENGTH_MAX = 200_000;

/**
 * @param {HTMLElement} section
 * @param {Sent} request
 * @param {AbortSignal} signal
 */
async function send(section, { url, ...request }, signal) {
  const outcome = section.querySelector('.outcome');
  const status = section.querySelector('.status');
  const result = section.querySelector('.result');
  if (!(outcome instanceof HTMLElement) || status === null || result === null) return;
  outcome.hidden = false;
  status.classList.remove('bad');
  status.textContent = 'Waiting for the answer …';
  result.replaceChildren();
  const start = performance.now();
  try {
    const response = await fetch(url, {
      ...request,
      signal,
      credentials: 'omit',
      cache: 'no-store',
    });
    const text = await response.text();
    const took = Math.round(performance.now() - start);
    status.classList.toggle('bad', !response.ok);
    status.textContent = `${response.status} ${response.statusText} in ${took} ms, ${text.length.toLocaleString('en')} characters`;
    const headers = [...response.headers].filter(([name]) => SHOWN.test(name));
    const shown = headers.flatMap(([name, value]) => [
      element('dt', {}, name),
      element('dd', {}, value),
    ]);
    const attributes = { tabindex: '0', role: 'region', 'aria-label': 'Body of the answer' };
    const code = element('pre', attributes, element('code', {}, ...coloured(readable(text))));
    const block = element('div', { class: 'code' }, code);
    addCopying(block);
    result.replaceChildren(element('dl', {}, ...shown), block);
  } catch (error) {
    status.classList.add('bad');
    status.textContent = signal.aborted ? 'Stopped.' : `No answer: ${String(error)}`;
  }
}

/** @param {string} text */
function readable(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // It is shown as it came.
  }
  if (shown.length <= SHOWN_LENGTH_MAX) return shown;
  return `${shown.slice(0, SHOWN_LENGTH_MAX)}\n… ${shown.length - SHOWN_LENGTH_MAX} more characters`;
}
