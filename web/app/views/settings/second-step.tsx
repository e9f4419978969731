import { useEffect, useRef, useState } from 'preact/hooks';
import { copy } from '../../net/clipboard.ts';
import {
  addPasskey,
  beginApp,
  confirmApp,
  hasPasskeys,
  qrOf,
  removeApp,
  removePasskey,
  renewCodes,
  type SecondStep as Step,
  secondStep,
} from '../../net/second-step.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { app as model } from '../../store/app.ts';
import { say } from '../../store/notices.ts';
import { shortTime } from '../../store/times.ts';

/** A change that waits until the person is confirmed. */
interface Change {
  readonly title: string;
  readonly submit: string;
  readonly isGrave?: boolean;
  readonly asksName?: boolean;
  readonly make: (password: string, name: string) => Promise<void>;
}

/** The app, the passkeys and the recovery codes, with which log-ins are more than a password. */
export function SecondStep({ onChange }: { readonly onChange?: () => void }) {
  const { value, reload } = useLoaded(secondStep);
  const [change, setChange] = useState<Change | null>(null);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [app, setApp] = useState<{ secret: string; qr: string } | null>(null);
  useEffect(() => {
    // Another browser may have changed it.
    const again = () => void reload();
    addEventListener('focus', again);
    return () => removeEventListener('focus', again);
  }, []);
  // Somebody who has to add one first has no account open.
  const isOn = model.phase.value === 'open' ? model.read('own').facts.has_second_step : undefined;
  const seen = useRef(isOn);
  useEffect(() => {
    if (seen.current === isOn) return;
    seen.current = isOn;
    void reload();
  }, [isOn]);
  const done = async (made: readonly string[], words: string) => {
    setCodes(made);
    say(words);
    await reload();
    if (made.length === 0) onChange?.();
  };
  const begin = async (password: string) => {
    const { secret, otpauth_url: url } = await beginApp(password);
    setApp({ secret, qr: await qrOf(url) });
  };
  const ask = (title: string, submit: string, make: Change['make'], rest: object = {}) =>
    setChange({ title, submit, make, ...rest });
  return (
    <Panel
      title="Second step"
      hint="With one, your password alone lets nobody in. A passkey logs you in without a password."
    >
      {codes.length === 0 ? null : (
        <Codes
          codes={codes}
          onClose={() => {
            setCodes([]);
            onChange?.();
          }}
        />
      )}
      {app === null ? null : (
        <NewApp
          {...app}
          onCancel={() => setApp(null)}
          onCode={async (code) => {
            const made = await confirmApp(code);
            setApp(null);
            await done(made, 'The app is added.');
          }}
        />
      )}
      {value === null || app !== null || codes.length > 0 ? null : (
        <>
          <Ways step={value} onAsk={ask} onDone={done} />
          <div class="form-buttons" style="margin-top: var(--space-3)">
            <button
              type="button"
              onClick={() => ask(value.has_app ? 'Use another app' : 'Add an app', 'Go on', begin)}
            >
              {value.has_app ? 'Use another app …' : 'Add an app …'}
            </button>
            {hasPasskeys() ? (
              <button
                type="button"
                onClick={() =>
                  ask(
                    'Add a passkey',
                    'Go on',
                    async (password, name) =>
                      done(await addPasskey(name, password), 'The passkey is added.'),
                    { asksName: true },
                  )
                }
              >
                Add a passkey …
              </button>
            ) : null}
          </div>
        </>
      )}
      {change === null ? null : (
        <Confirming
          change={change}
          asksPassword={value?.asks_password !== false}
          onClose={() => setChange(null)}
        />
      )}
    </Panel>
  );
}

type Ask = (title: string, submit: string, make: Change['make'], rest?: object) => void;

interface WaysProps {
  readonly step: Step;
  readonly onAsk: Ask;
  readonly onDone: (codes: readonly string[], words: string) => Promise<void>;
}

