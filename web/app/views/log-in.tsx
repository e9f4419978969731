import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { keepAccount, keptAccount } from '../net/account.ts';
import { openConnection } from '../net/connection.ts';
import { hasPasskeys, logInByPasskey, secondStep } from '../net/second-step.ts';
import {
  type DemoPerson,
  type Doorstep,
  doorstep,
  logIn,
  logInAs,
  PASSWORD_RESET_PATH,
  type SignInProvider,
} from '../net/session.ts';
import { adopt } from '../parts/adopt.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Mark } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { app } from '../store/app.ts';
import { style } from '../style/later/door.css';

adopt(style);

/** The page of those who are not logged in. */
export function LogIn() {
  const [door, setDoor] = useState<Doorstep | null>(null);
  const [fault, setFault] = useState<string | null>(app.fault.value);
  const [isBusy, setBusy] = useState(false);
  const [methods, setMethods] = useState<readonly string[] | null>(null);
  const [isLacking, lookForStep] = useLacking();

  useEffect(() => {
    document.title = 'Log in · confab';
    doorstep().then(setDoor, (error: Error) => setFault(error.message));
    // Somebody who is logged in and yet here may have to add a second step first.
    if (keptAccount() !== null) void lookForStep();
  }, []);

  const enter = async (entering: Promise<void>) => {
    setBusy(true);
    setFault(null);
    try {
      await entering;
      await openConnection();
      if (app.phase.value !== 'logged-out') return;
      await lookForStep();
      setFault(app.fault.value);
      setBusy(false);
    } catch (error) {
      const ways = (error as { methods?: readonly string[] }).methods;
      if (ways !== undefined) setMethods(ways);
      setFault(ways === undefined ? String((error as Error).message ?? error) : null);
      setBusy(false);
    }
  };
  const byPasskey = async () => keepAccount(await logInByPasskey());
  if (isLacking) return <AddingSecondStep realmName={door?.realmName ?? ''} />;

  return (
    <main class="door">
      <div class="door-card">
        <header>
          {door?.iconUrl ? (
            <img class="realm-icon" src={door.iconUrl} alt="" width="48" height="48" />
          ) : (
            <Mark />
          )}
          <h1>Log in</h1>
          <p class="muted">{door?.realmName ? `to ${door.realmName}` : '\u00a0'}</p>
        </header>
        {door === null || door.hasPasswords ? (
          <PasswordForm
            isBusy={isBusy}
            mailsLinks={door?.mailsLinks === true}
            takesNames={door?.takesNames === true}
            fault={fault}
            methods={methods}
            onSubmit={(email, password, code) => void enter(logIn(email, password, code))}
            onBack={() => {
              setMethods(null);
              setFault(null);
            }}
          />
        ) : (
          <p>This organization lets nobody log in with a password.</p>
        )}
        {door === null || door.providers.length === 0 ? null : (
          <Providers providers={door.providers} />
        )}
        {hasPasskeys() && (methods === null || methods.includes('passkey')) ? (
          <button
            type="button"
            class="passkey"
            disabled={isBusy}
            onClick={() => void enter(byPasskey())}
          >
            Log in with a passkey
          </button>
        ) : null}
        {door === null || door.demo.length === 0 ? null : (
          <DemoPeople
            people={door.demo}
            isBusy={isBusy}
            onPick={(person) => void enter(logInAs(person))}
          />
        )}
      </div>
    </main>
  );
}

/**
 * Returns whether the account has to add a second step before all else, and a function that finds
 * out after a refusal.
 */
function useLacking(): [boolean, () => Promise<void>] {
  const [isLacking, setLacking] = useState(false);
  const look = () =>
    secondStep().then(
      () => setLacking(true),
      () => undefined,
    );
  return [isLacking, look];
}

interface PasswordFormProps {
  readonly isBusy: boolean;
  readonly mailsLinks: boolean;
  readonly takesNames: boolean;
  readonly fault: string | null;
  /** The ways of the second step, once the password was right; null before. */
  readonly methods: readonly string[] | null;
  readonly onSubmit: (email: string, password: string, code?: string) => void;
  readonly onBack: () => void;
}

