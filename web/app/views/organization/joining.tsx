import { useState } from 'preact/hooks';
import { attempt, Check, Field, Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { KeptChoice, KeptSwitch } from '../../parts/pages/kept.tsx';
import { Panel } from '../../parts/pages/panel.tsx';
import { app } from '../../store/app.ts';
import {
  ANNOUNCEMENTS,
  addDomain,
  announcementOptions,
  defaultChannels,
  domains,
  removeDomain,
  setAnnouncement,
  setDefault,
  setWaiting,
  waitingWith,
} from '../../store/organization/joining.ts';
import { isRealmOn, REALM_TOGGLES, setRealmToggle } from '../../store/organization/organization.ts';

/** Says who comes in, and what newcomers find. */
export const Joining = () => (
  <>
    <Ways />
    <Domains />
    <Channels />
    <Announcements />
  </>
);

function Ways() {
  const { facts } = app.read('realm', 'own');
  const isOwner = facts.is_owner === true;
  const days = facts.realm_waiting_period_threshold;
  return (
    <Panel title="Who comes in">
      {REALM_TOGGLES.map(([name, label, who]) => (
        <KeptSwitch
          key={name}
          label={label}
          hint={who === 'owners' && !isOwner ? 'Only owners change this.' : undefined}
          value={isRealmOn(name)}
          isDisabled={who === 'owners' && !isOwner}
          onKeep={(wanted) => setRealmToggle(name, wanted)}
        />
      ))}
      <KeptChoice
        label="Members are new for"
        hint="Some rights may be for those who are not new."
        value={String(days ?? 0)}
        options={waitingWith(days)}
        isDisabled={!isOwner}
        onKeep={setWaiting}
      />
    </Panel>
  );
}

function Domains() {
  const [domain, setDomain] = useState('');
  const [withSubdomains, setWithSubdomains] = useState(false);
  const isOwner = app.read('own').facts.is_owner === true;
  const all = domains();
  return (
    <Panel
      title="Domains of mail addresses"
      hint="They count while only addresses of domains that are allowed may join."
    >
      {all.length === 0 ? (
        <p>None is named.</p>
      ) : (
        <ul class="chips">
          {all.map((one) => (
            <li key={one.domain} class="chip">
              {one.domain}
              {one.allow_subdomains ? ' and below' : ''}
              {isOwner ? (
                <button
                  type="button"
                  class="icon"
                  aria-label={`Take ${one.domain} away`}
                  onClick={() => attempt(removeDomain(one.domain))}
                >
                  <Icon name="close" />
                </button>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {isOwner ? (
        <Form
          submit="Add"
          isDisabled={domain.trim() === ''}
          onSubmit={async () => {
            await addDomain(domain, withSubdomains);
            setDomain('');
          }}
        >
          <Field label="Domain" placeholder="example.com" value={domain} onInput={setDomain} />
          <Check
            label="With what is below it"
            checked={withSubdomains}
            onChange={setWithSubdomains}
          />
        </Form>
      ) : null}
    </Panel>
  );
}

function Channels() {
  const all = defaultChannels(app.read('channels', 'defaultChannels'));
  return (
    <Panel title="Channels that newcomers begin with">
      {all.map(({ id, name, isDefault }) => (
        <KeptSwitch
          key={id}
          label={`#${name}`}
          value={isDefault}
          onKeep={(wanted) => setDefault(id, wanted)}
        />
      ))}
    </Panel>
  );
}

function Announcements() {
  const state = app.read('realm', 'channels');
  return (
    <Panel title="What is announced">
      {ANNOUNCEMENTS.map(([name, label]) => (
        <KeptChoice
          key={name}
          label={label}
          value={String(state.facts[`realm_${name}`] ?? -1)}
          options={announcementOptions(state, name)}
          onKeep={(wanted) => setAnnouncement(name, wanted)}
        />
      ))}
    </Panel>
  );
}
