import { useState } from 'preact/hooks';
import type { Person, Presence } from '../store/shapes.ts';

/** As many as there are colours in the style. */
const HUES = 8;

/** Returns the first letters of the first and the last name. */
const initialsOf = (name: string): string => {
  const words = name.trim().split(/\s+/);
  const first = [...(words[0] ?? '')][0] ?? '?';
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : '';
  return `${first}${last}`.toUpperCase();
};

export interface AvatarProps {
  readonly person: Pick<Person, 'id' | 'name' | 'avatarUrl'>;
  readonly size?: 's' | 'm' | 'l';
  readonly presence?: Presence | undefined;
}

const SIZES = { s: 24, m: 32, l: 40 };

const PRESENCE_WORDS = { active: 'online', idle: 'away', offline: 'offline' };

/** The picture of a person, or initials; the name stands beside it. */
export function Avatar({ person, size = 'm', presence }: AvatarProps) {
  const { id, name, avatarUrl } = person;
  const [failedUrl, setFailedUrl] = useState<string | null>(null);
  const px = SIZES[size];
  const isPicture = avatarUrl !== null && avatarUrl !== failedUrl;
  if (!isPicture && (presence ?? 'offline') === 'offline') {
    return (
      <span class={`avatar ${size} initials hue-${id % HUES}`} aria-hidden="true">
        {initialsOf(name)}
      </span>
    );
  }
  return (
    <span class={`avatar ${size}`}>
      {!isPicture ? (
        <span class={`initials hue-${id % HUES}`} aria-hidden="true">
          {initialsOf(name)}
        </span>
      ) : (
        <img
          src={avatarUrl}
          alt=""
          width={px}
          height={px}
          loading="lazy"
          decoding="async"
          onError={() => setFailedUrl(avatarUrl)}
        />
      )}
      {presence === undefined || presence === 'offline' ? null : (
        <span class={`presence ${presence}`} role="img" aria-label={PRESENCE_WORDS[presence]} />
      )}
    </span>
  );
}
