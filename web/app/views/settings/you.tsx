import { useState } from 'preact/hooks';
import { sendsMail } from '../../net/session.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { attempt, Field, Form } from '../../parts/form.tsx';
import { KeptChoice } from '../../parts/pages/kept.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { PictureInput } from '../../parts/pages/picture-input.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { changeAccount } from '../../store/account/preferences.ts';
import {
  askForAddress,
  ownZone,
  pictureRights,
  removePicture,
  setAddress,
  setPicture,
  timeZones,
} from '../../store/account/profile.ts';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import { me } from '../../store/model.ts';
import { say } from '../../store/notices.ts';
import { openPanel } from '../../store/panels.ts';
import { emojiOf } from '../persons/emoji-of.ts';
import { ProfileFields } from './profile-fields.tsx';

/** The account as others see it. */
export const You = () => (
  <>
    <Picture />
    <Name />
    <Status />
    <Address />
    <Zone />
    <ProfileFields />
  </>
);

function Picture() {
  const { mayChange, isUploaded, mibMax } = pictureRights(app.read('own', 'realm'));
  return (
    <Panel title="Picture">
      <div class="later-row near">
        <span class="own-picture">
          <Avatar person={me.value} size="l" />
        </span>
        {mayChange ? (
          <PictureInput
            label={isUploaded ? 'Choose another picture' : 'Choose a picture'}
            hint={`A square of it is shown. It has at most ${mibMax} MiB.`}
            mibMax={mibMax}
            onTake={async (file) => {
              await setPicture(file, file.name);
              say('Your picture is changed.');
            }}
          />
        ) : (
          <p class="muted">Only administrators change pictures here.</p>
        )}
        {mayChange && isUploaded ? (
          <button
            type="button"
            onClick={() => attempt(removePicture(), 'Your picture is taken away.')}
          >
            Take it away
          </button>
        ) : null}
      </div>
    </Panel>
  );
}

const NAME_LENGTH_MAX = 100;

function Name() {
  const { name } = me.value;
  const [wanted, setWanted] = useState(name);
  const { facts } = app.read('realm', 'own');
  const isFixed = facts.realm_name_changes_disabled === true && facts.is_admin !== true;
  return (
    <Panel title="Your name">
      {isFixed ? (
        <p>{name} · only administrators change names here.</p>
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
            value={wanted}
            maxLength={NAME_LENGTH_MAX}
            autocomplete="name"
            onInput={setWanted}
          />
        </Form>
      )}
    </Panel>
  );
}

/** The status that others see beside the name. */
function Status() {
  const { statuses, ownId } = app.read('statuses', 'own');
  const own = statuses.get(ownId);
  const text = own?.status_text ?? '';
  const emoji =
    own?.reaction_type === 'unicode_emoji' && own.emoji_code !== undefined
      ? `${emojiOf(own.emoji_code)} `
      : '';
  return (
    <Panel title="Status">
      <div class="later-row">
        <p>{text === '' && emoji === '' ? 'You have none.' : `${emoji}${text}`}</p>
        <button type="button" onClick={() => openPanel({ about: 'status' })}>
          Set a status
        </button>
      </div>
    </Panel>
  );
}

function Address() {
  const { email } = me.value;
  const [wanted, setWanted] = useState('');
  const [asked, setAsked] = useState<string | null>(null);
  const { value: hasMail } = useLoaded(sendsMail);
  const state = app.read('realm', 'own');
  const isAllowed = isAdministrator(state);
  const isFixed = state.facts.realm_email_changes_disabled === true && !isAllowed;
  // Administrators change addresses at once, which helps where no mail could confirm it.
  const isAtOnce = hasMail === false && isAllowed;
  const isOff = isFixed || (hasMail === false && !isAllowed);
  return (
    <Panel title="Mail address" hint={email}>
      {isOff ? (
        <p>
          {isFixed
            ? 'Only administrators change addresses here.'
            : 'This server sends no mail yet, so that no address can be confirmed. An administrator changes it for you.'}
        </p>
      ) : (
        <Form
          submit={isAtOnce ? 'Change the address' : 'Mail a link to it'}
          isDisabled={wanted.trim() === '' || wanted.trim() === email}
          onSubmit={async () => {
            const address = wanted.trim();
            if (isAtOnce) await setAddress(address);
            else await askForAddress(address);
            setAsked(isAtOnce ? null : address);
            setWanted('');
            if (isAtOnce) say('Your address is changed.');
          }}
        >
          <Field
            label="Another address"
            type="email"
            autocomplete="email"
            hint={
              isAtOnce
                ? 'This server sends no mail that could confirm it, so that it holds at once.'
                : 'It changes when you open the link that is mailed there, within a day.'
            }
            value={wanted}
            onInput={setWanted}
          />
        </Form>
      )}
      <p role="status">
        {asked === null
          ? ''
          : `A link is on its way to ${asked}. Until you open it, nothing changes.`}
      </p>
    </Panel>
  );
}

function Zone() {
  const state = app.read('users', 'settings');
  const own = state.facts.user_settings?.timezone ?? '';
  const here = ownZone();
  const set = (timezone: string) => changeAccount({ timezone });
  return (
    <Panel title="Time zone" hint="Others see what time it is for you.">
      <KeptChoice label="Your time zone" value={own} options={timeZones(own)} onKeep={set} />
      {here === own || here === '' ? null : (
        <button type="button" onClick={() => attempt(set(here), `You are in ${here} now.`)}>
          Use that of this browser: {here.replaceAll('_', ' ')}
        </button>
      )}
    </Panel>
  );
}
