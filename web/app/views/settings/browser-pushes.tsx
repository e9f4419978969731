import { useEffect, useState } from 'preact/hooks';
import { type PushState, pushState, tryOut, turnOff, turnOn } from '../../net/web-push.ts';
import { attempt } from '../../parts/form.tsx';
import { names } from '../../store/model.ts';

const WORDS: Readonly<Record<PushState, string>> = {
  'not supported':
    'This browser takes no pushes. On an iPhone or iPad, add the page to the home screen first, and open it there.',
  'not offered': 'This server pushes to no browsers.',
  denied: 'Denied: this browser does not let this page notify. Its own settings change that.',
  off: 'Off: nothing is shown while the page is closed.',
  on: 'On: notices come to this browser while the page is closed.',
};

/** Says how it stands with pushes to this browser, and turns them on and off. */
export function BrowserPushes() {
  const [state, setState] = useState<PushState | null>(null);
  useEffect(() => attempt(pushState(names.ownId).then(setState)), []);
  if (state === null) return <p class="muted">Asking this browser …</p>;
  const then = (work: Promise<PushState>) => attempt(work.then(setState));
  return (
    <>
      <p role="status">{WORDS[state]}</p>
      {state === 'off' ? (
        <button type="button" onClick={() => then(turnOn(names.ownId))}>
          Turn on pushes
        </button>
      ) : null}
      {state === 'on' ? (
        <>
          <button type="button" onClick={() => attempt(tryOut())}>
            Send a test
          </button>{' '}
          <button type="button" onClick={() => then(turnOff())}>
            Turn off pushes
          </button>
        </>
      ) : null}
    </>
  );
}
