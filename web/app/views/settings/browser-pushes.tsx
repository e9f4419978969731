import { useState } from 'preact/hooks';
import { type PushState, standing, tryOut, turnOff, turnOn } from '../../net/web-push.ts';
import { attempt } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import {
  aboutDevice,
  deviceName,
  type PushDevice,
  removeDevice,
} from '../../store/account/push-devices.ts';
import { names } from '../../store/model.ts';
import { say } from '../../store/notices.ts';

const WORDS: Readonly<Record<PushState, string>> = {
  'not supported':
    'This browser takes no pushes. On an iPhone or iPad, add the page to the home screen first, and open it there.',
  'not offered': 'This server pushes to no browsers.',
  // The part above says it of this browser.
  denied: 'Off, as long as notices of this page are not allowed.',
  off: 'Off: nothing is shown while the page is closed.',
  on: 'On: notices come to this browser while the page is closed.',
};

const ASKING = 'This browser asks its push service …';

/** Says how it stands with pushes to this browser and to others, and changes it. */
export function Pushes() {
  const { value, reload } = useLoaded(() => standing(names.ownId));
  const [isAsking, setAsking] = useState(false);
  const then = (work: Promise<unknown>) => attempt(work.then(reload));
  const begin = () => {
    setAsking(true);
    then(turnOn(names.ownId).finally(() => setAsking(false)));
  };
  const remove = async ({ id }: PushDevice) => {
    // The browser gives up its subscription as well, if it is this one.
    await (id === value?.ownId ? turnOff() : removeDevice(id));
    say('It gets no more pushes.');
  };
  return (
    <>
      <Panel title="While the page is closed">
        {value === null ? (
          <p class="muted">Asking this browser …</p>
        ) : (
          <>
            <p role="status">{isAsking ? ASKING : WORDS[value.state]}</p>
            {value.state === 'off' ? (
              <button type="button" disabled={isAsking} onClick={begin}>
                Turn on pushes
              </button>
            ) : null}
            {value.state === 'on' ? (
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
        )}
      </Panel>
      {value === null || value.devices.length === 0 ? null : (
        <Panel
          title="What gets your pushes"
          hint="An app that is still logged in may register again: log it out as well."
        >
          <ul class="card-list">
            {value.devices.map((device) => (
              <Device
                key={device.id}
                name={deviceName(device)}
                about={aboutDevice(device, device.id === value.ownId)}
                onRemove={() => then(remove(device))}
              />
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}

interface DeviceProps {
  readonly name: string;
  readonly about: string;
  readonly onRemove: () => void;
}

const Device = ({ name, about, onRemove }: DeviceProps) => (
  <li class="card-row">
    <div class="card-text">
      <span class="card-name cut">{name}</span>
      <p class="card-about">{about}</p>
    </div>
    <button type="button" class="card-act" aria-label={`Remove ${name}`} onClick={onRemove}>
      Remove
    </button>
  </li>
);
