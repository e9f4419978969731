import { effect } from '@preact/signals';
import { homeOf, type Theme, themeOf } from '../store/account/appearance.ts';
import { app } from '../store/app.ts';
import { replace } from '../store/navigation.ts';
import { change, settings } from '../store/settings.ts';
import { setClock } from '../store/times.ts';

/** The line height of the style belongs to the line height that accounts begin with. */
const LINE_HEIGHT = 1.5;
const LINE_HEIGHT_PERCENT = 140;
const FONT_SIZE_PX = 16;

/** Makes the page follow the settings of the account, also as other windows change them. */
export function openAccountSettings(): void {
  let before: Theme | null = null;
  effect(() => {
    const isFirst = before === null;
    const own = app.phase.value === 'open' ? app.read('settings').facts.user_settings : undefined;
    if (own === undefined) {
      before = null;
      return;
    }
    const { style } = document.documentElement;
    // A part of the browser's own size, so that a larger text there is larger here.
    style.fontSize = `${(own.web_font_size_px / FONT_SIZE_PX) * 100}%`;
    const lineHeight = (own.web_line_height_percent / LINE_HEIGHT_PERCENT) * LINE_HEIGHT;
    style.setProperty('--line-height', lineHeight.toFixed(2));
    setClock(own.twenty_four_hour_time);
    const theme = themeOf(own);
    // A browser that has a theme of its own keeps it, until the one of the account changes.
    if (theme !== before && (!isFirst || settings.peek().theme === 'system')) change({ theme });
    before = theme;
    if (isFirst && location.hash.length < 2) {
      const home = homeOf(own);
      if (home.view !== 'inbox') replace(home);
    }
  });
}