function PasswordForm(props: PasswordFormProps) {
  const { isBusy, mailsLinks, takesNames, fault, methods, onSubmit, onBack } = props;
  const id = useId();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  if (methods !== null) {
    return (
      <CodeForm
        isBusy={isBusy}
        fault={fault}
        methods={methods}
        onCode={(code) => onSubmit(email.trim(), password, code)}
        onBack={onBack}
      />
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(email.trim(), password);
      }}
    >
      <label for={`${id}-email`}>
        {takesNames ? 'User name or email address' : 'Email address'}
      </label>
      <input
        ref={first}
        id={`${id}-email`}
        inputmode={takesNames ? 'text' : 'email'}
        name="username"
        autocomplete="username"
        required
        value={email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <label for={`${id}-password`}>Password</label>
      <input
        id={`${id}-password`}
        type="password"
        name="password"
        autocomplete="current-password"
        required
        aria-invalid={fault !== null}
        aria-describedby={`${id}-fault`}
        value={password}
        onInput={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      <p class="fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
      <button type="submit" class="first" disabled={isBusy}>
        {isBusy ? 'Logging in …' : 'Log in'}
      </button>
      {mailsLinks ? (
        <p class="door-links">
          <a href={PASSWORD_RESET_PATH}>Forgot your password?</a>
        </p>
      ) : null}
    </form>
  );
}

/** Links that lead to providers, and back to where the person wanted to be. */
function Providers({ providers }: { readonly providers: readonly SignInProvider[] }) {
  const place = encodeURIComponent(location.hash);
  return (
    <ul class="providers" aria-label="Other ways to log in">
      {providers.map(({ name, url, iconUrl }) => (
        <li key={url}>
          <a href={`${url}?place=${place}`}>
            {iconUrl === null ? null : <img src={iconUrl} alt="" width="20" height="20" />}
            Log in with {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface CodeFormProps {
  readonly isBusy: boolean;
  readonly fault: string | null;
  readonly methods: readonly string[];
  readonly onCode: (code: string) => void;
  readonly onBack: () => void;
}

/** Asks for the second step, after a password that was right. */
function CodeForm({ isBusy, fault, methods, onCode, onBack }: CodeFormProps) {
  const id = useId();
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCode(code);
      }}
    >
      <label for={id}>
        {methods.includes('app') ? 'Code of your app, or a recovery code' : 'Recovery code'}
      </label>
      <input
        ref={field}
        id={id}
        type="text"
        name="code"
        autocomplete="one-time-code"
        autocapitalize="off"
        spellcheck={false}
        maxLength={40}
        required
        value={code}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-fault`}
        onInput={({ currentTarget }) => setCode(currentTarget.value)}
      />
      <p class="fault" id={`${id}-fault`} role="alert">
        {fault}
      </p>
      <button type="submit" class="first" disabled={isBusy}>
        {isBusy ? 'Logging in …' : 'Log in'}
      </button>
      <p class="door-links">
        <button type="button" class="link" onClick={onBack}>
          Use another account
        </button>
      </p>
    </form>
  );
}

const SecondStep = lazy(async () => (await import('./settings/second-step.tsx')).SecondStep);

/** Shown to those who are logged in and may do nothing else before they have a second step. */
const AddingSecondStep = ({ realmName }: { readonly realmName: string }) => (
  <main class="door">
    <div class="door-card wide">
      <header>
        <h1>Add a second step</h1>
        <p class="muted">{realmName} asks all people to log in with more than a password.</p>
      </header>
      <SecondStep onChange={() => void openConnection()} />
    </div>
  </main>
);

interface DemoPeopleProps {
  readonly people: readonly DemoPerson[];
  readonly isBusy: boolean;
  readonly onPick: (person: DemoPerson) => void;
}

/** Buttons that log in at once; only a demo organization has them. */
function DemoPeople({ people, isBusy, onPick }: DemoPeopleProps) {
  return (
    <section class="demo" aria-labelledby="demo">
      <h2 id="demo">Or look around as somebody</h2>
      <ul>
        {people.map((person) => (
          <li key={person.id}>
            <button type="button" disabled={isBusy} onClick={() => onPick(person)}>
              <Avatar person={{ ...person, avatarUrl: null }} />
              <span>
                <strong>{person.name}</strong>
                <small>{person.role}</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
