import { ApiError } from '@confab/client';
import { useState } from 'preact/hooks';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import {
  type ApiKey,
  apiKey,
  apiKeys,
  codeName,
  endKey,
  keyName,
  renewedKey,
} from '../../store/account/keys.ts';
import { nowMs } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { shortTime } from '../../store/times.ts';

/** The keys with which programs act as the account. */
export function Keys() {
  const { value, reload } = useLoaded(apiKeys);
  const [key, setKey] = useState<string | null>(null);
  const show = async (made: string) => {
    setKey(made);
    await reload();
  };
  return (
    <Panel
      title="API keys"
      hint="A program with a key does anything that you may do. The server keeps no key that it could show again: each time, it makes one."
    >
      {key === null ? (
        <Asking onKey={show} />
      ) : (
        <div class="form">
          <Secret text={key} what="key" />
          <p class="muted">It is shown this once. Give it to nobody whom you do not trust.</p>
          <div class="form-buttons">
            <button
              type="button"
              class="grave"
              onClick={() =>
                attempt(renewedKey().then(show), 'All keys that were before have ended.')
              }
            >
              A new one, and end all before
            </button>
            <button type="button" onClick={() => setKey(null)}>
              Hide it
            </button>
          </div>
        </div>
      )}
      {value === null || value.length === 0 ? null : (
        <KeyList
          keys={value}
          onEnd={async (id) => {
            await endKey(id);
            await reload();
            say('The key has ended.');
          }}
        />
      )}
    </Panel>
  );
}

function Asking({ onKey }: { readonly onKey: (key: string) => Promise<void> }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const [label, setLabel] = useState('');
  const ask = async () => {
    try {
      await onKey(await apiKey(password, code ?? undefined));
    } catch (error) {
      const isAsked = error instanceof ApiError && error.code === 'SECOND_STEP_REQUIRED';
      if (!isAsked || code !== null) throw error;
      const name = codeName(error.fields['second_step_methods']);
      if (name === null) throw new Error(NO_CODES);
      setLabel(name);
      setCode('');
    }
  };
  return (
    <Form submit="Show a key" isDisabled={password === '' || code?.trim() === ''} onSubmit={ask}>
      <Field
        label="Your password"
        type="password"
        autocomplete="current-password"
        value={password}
        onInput={setPassword}
      />
      {code === null ? null : (
        <Field
          label={label}
          autocomplete="one-time-code"
          maxLength={40}
          value={code}
          isFirst
          onInput={setCode}
        />
      )}
    </Form>
  );
}

const NO_CODES =
  'No recovery codes are left, and a passkey shows no keys: get new codes in “Second step”.';

interface KeyListProps {
  readonly keys: readonly ApiKey[];
  readonly onEnd: (id: string) => Promise<void>;
}

const KeyList = ({ keys, onEnd }: KeyListProps) => (
  <ul class="card-list" aria-label="Your keys">
    {keys.map((one) => (
      <li key={one.id} class="card-row">
        <div class="card-text">
          <span class="card-name cut">{keyName(one)}</span>
          <p class="card-about">
            made {shortTime(one.created_at * 1_000, nowMs.value)} ·{' '}
            {one.last_used_at === null
              ? 'not used yet'
              : `used ${shortTime(one.last_used_at * 1_000, nowMs.value)}`}
          </p>
        </div>
        <button
          type="button"
          class="card-act"
          aria-label={`End the key: ${keyName(one)}`}
          onClick={() => attempt(onEnd(one.id))}
        >
          End
        </button>
      </li>
    ))}
  </ul>
);