/** The ways that there are, each with a button that takes it away. */
function Ways({ step, onAsk, onDone }: WaysProps) {
  const { has_app: hasApp, passkeys, recovery_codes_left: left } = step;
  const hasAny = hasApp || passkeys.length > 0;
  if (!hasAny) return <p>Your password alone logs you in.</p>;
  const take = (title: string, make: (password: string) => Promise<unknown>, words: string) =>
    onAsk(
      title,
      'Remove',
      async (password) => {
        await make(password);
        await onDone([], words);
      },
      { isGrave: true },
    );
  return (
    <ul class="card-list" aria-label="Your second step">
      {hasApp ? (
        <Way
          name="An app that makes codes"
          about="asked for after the password"
          act="Remove"
          onAct={() => take('Remove the app?', removeApp, 'The app is removed.')}
        />
      ) : null}
      {passkeys.map(({ id, name, added_at: addedAt, last_used_at: usedAt }) => (
        <Way
          key={id}
          name={name}
          about={`passkey · added ${timeOf(addedAt)} · ${
            usedAt === null ? 'not used yet' : `used ${timeOf(usedAt)}`
          }`}
          act="Remove"
          onAct={() =>
            take(
              `Remove the passkey ${name}?`,
              (password) => removePasskey(id, password),
              'The passkey is removed.',
            )
          }
        />
      ))}
      <Way
        name="Recovery codes"
        about={`${left} left, for when you have nothing else at hand`}
        act="New ones"
        onAct={() =>
          onAsk('Make other recovery codes?', 'Make them', async (password) =>
            onDone(await renewCodes(password), 'The former codes have ended.'),
          )
        }
      />
    </ul>
  );
}

const timeOf = (seconds: number) => shortTime(seconds * 1_000, Date.now());

interface WayProps {
  readonly name: string;
  readonly about: string;
  readonly act: string;
  readonly onAct: () => void;
}

const Way = ({ name, about, act, onAct }: WayProps) => (
  <li class="card-row">
    <div class="card-text">
      <span class="card-name cut">{name}</span>
      <p class="card-about">{about}</p>
    </div>
    <button type="button" class="card-act" aria-label={`${act}: ${name}`} onClick={onAct}>
      {act}
    </button>
  </li>
);

interface ConfirmingProps {
  readonly change: Change;
  /** False for an account without a password, whose log-in has to be a recent one. */
  readonly asksPassword: boolean;
  readonly onClose: () => void;
}

function Confirming({ change, asksPassword, onClose }: ConfirmingProps) {
  const { title, submit, isGrave = false, asksName = false, make } = change;
  const [password, setPassword] = useState('');
  const [name, setName] = useState('This device');
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submit}
        isGrave={isGrave}
        isDisabled={(asksPassword && password === '') || name.trim() === ''}
        onCancel={onClose}
        onSubmit={async () => {
          await make(password, name.trim());
          onClose();
        }}
      >
        {asksName ? (
          <Field
            label="Name of the passkey"
            hint="You see it in the list of your passkeys."
            maxLength={60}
            value={name}
            onInput={setName}
          />
        ) : null}
        {asksPassword ? (
          <Field
            label="Your password"
            type="password"
            autocomplete="current-password"
            value={password}
            isFirst
            onInput={setPassword}
          />
        ) : (
          <p>Your account has no password, so this takes a log-in of the last ten minutes.</p>
        )}
      </Form>
    </Dialog>
  );
}

interface NewAppProps {
  readonly secret: string;
  readonly qr: string;
  readonly onCode: (code: string) => Promise<void>;
  readonly onCancel: () => void;
}

function NewApp({ secret, qr, onCode, onCancel }: NewAppProps) {
  const [code, setCode] = useState('');
  return (
    <Form
      submit="Add the app"
      isDisabled={code.trim().length < 6}
      onCancel={onCancel}
      onSubmit={() => onCode(code)}
    >
      <p>Scan this with the app, or type the text below into it.</p>
      <img
        src={qr}
        width="200"
        height="200"
        alt="QR code for the app; the text below says the same"
        style="background: #fff; border-radius: 8px; align-self: start"
      />
      <Secret text={secret} what="text" />
      <Field
        label="Code that the app shows"
        autocomplete="one-time-code"
        maxLength={10}
        value={code}
        isFirst
        onInput={setCode}
      />
    </Form>
  );
}

function Codes({
  codes,
  onClose,
}: {
  readonly codes: readonly string[];
  readonly onClose: () => void;
}) {
  useEffect(() => document.getElementById('recovery-codes')?.focus(), []);
  const text = codes.join('\n');
  return (
    <section class="form" id="recovery-codes" tabIndex={-1} aria-label="Recovery codes">
      <p>
        Keep these recovery codes in a safe place. They are shown this once, and each logs you in
        once, after the password.
      </p>
      <pre class="secret-codes" style="columns: 2; max-width: 320px; margin: 0">
        {text}
      </pre>
      <div class="form-buttons">
        <button type="button" onClick={() => attempt(copy(text), 'The codes are copied.')}>
          Copy them
        </button>
        <a
          class="button"
          download="recovery-codes.txt"
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
        >
          Download them
        </a>
        <button type="button" class="first" onClick={onClose}>
          I have kept them
        </button>
      </div>
    </section>
  );
}
