import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { endOtherSessions, endSession, type Session, sessions } from '../../store/account/keys.ts';
import { changePassword, strengthOf } from '../../store/account/password.ts';
import { deactivateOwn } from '../../store/account/profile.ts';
import { app } from '../../store/app.ts';
import { me, nowMs, realm } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { shortTime } from '../../store/times.ts';
import { leave } from '../leaving.ts';
import { Keys } from './keys.tsx';
import { SecondStep } from './second-step.tsx';

/** Password, browsers, keys, and the end of the account. */
export const Security = () => (
  <>
    <Password />
    <SecondStep />
    <Browsers />
    <Keys />
    <Leaving />
  </>
);

/** As long as servers ask for that do not say it. */
const LENGTH_MIN = 8;

function Password() {
  const [before, setBefore] = useState('');
  const [after, setAfter] = useState('');
  const { facts } = app.read('realm');
  if (facts.realm_email_auth_enabled === false) return null;
  const strength = strengthOf(after, facts.password_min_length ?? LENGTH_MIN);
  return (
    <Panel title="Password">
      <Form
        submit="Change password"
        isDisabled={before === '' || strength.level === 0}
        onSubmit={async () => {
          await changePassword(before, after);
          setBefore('');
          setAfter('');
          say('Your password is changed, and all other browsers are logged out.');
        }}
      >
        <Field
          label="Current password"
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
        <div class="strength" data-level={after === '' ? 0 : strength.level}>
          <span class="strength-bar" aria-hidden="true" />
          <span role="status">{after === '' ? '' : strength.words}</span>
        </div>
        <small class="field-hint">
          An estimate, by length and kinds of characters. A name, a date or a common word in it
          makes it easier to guess than it looks.
        </small>
      </Form>
    </Panel>
  );
}

function Browsers() {
  const { value, reload } = useLoaded(sessions);
  const end = ({ id, is_current: isOwn }: Session) => {
    if (isOwn) void leave();
    else attempt(endSession(id).then(reload));
  };
  const endOthers = async () => {
    await endOtherSessions();
    await reload();
    say('All other browsers are logged out.');
  };
  return (
    <Panel title="Where you are logged in">
      <ul class="card-list">
        {value?.map((session) => (
          <li key={session.id} class="card-row">
            <div class="card-text">
              <span class="card-name cut">
                {session.client === '' ? 'A browser' : session.client}
              </span>
              <p class="card-about">
                {session.is_current
                  ? 'this one'
                  : `used ${shortTime(session.last_used_at * 1_000, nowMs.value)}`}
              </p>
            </div>
            <button type="button" class="card-act" onClick={() => end(session)}>
              Log out
            </button>
          </li>
        ))}
      </ul>
      {(value?.length ?? 0) > 1 ? (
        <button type="button" class="grave" onClick={() => attempt(endOthers())}>
          Log all others out
        </button>
      ) : null}
    </Panel>
  );
}

function Leaving() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Panel title={`Leave ${realm.value.name}`}>
      <p>Your account is deactivated then. What you wrote stays, under your name.</p>
      <button type="button" class="grave" onClick={() => setAsking(true)}>
        Deactivate your account …
      </button>
      {isAsking ? <Deactivation onClose={() => setAsking(false)} /> : null}
    </Panel>
  );
}

function Deactivation({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const { email } = me.value;
  return (
    <Dialog title="Deactivate your account?" onClose={onClose}>
      <Form
        submit="Deactivate my account"
        isGrave
        isDisabled={typed.trim().toLowerCase() !== email.toLowerCase()}
        onCancel={onClose}
        onSubmit={async () => {
          await deactivateOwn();
          location.hash = '';
        }}
      >
        <ul class="consequences">
          <li>You are logged out everywhere, and your keys end.</li>
          <li>Your bots end, and the invitations that you sent.</li>
          <li>Your messages and files stay, under your name.</li>
          <li>Only an administrator lets you in again.</li>
        </ul>
        <Field
          label={`To go on, write your mail address: ${email}`}
          autocomplete="off"
          value={typed}
          isFirst
          onInput={setTyped}
        />
      </Form>
    </Dialog>
  );
}
