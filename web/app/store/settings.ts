import { type Signal, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

/** The settings that a browser keeps for itself. The server keeps those of the account. */
export interface Settings {
  readonly theme: Theme;
  /** True if single letters are keys. */
  readonly letterKeys: boolean;
  /** True if the system shows mentions and direct messages. */
  readonly notifications: boolean;
  /** The right column. */
  readonly showsPeople: boolean;
  /** Parts of the left column that are closed, by their names. */
  readonly closed: readonly string[];
}

export const DEFAULTS: Settings = {
  theme: 'system',
  letterKeys: true,
  notifications: false,
  showsPeople: true,
  closed: [],
};

/** A place that keeps a text. A browser may refuse both. */
export interface TextStore {
  readonly read: () => string | null;
  readonly write: (text: string) => void;
}

/** More names than folders and channels that anybody closes by hand. */
const CLOSED_MAX = 500;

/** Reads what was kept; what is damaged or of another version counts as not said. */
export function settingsIn(text: string | null): Settings {
  let kept: Partial<Record<keyof Settings, unknown>>;
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    kept = typeof value === 'object' && value !== null ? value : {};
  } catch {
    kept = {};
  }
  const boolean = (name: 'letterKeys' | 'notifications' | 'showsPeople') => {
    const value = kept[name];
    return typeof value === 'boolean' ? value : DEFAULTS[name];
  };
  return {
    theme: THEMES.find((theme) => theme === kept.theme) ?? DEFAULTS.theme,
    letterKeys: boolean('letterKeys'),
    notifications: boolean('notifications'),
    showsPeople: boolean('showsPeople'),
    closed: Array.isArray(kept.closed)
      ? kept.closed.filter((name) => typeof name === 'string').slice(0, CLOSED_MAX)
      : [],
  };
}

export const settings: Signal<Settings> = signal(DEFAULTS);

let store: TextStore | null = null;

/** Takes what was kept, and keeps what is changed from now on. */
export function openSettings(kept: TextStore): void {
  store = kept;
  settings.value = settingsIn(kept.read());
}

export function change(some: Partial<Settings>): void {
  settings.value = { ...settings.value, ...some };
  store?.write(JSON.stringify(settings.value));
}

export const isClosed = (name: string): boolean => settings.value.closed.includes(name);

/** Opens what is closed, and closes what is open. */
export function toggle(name: string): void {
  const { closed } = settings.value;
  change({
    closed: closed.includes(name)
      ? closed.filter((one) => one !== name)
      : [...closed, name].slice(-CLOSED_MAX),
  });
}
