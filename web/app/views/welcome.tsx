import '../parts/later-style.ts';
import type { ComponentChildren } from 'preact';
import { adopt } from '../parts/adopt.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { run } from '../store/commands.ts';
import { channels, me, realm } from '../store/model.ts';
import { hrefOf, navigate } from '../store/navigation.ts';
import { channelNarrow, INBOX, narrowRoute } from '../store/route.ts';
import { style } from '../style/later/welcome.css';

adopt(style);

/** Tells somebody who has just joined where they are, and how to begin. */
export function WelcomeView() {
  const { name, email } = me.value;
  const [first = name] = name.split(' ');
  return (
    <div class="later-page welcome">
      <header>
        <h2>
          Welcome to {realm.value.name}, {first}
        </h2>
        <p>
          You are logged in here. Elsewhere you log in as <strong>{email}</strong>, with your
          password. This is how to begin:
        </p>
      </header>
      <ol class="card-list">
        <ReadFirst />
        <Step icon="edit" title="Say hello">
          Go to a channel, write, and send with <kbd>Ctrl Enter</kbd>. A name in the column of
          people leads to a direct message.
        </Step>
        <Step icon="smile" title="Say who you are">
          Your name, your status and how you are notified are in the{' '}
          <a href={hrefOf({ view: 'settings' })}>settings</a>.
        </Step>
        <Step icon="keyboard" title="Find your way">
          <kbd>Ctrl K</kbd> leads to anything that has a name, and <kbd>?</kbd> shows all keys. What
          is unread is in the <a href={hrefOf(INBOX)}>Inbox</a>.
        </Step>
      </ol>
      <p class="welcome-acts">
        <button type="button" class="first" onClick={() => navigate(INBOX)}>
          Go to the Inbox
        </button>
        <button type="button" onClick={() => run('help')}>
          Show all keys
        </button>
      </p>
    </div>
  );
}

/** More would not help anybody to begin. */
const CHANNELS_MAX = 6;

function ReadFirst() {
  const own = [...channels.value.values()]
    .sort((one, other) => one.name.localeCompare(other.name))
    .slice(0, CHANNELS_MAX);
  if (own.length === 0) {
    return (
      <Step icon="hash" title="Join a channel">
        You are in none yet. <a href={hrefOf({ view: 'channels' })}>All channels</a> are there to
        look into and to join.
      </Step>
    );
  }
  return (
    <Step icon="hash" title="Read what was said">
      You are in{' '}
      {own.map(({ id, name }, index) => (
        <span key={id}>
          {separatorBefore(index, own.length)}
          <a href={hrefOf(narrowRoute(channelNarrow(id)))}>{name}</a>
        </span>
      ))}
      . <a href={hrefOf({ view: 'channels' })}>All channels</a> are there to look into and to join.
    </Step>
  );
}

const separatorBefore = (index: number, count: number) =>
  index === 0 ? '' : index === count - 1 ? ' and ' : ', ';

interface StepProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ComponentChildren;
}

const Step = ({ icon, title, children }: StepProps) => (
  <li class="card-row">
    <span class="sign">
      <Icon name={icon} />
    </span>
    <div class="card-text">
      <h3>{title}</h3>
      <p class="welcome-step">{children}</p>
    </div>
  </li>
);
