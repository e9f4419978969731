import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt, Choice, Field, Form, Switch } from '../../parts/form.tsx';
import { mayAdministerChannel } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import {
  addSubscribers,
  archiveChannel,
  changeChannel,
  changeOwn,
  type OwnProperty,
  subscribe,
  unsubscribe,
} from '../../store/channels/browse.ts';
import { say } from '../../store/notices.ts';
import { PeopleField } from './people-field.tsx';

export interface ChannelSettingsProps {
  readonly channelId: number;
  readonly onClose: () => void;
}

/** Shows what one may change of a channel, for oneself and for all. */
export function ChannelSettings({ channelId, onClose }: ChannelSettingsProps) {
  const state = app.read('channels', 'subscriptions', 'groups', 'own');
  const channel = state.channels.get(channelId);
  if (channel === undefined || channel.is_archived) return null;
  const isSubscribed = state.subscriptions.has(channelId);
  const { name, description, subscriber_count: count } = channel;
  return (
    <Dialog title={`#${name}`} class="wide" onClose={onClose}>
      {description === '' ? null : <p class="later-lead">{description}</p>}
      <div class="later-row">
        <p class="muted">
          {channel.invite_only ? 'Private' : 'Open to all members'} ·{' '}
          {count === 1 ? '1 subscriber' : `${count} subscribers`}
        </p>
        <button
          type="button"
          onClick={() => attempt(isSubscribed ? unsubscribe(name) : subscribe(name))}
        >
          {isSubscribed ? 'Leave the channel' : 'Join the channel'}
        </button>
      </div>
      {isSubscribed ? <Own channelId={channelId} /> : null}
      {isSubscribed ? <Add name={name} /> : null}
      {mayAdministerChannel(state, channelId) ? (
        <ForAll key={`${name} ${description}`} channelId={channelId} onClose={onClose} />
      ) : null}
    </Dialog>
  );
}

const NOTIFICATIONS: readonly (readonly [OwnProperty, string])[] = [
  ['desktop_notifications', 'On the desktop'],
  ['audible_notifications', 'With a sound'],
  ['push_notifications', 'On the phone'],
  ['email_notifications', 'By mail'],
];

/** A channel follows the settings of the account until it has its own. */
const ANSWERS: readonly (readonly [string, string])[] = [
  ['null', 'As in your settings'],
  ['true', 'Always'],
  ['false', 'Never'],
];

function Own({ channelId }: { readonly channelId: number }) {
  const own = app.read('subscriptions').subscriptions.get(channelId);
  if (own === undefined) return null;
  const change = (property: OwnProperty, value: boolean | string | null) =>
    changeOwn(channelId, property, value);
  return (
    <section class="later-section">
      <h3>For you</h3>
      <Switch
        label="Pinned to the top"
        checked={own.pin_to_top}
        onChange={(wanted) => change('pin_to_top', wanted)}
      />
      <Switch
        label="Muted"
        hint="Its messages count as unread nowhere, unless you follow their topics."
        checked={own.is_muted}
        onChange={(wanted) => change('is_muted', wanted)}
      />
      <label class="check">
        <input
          type="color"
          value={own.color}
          onChange={({ currentTarget }) => attempt(change('color', currentTarget.value))}
        />
        Colour
      </label>
      <h4>Tell me of each message</h4>
      <div class="later-grid">
        {NOTIFICATIONS.map(([property, label]) => (
          <Choice
            key={property}
            label={label}
            value={String(own[property as keyof typeof own] ?? null)}
            options={ANSWERS}
            onChange={(value) => attempt(change(property, JSON.parse(value) as boolean | null))}
          />
        ))}
      </div>
    </section>
  );
}

function Add({ name }: { readonly name: string }) {
  const [userIds, setUserIds] = useState<readonly number[]>([]);
  return (
    <section class="later-section">
      <h3>People</h3>
      <Form
        submit="Add"
        isDisabled={userIds.length === 0}
        onSubmit={async () => {
          await addSubscribers(name, userIds);
          setUserIds([]);
          say(`They are in #${name}.`);
        }}
      >
        <PeopleField label="Add people" chosen={userIds} onChange={setUserIds} />
      </Form>
    </section>
  );
}

function ForAll({ channelId, onClose }: ChannelSettingsProps) {
  const channel = app.read('channels').channels.get(channelId);
  const [name, setName] = useState(channel?.name ?? '');
  const [description, setDescription] = useState(channel?.description ?? '');
  const [isSure, setSure] = useState(false);
  if (channel === undefined) return null;
  const save = async () => {
    await changeChannel(channelId, {
      ...(name.trim() === channel.name ? {} : { new_name: name.trim() }),
      ...(description.trim() === channel.description ? {} : { description: description.trim() }),
    });
    say('The channel is changed.');
  };
  const isSame = name.trim() === channel.name && description.trim() === channel.description;
  return (
    <section class="later-section">
      <h3>For everybody</h3>
      <Form submit="Save" isDisabled={isSame || name.trim() === ''} onSubmit={save}>
        <Field label="Name" value={name} onInput={setName} />
        <Field label="What it is about" value={description} rows={2} onInput={setDescription} />
      </Form>
      <Switch
        label="Private"
        hint="Only those who were added know of it."
        checked={channel.invite_only}
        onChange={(wanted) =>
          changeChannel(channelId, { is_private: wanted, history_public_to_subscribers: true })
        }
      />
      {isSure ? (
        <Form
          submit="Archive the channel"
          isGrave
          onCancel={() => setSure(false)}
          onSubmit={async () => {
            await archiveChannel(channelId);
            onClose();
            say(`#${channel.name} is archived.`);
          }}
        >
          <p>Nobody can write to it from then on. Its messages stay.</p>
        </Form>
      ) : (
        <button type="button" class="grave" onClick={() => setSure(true)}>
          Archive …
        </button>
      )}
    </section>
  );
}
