import type { Page } from 'playwright-core';

/** Returns what is cut off on a page or scrolls aside, a line for each finding. */
export const cutOn = (page: Page): Promise<string[]> => page.evaluate(CUT);

/** Returns what moves on a page, or would: animations, and transitions that take time. */
export const movingOn = (page: Page): Promise<string[]> => page.evaluate(MOVING);

/** Returns controls without an outline or border, where the system has chosen the colours. */
export const unboundedOn = (page: Page): Promise<string[]> => page.evaluate(UNBOUNDED);

/** Returns controls that look the same with the focus. The last press has to be one of a key. */
export const unfocusedOn = (page: Page): Promise<string[]> => page.evaluate(UNFOCUSED);

/** Shared by the scripts: only what somebody can see counts. */
const COMMON = `
  const nameOf = (one) => {
    const text = (one.getAttribute('aria-label') ?? one.textContent).trim().replace(/\\s+/g, ' ').slice(0, 40);
    return one.tagName.toLowerCase() + (one.className === '' ? '' : '.' + String(one.className.baseVal ?? one.className).replaceAll(' ', '.')) + ' "' + text + '"';
  };
  const isSeen = (one) => one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
    one.getBoundingClientRect().width > 1 && one.closest('.unseen, .skip') === null;
  const CONTROLS = 'button, a[href], input, select, textarea, [tabindex="0"]';
  const top = document.querySelector('dialog[open], [popover]:popover-open') ?? document.body;
  const all = (selector) => [...top.querySelectorAll(selector)].filter(isSeen);
`;

const CUT = `(() => {
  ${COMMON}
  const found = [];
  const root = document.documentElement;
  const widest = (within, edge) => [...within.querySelectorAll('*')]
    .filter((one) => one.getBoundingClientRect().right > edge + 1).slice(0, 3).map(nameOf).join(' and ');
  if (root.scrollWidth > innerWidth) found.push('the page is ' + root.scrollWidth + ' wide, in ' + innerWidth + ', for ' + widest(root, innerWidth));
  const scrollsAside = (one) => {
    for (let at = one.parentElement; at !== null; at = at.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true;
    }
    return false;
  };
  for (const one of all(CONTROLS)) {
    const { left, right } = one.getBoundingClientRect();
    if ((left < -1 || right > innerWidth + 1) && !scrollsAside(one)) found.push('out of the window: ' + nameOf(one));
  }
  for (const one of all('main *, dialog *, [popover] *, nav *')) {
    const { overflowX, textOverflow } = getComputedStyle(one);
    const isTooWide = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0;
    if (isTooWide && /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && !one.matches('input, textarea')) found.push('cut: ' + nameOf(one));
    if (isTooWide && /auto|scroll/.test(overflowX) && !one.matches('pre, pre *, table, .codehilite, .katex-display, math, .table, textarea, input, .tabs'))
      found.push('scrolls aside: ' + nameOf(one) + ', for ' + widest(one, one.getBoundingClientRect().right));
  }
  return found;
})()`;

const MOVING = `(() => {
  ${COMMON}
  const moving = document.getAnimations().map(({ animationName, transitionProperty, effect }) =>
    'moves: ' + (animationName ?? transitionProperty) + ' of ' + nameOf(effect.target));
  const seconds = (times) => Math.max(...times.split(', ').map(Number.parseFloat));
  const wouldMove = [...document.querySelectorAll('*')].filter((one) => {
    const { transitionDuration, animationName, animationDuration, scrollBehavior } = getComputedStyle(one);
    return seconds(transitionDuration) > 0.01 || scrollBehavior === 'smooth' ||
      (animationName !== 'none' && seconds(animationDuration) > 0.01);
  });
  return [...moving, ...wouldMove.map((one) => 'would move: ' + nameOf(one))];
})()`;

const UNBOUNDED = `(() => {
  ${COMMON}
  const hasLine = (one) => ['Top', 'Bottom', 'Left', 'Right'].some((side) => {
    const style = getComputedStyle(one);
    return style['border' + side + 'Style'] !== 'none' && Number.parseFloat(style['border' + side + 'Width']) > 0;
  });
  const hasOutline = (one) => getComputedStyle(one).outlineStyle !== 'none';
  const isBounded = (one) => {
    for (let at = one, up = 0; at !== null && up < 4; at = at.parentElement, up += 1) if (hasLine(at) || hasOutline(at)) return true;
    return false;
  };
  // Boxes and radio buttons are drawn by the system; icons and links are known by what is in them.
  return all('select, textarea, input:not([type=checkbox], [type=radio], [type=file]), button.first')
    .filter((one) => !isBounded(one)).map((one) => 'without a bound: ' + nameOf(one));
})()`;

const UNFOCUSED = `(() => {
  ${COMMON}
  const before = document.activeElement;
  const looks = (one) => {
    const parts = [];
    for (let at = one, up = 0; at !== null && up < 4; at = at.parentElement, up += 1) {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(at);
      parts.push(outlineStyle === 'none' ? '' : outlineWidth + outlineColor, boxShadow, borderColor);
    }
    return parts.join('|');
  };
  const found = [];
  for (const one of all(CONTROLS)) {
    // The cursor in the only field of a dialog says enough.
    if (one.disabled || one.matches('.palette input')) continue;
    document.activeElement?.blur();
    const without = looks(one);
    one.focus({ preventScroll: true });
    if (document.activeElement === one && looks(one) === without) found.push('no focus seen: ' + nameOf(one));
  }
  before?.focus?.({ preventScroll: true });
  return found;
})()`;
