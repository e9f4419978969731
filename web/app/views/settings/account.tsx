import { useState } from 'preact/hooks';
import { Field, Form } from '../../parts/form.tsx';
import { Secret } from '../../parts/secret.tsx';
import { apiKey, changeAccount, changePassword } from '../../store/account/account.ts';
import { app } from '../../store/app.ts';
import { me } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { openPanel } from '../../store/panels.ts';
import { emojiOf } from '../persons/emoji-of.ts';

const NAME_LENGTH_MAX = 100;

/** The name by which others know one. */
export function Name() {
  const { name, email } = me.value;
  const [wanted, setWanted] = useState(name);
  const { facts } = app.read('realm', 'own');
  const isFixed = facts.realm_name_changes_disabled === true && facts.is_admin !== true;
  return (
    <fieldset>
      <legend>You</legend>
      {isFixed ? (
        <p>
          {name} · {email}
        </p>
      ) : (
        <Form
          submit="Save"
          isDisabled={wanted.trim() === '' || wanted.trim() === name}
          onSubmit={async () => {
            await changeAccount({ full_name: wanted.trim() });
            say('Your name is changed.');
          }}
        >
          <Field
            label="Name"
            hint={email}
            value={wanted}
            maxLength={NAME_LENGTH_MAX}
            autocomplete="name"
            onInput={setWanted}
          />
        </Form>
      )}
    </fieldset>
  );
}

/** The status that others see beside the name. */
export function Status() {
  const { statuses, ownId } = app.read('statuses', 'own');
  const own = statuses.get(ownId);
  const text = own?.status_text ?? '';
  const emoji =
    own?.reaction_type === 'unicode_emoji' && own.emoji_code !== undefined
      ? `${emojiOf(own.emoji_code)} `
      : '';
  return (
    <fieldset>
      <legend>Status</legend>
      <div class="later-row">
        <p>{text === '' && emoji === '' ? 'You have none.' : `${emoji}${text}`}</p>
        <button type="button" onClick={() => openPanel({ about: 'status' })}>
          Set a status
        </button>
      </div>
    </fieldset>
  );
}

/** A new password, which logs all other browsers out. */
export function Password() {
  const [before, setBefore] = useState('');
  const [after, setAfter] = useState('');
  if (app.read('realm').facts.realm_email_auth_enabled === false) return null;
  return (
    <fieldset>
      <legend>Password</legend>
      <Form
        submit="Change password"
        isDisabled={before === '' || after === ''}
        onSubmit={async () => {
          await changePassword(before, after);
          setBefore('');
          setAfter('');
          say('Your password is changed, and all other browsers are logged out.');
        }}
      >
        <Field
          label="Password of now"
          type="password"
          autocomplete="current-password"
          value={before}
          onInput={setBefore}
        />
        <Field
          label="New password"
          type="password"
          autocomplete="new-password"
          hint="All other browsers are logged out, and keys of programs end."
          value={after}
          onInput={setAfter}
        />
      </Form>
    </fieldset>
  );
}

/** The key with which programs act as the account. */
export function ApiKey() {
  const [password, setPassword] = useState('');
  const [key, setKey] = useState<string | null>(null);
  return (
    <fieldset>
      <legend>API key</legend>
      {key === null ? (
        <Form
          submit="Show a key"
          isDisabled={password === ''}
          onSubmit={async () => {
            setKey(await apiKey(password));
            setPassword('');
          }}
        >
          <Field
            label="Your password"
            type="password"
            autocomplete="current-password"
            hint="Programs that have a key do anything that you may do."
            value={password}
            onInput={setPassword}
          />
        </Form>
      ) : (
        <>
          <Secret text={key} what="key" />
          <p class="muted">It is shown this once. Give it to nobody whom you do not trust.</p>
        </>
      )}
    </fieldset>
  );
}
