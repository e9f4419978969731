import { Avatar } from '../../parts/avatar.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { attempt } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { app } from '../../store/app.ts';
import { nowMs, personOf, presenceOf } from '../../store/model.ts';
import { navigate } from '../../store/navigation.ts';
import { openPanel } from '../../store/panels.ts';
import {
  localTime,
  mutePerson,
  type Profile,
  profileFields,
  profileIn,
  valueText,
} from '../../store/people/profile.ts';
import { dmNarrow, type Narrow, narrowRoute } from '../../store/route.ts';
import { day } from '../../store/times.ts';
import { emojiOf } from './emoji-of.ts';

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
  if (email !== null) facts.push(['Mail', email]);
  if (time !== null) facts.push(['Their time', `${time} (${timezone})`]);
  if (ownerId !== null) facts.push(['Owner', personOf(ownerId).name]);
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
