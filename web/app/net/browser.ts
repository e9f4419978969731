import { effect } from '@preact/signals';
import { app } from '../store/app.ts';
import { run, runNext } from '../store/commands.ts';
import { type Command, commandFor } from '../store/keys.ts';
import { counts, nowMs, realm } from '../store/model.ts';
import { arrive, heading, navigate, openNavigation } from '../store/navigation.ts';
import { narrowRoute } from '../store/route.ts';
import { openSettings, settings } from '../store/settings.ts';
import { documentTitle } from '../store/title.ts';
import { openAccountSettings } from './account-settings.ts';
import { keptText } from './kept-text.ts';

const SETTINGS = 'confab.settings';
const MINUTE_MS = 60_000;

const kept = keptText(SETTINGS);

/** Joins the stores to the browser: address, title, theme, keys and time. */
export function openBrowser(): void {
  openSettings(kept);
  openNavigation((href, isReplaced) => {
    if (isReplaced) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    arrive(location.hash);
  });
  // Browsers tell of each step by `hashchange` as well, later: it would be drawn twice.
  addEventListener('popstate', () => arrive(location.hash));
  arrive(location.hash);

  openAccountSettings();
  // Another tab of this browser has changed them.
  addEventListener('storage', ({ key }) => {
    if (key === SETTINGS) openSettings(kept);
  });
  effect(() => {
    document.documentElement.dataset['theme'] = settings.value.theme;
  });
  effect(() => {
    document.title =
      app.phase.value === 'open'
        ? documentTitle(heading.value, realm.value.name, counts.value.inbox)
        : 'confab';
  });
  setInterval(() => {
    nowMs.value = Date.now();
  }, MINUTE_MS);
  addEventListener('keydown', pressed);
  addEventListener('dragover', refuseFiles);
  addEventListener('drop', refuseFiles);
}

/** A browser leaves the page for a file that is dropped where nothing takes it. */
function refuseFiles(event: DragEvent): void {
  const { dataTransfer, target, defaultPrevented } = event;
  if (defaultPrevented || target instanceof HTMLInputElement) return;
  if (dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  dataTransfer.dropEffect = 'none';
}

function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || app.phase.value !== 'open') return;
  const at = event.target;
  const command = commandFor(
    {
      key: event.key,
      ctrl: event.ctrlKey || event.metaKey,
      shift: event.shiftKey,
      alt: event.altKey,
      isInField: at instanceof HTMLElement && isField(at),
      isInDialog:
        // The page behind a dialog has no keys, also when the focus in the dialog is gone.
        document.querySelector('dialog:modal') !== null ||
        (at instanceof Element && at.closest('[role=menu], [role=listbox]') !== null),
    },
    settings.value.letterKeys,
  );
  if (command !== null && (run(command) || runElsewhere(command))) event.preventDefault();
}

/** One writes from wherever one is: where no field is shown, all messages have one. */
function runElsewhere(command: Command): boolean {
  if (command !== 'compose' && command !== 'compose-dm') return false;
  runNext(command);
  navigate(narrowRoute([]));
  return true;
}

const isField = (element: HTMLElement): boolean =>
  element.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
