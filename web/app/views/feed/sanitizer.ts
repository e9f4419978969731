import {
  DROPPED,
  ELEMENTS,
  isFetched,
  isFollowed,
  MATH,
  MATH_ATTRIBUTES,
  MATH_NAMESPACE,
  withoutStyles,
} from './allowed.ts';

/** The browser's own sanitizer, where it has one. The types of the language do not know it yet. */
interface SettingElement {
  setHTML?: (html: string, options: { readonly sanitizer: object }) => void;
}

const ALLOWED = {
  elements: [
    ...Object.entries(ELEMENTS).map(([name, attributes]) => ({
      name,
      attributes: [...attributes],
    })),
    ...MATH.map((name) => ({
      name,
      namespace: MATH_NAMESPACE,
      attributes: [...MATH_ATTRIBUTES],
    })),
  ],
  attributes: [],
  comments: false,
  dataAttributes: false,
};

/** Made once: a browser takes longer to read the list than to read most messages. */
let made: object | undefined;

function sanitizer(): object {
  const { Sanitizer } = globalThis as { Sanitizer?: new (allowed: object) => object };
  made ??= Sanitizer === undefined ? ALLOWED : new Sanitizer(ALLOWED);
  return made;
}

/** Most messages are one paragraph of text, for which no parser is needed. */
const PARAGRAPH = /^<p>([^<&]*)<\/p>$/;

/**
 * Writes a message's HTML into an element: only what the server writes comes through. Returns false
 * if it was nothing but text.
 */
export function writeHtml(target: HTMLElement, html: string): boolean {
  const text = PARAGRAPH.exec(html)?.[1];
  if (text !== undefined) {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    target.replaceChildren(paragraph);
    return false;
  }
  const setting = target as HTMLElement & SettingElement;
  const plain = withoutStyles(html);
  if (setting.setHTML === undefined) target.replaceChildren(walked(plain));
  else setting.setHTML(plain, { sanitizer: sanitizer() });
  checkAddresses(target);
  return true;
}

/**
 * The same in browsers without `setHTML`: the HTML is parsed in a document of its own, and copied.
 */
export function walked(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(trusted(html), 'text/html');
  const fragment = document.createDocumentFragment();
  copy(parsed.body, fragment);
  return fragment;
}

interface Policies {
  createPolicy(
    name: string,
    rules: { createHTML: (html: string) => string },
  ): {
    createHTML(html: string): string;
  };
}

let policy: { createHTML(html: string): string } | undefined;

/** The one policy of the page; what it lets pass is only parsed, and never put into the page. */
function trusted(html: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  policy ??= trustedTypes?.createPolicy('confab-message', { createHTML: (text) => text });
  return policy?.createHTML(html) ?? html;
}

function copy(from: Node, to: Node): void {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE)
      to.appendChild(document.createTextNode(node.nodeValue ?? ''));
    else if (node instanceof Element) copyElement(node, to);
  }
}

function copyElement(element: Element, to: Node): void {
  const name = element.localName;
  if (DROPPED.test(name)) return;
  const isMath = element.namespaceURI === MATH_NAMESPACE;
  const attributes = isMath
    ? MATH.includes(name)
      ? MATH_ATTRIBUTES
      : undefined
    : Object.hasOwn(ELEMENTS, name)
      ? ELEMENTS[name]
      : undefined;
  if (attributes === undefined) {
    copy(element, to);
    return;
  }
  const made = isMath
    ? document.createElementNS(MATH_NAMESPACE, name)
    : document.createElement(name);
  for (const { name, value } of element.attributes) {
    if (attributes.includes(name)) made.setAttribute(name, value);
  }
  copy(element, made);
  to.appendChild(made);
}

/** Takes away addresses that no message of the server has. */
function checkAddresses(target: HTMLElement): void {
  for (const link of target.querySelectorAll('a[href]')) {
    if (!isFollowed(link.getAttribute('href') ?? '')) link.removeAttribute('href');
  }
  for (const media of target.querySelectorAll('[src]')) {
    if (!isFetched(media.getAttribute('src') ?? '')) media.removeAttribute('src');
  }
}
