import { useEffect, useState } from 'preact/hooks';
import { attempt, Choice, Field, Form, Switch } from '../../parts/form.tsx';
import { isAdministrator } from '../../store/account/rights.ts';
import { app } from '../../store/app.ts';
import {
  archiveChannel,
  type ChannelChange,
  changeChannel,
  endMailAddresses,
  type Privacy,
  privacyChange,
  privacyOf,
} from '../../store/channels/browse.ts';
import { listedFolders } from '../../store/channels/folders.ts';
import { isOwner } from '../../store/channels/permissions.ts';
import { say } from '../../store/notices.ts';
import { PrivacyChoice } from './privacy-choice.tsx';

interface ForAllProps {
  readonly channelId: number;
  readonly onClose: () => void;
}

/** A channel as it is for all, for those who administer it. */
export function ForAll({ channelId, onClose }: ForAllProps) {
  return (
    <>
      <NameAndDescription channelId={channelId} />
      <PrivacyField channelId={channelId} />
      <Rest channelId={channelId} />
      <MailAddresses channelId={channelId} />
      <Archive channelId={channelId} onClose={onClose} />
    </>
  );
}

type OfChannel = Pick<ForAllProps, 'channelId'>;

function NameAndDescription({ channelId }: OfChannel) {
  const channel = app.read('channels').channels.get(channelId);
  const [name, setName] = useState(channel?.name ?? '');
  const [description, setDescription] = useState(channel?.description ?? '');
  // Another one may have changed them meanwhile.
  useEffect(() => setName(channel?.name ?? ''), [channel?.name]);
  useEffect(() => setDescription(channel?.description ?? ''), [channel?.description]);
  if (channel === undefined) return null;
  const save = async () => {
    await changeChannel(channelId, {
      ...(name.trim() === channel.name ? {} : { new_name: name.trim() }),
      ...(description.trim() === channel.description ? {} : { description: description.trim() }),
    });
    say('The channel is changed.');
  };
  const { max_stream_name_length: nameMax, max_stream_description_length: textMax } =
    app.read('server').facts;
  const isSame = name.trim() === channel.name && description.trim() === channel.description;
  return (
    <Form submit="Save" isDisabled={isSame || name.trim() === ''} onSubmit={save}>
      <Field label="Name" value={name} maxLength={nameMax ?? 60} onInput={setName} />
      <Field
        label="What it is about"
        value={description}
        maxLength={textMax ?? 1_024}
        rows={2}
        onInput={setDescription}
      />
    </Form>
  );
}

/** A choice of who finds and reads the channel, which asks before it is changed. */
function PrivacyField({ channelId }: OfChannel) {
  const channel = app.read('channels').channels.get(channelId);
  const [wanted, setWanted] = useState<Privacy | null>(null);
  if (channel === undefined) return null;
  const now = privacyOf(channel);
  return (
    <PrivacyChoice
      legend="Who finds and reads it"
      value={wanted ?? now}
      now={now}
      onChange={setWanted}
    >
      {wanted === null || wanted === now ? null : (
        <Form
          submit="Change who reads it"
          onCancel={() => setWanted(null)}
          onSubmit={async () => {
            await changeChannel(channelId, privacyChange(wanted));
            setWanted(null);
          }}
        >
          <p class="warning">{consequence(now, wanted)}</p>
        </Form>
      )}
    </PrivacyChoice>
  );
}

const isOpen = (privacy: Privacy) => privacy === 'public' || privacy === 'web-public';

/** Returns what follows from a change, so that nobody is surprised. */
function consequence(from: Privacy, to: Privacy): string {
  if (to === 'web-public') return 'Everybody on the web reads all of its messages from then on.';
  if (to === 'public') return 'All members can read all of its messages, old ones too.';
  if (isOpen(from)) return 'Those who are in the channel stay; others do not find it any more.';
  return to === 'private'
    ? 'Those who are added from then on read what was written before, too.'
    : 'Those who are added from then on read only what is written afterwards.';
}

const POLICIES: readonly (readonly [ChannelChange['topics_policy'] & string, string])[] = [
  ['inherit', 'As the organization says'],
  ['allow_empty_topic', 'With or without a topic'],
  ['disable_empty_topic', 'Always with a topic'],
  ['empty_topic_only', 'Never with a topic'],
];

