/** Lines on a field of 24 by 24. */
const PATHS = {
  all: 'M4 5h16v11H9l-5 4z',
  archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
  at: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM16 12v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7.1',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M9 6l6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6L6 18',
  dots: 'M5 11h.01v2h-.01zM12 11h.01v2h-.01zM19 11h.01v2h-.01z',
  draft: 'M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5',
  hash: 'M9.5 4L7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h4.5a3.5 3.5 0 0 0 7 0H20',
  keyboard: 'M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 14.5h8',
  leave: 'M10 4H5v16h5M14.5 8l4 4-4 4M18.5 12H9.5',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  mute: 'M5 9.5v5h3.5L13 18V6L8.5 9.5zM16.5 9.5l5 5M21.5 9.5l-5 5',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.2a6.5 6.5 0 0 1 3.5 5.8',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  settings: 'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z',
  edit: 'M4 20l1-4.5L16 4.5l3.5 3.5L8.5 19zM13.5 7l3.5 3.5',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4.2 4.2 0 0 0-6-6l-1.5 1.5M14 10a4 4 0 0 0-6 0l-3 3a4.2 4.2 0 0 0 6 6l1.5-1.5',
  move: 'M4 12h15M14 7l5 5-5 5',
  pause: 'M8 5v14M16 5v14',
  poll: 'M5 20v-7M12 20V5M19 20v-11',
  quote: 'M5 17h4l2-4V7H5v6h3zM14 17h4l2-4V7h-6v6h3z',
  reply: 'M9 6l-5 5 5 5M4 11h9a7 7 0 0 1 7 7v1',
  send: 'M4 4l17 8-17 8 3-8zM7 12h14',
  smile: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside a text that says the same, so that it is read to nobody. */
export const Icon = ({ name, hue }: { readonly name: IconName; readonly hue?: string }) => (
  <svg
    class={hue === undefined ? 'icon' : 'icon sign'}
    {...(hue === undefined ? {} : { style: { '--hue': hue } })}
    viewBox="0 0 24 24"
    aria-hidden="true"
  >
    <path d={PATHS[name]} />
  </svg>
);

/** The mark of the product: two people talking. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M3 8a5 5 0 0 1 5-5h10a5 5 0 0 1 5 5v5a5 5 0 0 1-5 5h-7l-5 4.5V18a4 4 0 0 1-3-4z" />
    <path d="M26.5 10.5A4.5 4.5 0 0 1 29.5 15v5.5a4.5 4.5 0 0 1-3 4.2V29l-4.7-3.8H16a4.5 4.5 0 0 1-4-2.5" />
  </svg>
);
