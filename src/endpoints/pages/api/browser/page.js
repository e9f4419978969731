// The scripts of the pages of the API. Without them the pages can be read; with them they are filtered, copied and tried.
// They are served as they stand here, so they are JavaScript; `npm run types` checks them with the types of their comments.
import { addCopying, element, KEPT } from './elements.js';
import { startTrying } from './trying.js';

for (const filter of document.querySelectorAll('.filter')) {
  if (filter instanceof HTMLElement) startFilter(filter);
}
for (const tabs of document.querySelectorAll('[data-tabs]')) {
  if (tabs instanceof HTMLElement) startTabs(tabs);
}
for (const code of document.querySelectorAll('[data-copies]')) addCopying(code);
const tried = document.querySelector('.try');
if (tried instanceof HTMLElement) startTrying(tried);
showCurrent();

/** Scrolls the list of operations, and not the page, to the one that is shown. */
function showCurrent() {
  const side = document.querySelector('.side');
  const current = side?.querySelector('[aria-current]');
  if (side === null || !current) return;
  const { top } = current.getBoundingClientRect();
  side.scrollTop = top - side.getBoundingClientRect().top - side.clientHeight / 3;
}

/**
 * Shows only the operations that have all words of the field.
 * @param {HTMLElement} filter
 */
function startFilter(filter) {
  const input = filter.querySelector('input');
  const count = filter.querySelector('.count');
  const list = document.getElementById(input?.dataset['filters'] ?? '');
  if (input === null || count === null || list === null) return;
  filter.hidden = false;
  const items = Array.from(list.querySelectorAll('li'), (item) => ({
    item,
    text: `${item.textContent} ${item.dataset['words']}`.toLowerCase(),
  }));
  const groups = [...list.querySelectorAll('[data-group]')];
  const opened = new Set(groups.filter((group) => group.hasAttribute('open')));
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { item, text } of items) {
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) found += 1;
    }
    for (const group of groups) {
      const isEmpty = group.querySelector('li:not([hidden])') === null;
      group.toggleAttribute('hidden', isEmpty);
      if (group.localName === 'details') {
        group.toggleAttribute('open', words.length > 0 ? !isEmpty : opened.has(group));
      }
    }
    count.textContent = words.length === 0 ? '' : `${found} of ${items.length} operations`;
  });
}

/**
 * Makes tabs of sections that stand one after the other.
 * @param {HTMLElement} tabs
 */
function startTabs(tabs) {
  const panels = [...tabs.children].filter((panel) => panel instanceof HTMLElement);
  const list = element('div', { role: 'tablist', 'aria-label': 'Languages' });
  const buttons = panels.map((panel, index) => {
    const name = panel.dataset['tab'] ?? '';
    panel.querySelector('h3')?.remove();
    panel.id = `panel-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', `tab-${index}`);
    panel.removeAttribute('aria-label');
    const attributes = { type: 'button', role: 'tab', id: `tab-${index}` };
    const button = element('button', { ...attributes, 'aria-controls': panel.id }, name);
    button.addEventListener('click', () => choose(index));
    button.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step === undefined) return;
      const next = (index + step + panels.length) % panels.length;
      choose(next);
      buttons[next]?.focus();
    });
    return button;
  });
  /** @param {number} chosen */
  function choose(chosen) {
    for (const [index, panel] of panels.entries()) {
      const button = buttons[index];
      panel.hidden = index !== chosen;
      button?.setAttribute('aria-selected', String(index === chosen));
      if (button !== undefined) button.tabIndex = index === chosen ? 0 : -1;
    }
    KEPT.set('language', panels[chosen]?.dataset['tab'] ?? '');
  }
  list.append(...buttons);
  tabs.prepend(list);
  choose(
    Math.max(
      0,
      panels.findIndex((panel) => panel.dataset['tab'] === KEPT.get('language')),
    ),
  );
}
