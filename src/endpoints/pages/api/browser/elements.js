/** Stores of the browser may be forbidden; then nothing is kept. */
export const KEPT = {
  /** @param {string} name */
  get(name) {
    try {
      return sessionStorage.getItem(name) ?? '';
    } catch {
      return '';
    }
  },
  /**
   * @param {string} name
   * @param {string} value
   */
  set(name, value) {
    try {
      if (value === '') sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, value);
    } catch {
      // It is in its field as long as the page is.
    }
  },
};

/**
 * Makes an element, with text or elements in it.
 * @param {string} name
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} content
 */
export function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...content);
  return made;
}

/** @param {Element} code */
export function addCopying(code) {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.querySelector('pre')?.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2_000);
  });
  code.append(button);
}

/** @param {string} text */
export function* coloured(text) {
  let end = 0;
  for (const match of text.matchAll(
    /("(?:[^"\\]|\\.)*")(:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g,
  )) {
    const [all, quoted, colon] = match;
    yield text.slice(end, match.index);
    const kind = quoted === undefined ? 'n' : colon === undefined ? 's' : 'k';
    yield element('span', { class: kind }, quoted ?? all);
    if (colon !== undefined) yield colon;
    end = match.index + all.length;
  }
  yield text.slice(end);
}
