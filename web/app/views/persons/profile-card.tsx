import { useState } from 'preact/hooks';
import { copy } from '../../net/clipboard.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { app } from '../../store/app.ts';
import { channelOf, nowMs, personOf, presenceOf } from '../../store/model.ts';
import { hrefOf, navigate } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import { groupsOf } from '../../store/people/groups.ts';
import {
  COMMON_UNASKED_MAX,
  channelsInCommon,
  lastHere,
  localTime,
  mentionText,
  mutePerson,
  type Profile,
  profileFields,
  profileIn,
  sizeOfOwnChannels,
  valueText,
} from '../../store/people/profile.ts';
import { channelNarrow, dmNarrow, type Narrow, narrowRoute } from '../../store/route.ts';
import { clock, day } from '../../store/times.ts';
import { emojiOf } from './emoji-of.ts';
import '../channels/style.ts';

export interface ProfileCardProps {
  readonly userId: number;
  readonly onClose: () => void;
}

const PRESENCE_WORDS = { active: 'Online', idle: 'Away', offline: 'Offline' };

/** A card that says who somebody is, with what one can do about them. */
export function ProfileCard({ userId, onClose }: ProfileCardProps) {
  const state = app.read('users', 'statuses', 'mutedUsers', 'own');
  const profile = profileIn(state, userId);
  if (profile === null) {
    return (
      <Dialog title="Unknown user" onClose={onClose}>
        <p>You may not see this person, or they are not here any more.</p>
      </Dialog>
    );
  }
  const go = (narrow: Narrow) => {
    onClose();
    navigate(narrowRoute(narrow));
  };
  const isOwn = userId === state.ownId;
  return (
    <Dialog title={profile.name} isBare onClose={onClose}>
      <div class="profile">
        <Head profile={profile} onClose={onClose} />
        <Facts profile={profile} />
        <Groups userId={userId} />
        {isOwn ? null : <InCommon userId={userId} onClose={onClose} />}
        <div class="form-buttons">
          <button type="button" class="first" onClick={() => go(dmNarrow([userId]))}>
            {isOwn ? 'Notes to yourself' : 'Write a message'}
          </button>
          <button
            type="button"
            onClick={() => go([{ operator: 'sender', operand: userId, negated: false }])}
          >
            {isOwn ? 'See what you wrote' : 'See their messages'}
          </button>
          {isOwn ? (
            <button type="button" onClick={() => openPanel({ about: 'status' })}>
              Set a status
            </button>
          ) : (
            <button type="button" onClick={() => attempt(mutePerson(userId, !profile.isMuted))}>
              {profile.isMuted ? 'Stop muting' : 'Mute'}
            </button>
          )}
          <button
            type="button"
            onClick={() => attempt(copy(mentionText(state, userId)), 'The mention is copied.')}
          >
            Copy the mention
          </button>
        </div>
        {profile.isMuted ? (
          <p class="muted">You have muted them: what they write is read at once.</p>
        ) : null}
      </div>
    </Dialog>
  );
}

interface HeadProps {
  readonly profile: Profile;
  readonly onClose: () => void;
}

function Head({ profile, onClose }: HeadProps) {
  const { id, name, role, isActive, statusText, statusEmoji } = profile;
  const presence = presenceOf(id);
  return (
    <div class="profile-head">
      <Avatar person={personOf(id)} size="l" presence={presence} />
      <div class="card-text">
        <h2>{name}</h2>
        <p class="muted">
          {role} · {isActive ? PRESENCE_WORDS[presence] : 'Deactivated'}
        </p>
        {statusText === '' && statusEmoji === null ? null : (
          <p>
            {statusEmoji === null ? null : <span class="emoji">{`${emojiOf(statusEmoji)} `}</span>}
            {statusText}
          </p>
        )}
      </div>
      <button type="button" class="icon" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function Facts({ profile }: { readonly profile: Profile }) {
  const { email, timezone, ownerId, joined, values } = profile;
  const { value: fields } = useLoaded(profileFields);
  const time = localTime(timezone, nowMs.value);
  const facts: (readonly [string, string])[] = [];
  const here = lastHere(app.read('presence'), profile.id);
  if (email !== null) facts.push(['Mail', email]);
  if (time !== null) facts.push(['Their time', `${time} (${timezone})`]);
  if (ownerId !== null) facts.push(['Owner', personOf(ownerId).name]);
  if (here !== null && presenceOf(profile.id) === 'offline') {
    facts.push(['Last here', `${day(here, nowMs.value)}, ${clock(here)}`]);
  }
  facts.push(['Here since', day(Date.parse(joined), nowMs.value)]);
  for (const field of fields ?? []) {
    const value = values.get(field.id);
    if (value !== undefined && value !== '') {
      facts.push([field.name, valueText(field, value, (one) => personOf(one).name)]);
    }
  }
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt key={`${name} name`}>{name}</dt>
          <dd key={name}>{value}</dd>
        </>
      ))}
    </dl>
  );
}

/** The groups that somebody is in, each with a card of its own. */
function Groups({ userId }: { readonly userId: number }) {
  const groups = groupsOf(app.read('groups'), userId);
  if (groups.length === 0) return null;
  return (
    <section class="profile-part">
      <h3>Groups</h3>
      <ul class="chips">
        {groups.map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              class="chip"
              onClick={() => openPanel({ about: 'group', groupId: id })}
            >
              {name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** More are counted. */
const CHANNELS_SHOWN = 12;

/** The channels in which both are; in large organizations they are fetched when asked for. */
function InCommon({ userId, onClose }: ProfileCardProps) {
  const [isWanted, setWanted] = useState(() => sizeOfOwnChannels(app.read()) <= COMMON_UNASKED_MAX);
  return (
    <section class="profile-part">
      <h3>Channels in common</h3>
      {isWanted ? (
        <Common key={userId} userId={userId} onClose={onClose} />
      ) : (
        <button type="button" onClick={() => setWanted(true)}>
          Look for them
        </button>
      )}
    </section>
  );
}

function Common({ userId, onClose }: ProfileCardProps) {
  const { value } = useLoaded(() => channelsInCommon(userId));
  if (value === null) return <p class="muted">…</p>;
  const known = value.filter((id) => channelOf(id)?.isArchived === false);
  if (known.length === 0) return <p class="muted">None.</p>;
  return (
    <ul class="chips">
      {known.slice(0, CHANNELS_SHOWN).map((id) => (
        <li key={id}>
          <a class="chip" href={hrefOf(narrowRoute(channelNarrow(id)))} onClick={onClose}>
            {channelOf(id)?.name}
          </a>
        </li>
      ))}
      {known.length > CHANNELS_SHOWN ? (
        <li class="muted">and {known.length - CHANNELS_SHOWN} more</li>
      ) : null}
    </ul>
  );
}