function Rest({ channelId }: OfChannel) {
  const state = app.read('channels', 'folders', 'defaultChannels', 'own');
  const channel = state.channels.get(channelId);
  if (channel === undefined) return null;
  const change = (some: ChannelChange) => changeChannel(channelId, some);
  const folders = listedFolders(state).filter(({ isArchived }) => !isArchived);
  return (
    <>
      <div class="later-grid">
        <Choice
          label="Folder"
          value={String(channel.folder_id)}
          options={[
            ['null', 'None'],
            ...folders.map(({ id, name }) => [String(id), name] as const),
          ]}
          onChange={(value) => attempt(change({ folder_id: JSON.parse(value) as number | null }))}
        />
        <Choice
          label="Messages have a topic"
          value={channel.topics_policy}
          options={POLICIES}
          onChange={(value) =>
            attempt(change({ topics_policy: value as NonNullable<ChannelChange['topics_policy']> }))
          }
        />
      </div>
      {isAdministrator(state) && !channel.invite_only ? (
        <Switch
          label="New people are in it from the beginning"
          checked={state.facts.realm_default_streams?.includes(channelId) === true}
          onChange={(wanted) => change({ is_default_stream: wanted })}
        />
      ) : null}
      {isOwner(state) ? (
        <Retention channelId={channelId} days={channel.message_retention_days} />
      ) : null}
    </>
  );
}

type Retained = 'realm_default' | 'unlimited' | 'days';

interface RetentionProps extends OfChannel {
  /** Null: as the organization; -1: for ever. */
  readonly days: number | null;
}

/** The time for which messages are kept; only an owner decides on what is lost. */
function Retention({ channelId, days }: RetentionProps) {
  const now: Retained = days === null ? 'realm_default' : days < 0 ? 'unlimited' : 'days';
  const [kind, setKind] = useState<Retained>(now);
  const [text, setText] = useState(now === 'days' ? String(days) : '90');
  const count = Number(text);
  const isCount = Number.isInteger(count) && count > 0;
  const isSame = kind === now && (kind !== 'days' || count === days);
  return (
    <Form
      submit="Save how long"
      isDisabled={isSame || (kind === 'days' && !isCount)}
      onSubmit={async () => {
        await changeChannel(channelId, {
          message_retention_days: kind === 'days' ? count : kind,
        });
        say('How long messages are kept is changed.');
      }}
    >
      <div class="later-grid">
        <Choice
          label="Messages are kept"
          value={kind}
          options={[
            ['realm_default', 'As the organization says'],
            ['unlimited', 'For ever'],
            ['days', 'For some days'],
          ]}
          onChange={(value) => setKind(value as Retained)}
        />
        {kind === 'days' ? <Field label="Days" value={text} onInput={setText} /> : null}
      </div>
      {kind === 'days' && !isSame ? (
        <p class="warning">Older messages are deleted, and nobody can bring them back.</p>
      ) : null}
    </Form>
  );
}

/** Ends the mail addresses of the channel, if one has come into the wrong hands. */
const MailAddresses = ({ channelId }: OfChannel) => (
  <GraveAct
    title="Mail"
    button="End all mail addresses …"
    submit="End all addresses"
    warning="Mails to the present addresses of this channel are refused from then on. Everybody can get a new address."
    act={async () => {
      await endMailAddresses(channelId);
      say('All mail addresses of the channel have ended.');
    }}
  />
);

function Archive({ channelId, onClose }: ForAllProps) {
  const channel = app.read('channels').channels.get(channelId);
  if (channel === undefined) return null;
  return (
    <GraveAct
      title="Archive"
      button="Archive …"
      submit="Archive the channel"
      warning="Nobody can write to it from then on. Its messages stay, and it can be brought back among the channels."
      act={async () => {
        await archiveChannel(channelId);
        onClose();
        say(`#${channel.name} is archived.`);
      }}
    />
  );
}

interface GraveActProps {
  readonly title: string;
  readonly button: string;
  /** Says what follows, to somebody who has pressed the button. */
  readonly warning: string;
  readonly submit: string;
  readonly act: () => Promise<void>;
}

/** An act for everybody, which is done when the person is sure. */
function GraveAct({ title, button, warning, submit, act }: GraveActProps) {
  const [isSure, setSure] = useState(false);
  return (
    <section class="later-section">
      <h3>{title}</h3>
      {isSure ? (
        <Form
          submit={submit}
          isGrave
          onCancel={() => setSure(false)}
          onSubmit={async () => {
            await act();
            setSure(false);
          }}
        >
          <p>{warning}</p>
        </Form>
      ) : (
        <button type="button" class="grave" onClick={() => setSure(true)}>
          {button}
        </button>
      )}
    </section>
  );
}
