/** The talk of a small team that makes maps for cyclists: who says it, where, and when. */

export type Speaker =
  | 'ona'
  | 'ada'
  | 'mia'
  | 'mel'
  | 'max'
  | 'gus'
  | 'tom'
  | 'yuki'
  | 'priya'
  | 'jonas'
  | 'bot';

/** The people of the test realm have these names here. */
export const SPEAKERS: Readonly<Record<Speaker, string>> = {
  ona: 'Olivia Strand',
  ada: 'Ada Okafor',
  mia: 'Mia Lindqvist',
  mel: 'Noor Haddad',
  max: 'Max Weber',
  gus: 'Gus Moreau',
  tom: 'Tomás Rivera',
  yuki: 'Yuki Tanaka',
  priya: 'Priya Nair',
  jonas: 'Jonas Falk',
  bot: 'Build Bot',
};

export interface Channel {
  readonly name: string;
  readonly about: string;
  readonly folder?: string;
  readonly isPrivate?: true;
  /** True if it is archived after its talk. */
  readonly isArchived?: true;
}

export const CHANNELS: readonly Channel[] = [
  { name: 'general', about: 'For everyone, about everything' },
  { name: 'design', about: 'How it looks, reads and feels', folder: 'Product' },
  { name: 'maps', about: 'Routing, tiles and elevation', folder: 'Product' },
  { name: 'releases', about: 'What goes out, and when', folder: 'Product' },
  { name: 'support', about: 'What riders ask us', folder: 'Riders' },
  { name: 'community', about: 'Events, newsletters and group rides', folder: 'Riders' },
  { name: 'kitchen', about: 'Lunch, coffee and cake' },
  { name: 'leads', about: 'Plans that are not public yet', isPrivate: true },
  { name: 'spring ride', about: 'The ride of last spring', isArchived: true },
];

/** The minutes that pass before it, who says it, what, and who reacts with what. */
export type Line = readonly [
  afterMinutes: number,
  who: Speaker,
  text: string,
  reactions?: Readonly<Record<string, readonly Speaker[]>>,
];

export interface Talk {
  /** A channel with a topic, or the people beside Noor. */
  readonly at: readonly [channel: string, topic: string] | readonly Speaker[];
  readonly lines: readonly Line[];
  /** True if Noor has read it all. */
  readonly isRead?: true;
}

const DAY = 24 * 60;

export const TALKS: readonly Talk[] = [
  {
    at: ['spring ride', 'the route'],
    isRead: true,
    lines: [
      [
        0,
        'tom',
        'Forty of us came, and nobody got lost. Thank you all!',
        { heart: ['mel', 'yuki'] },
      ],
      [0, 'priya', 'The ford at Linden was too deep. Next year we go over the **old bridge**.'],
    ],
  },
  {
    at: ['general', 'welcome'],
    isRead: true,
    lines: [
      [0, 'ona', 'Welcome, everyone! This is where we say hello. :wave:'],
      [4, 'yuki', 'Hello from Sendai! I draw the elevation profiles.', { wave: ['mel', 'tom'] }],
      [9, 'gus', 'Hi, I help with the French translation for two weeks.'],
    ],
  },
  {
    at: ['maps', 'gravel roads in the north'],
    isRead: true,
    lines: [
      [
        35,
        'priya',
        'The survey of the northern counties is in: **1,240 km** of gravel we did not have.',
      ],
      [
        3,
        'priya',
        '| county | before | now |\n| :-- | --: | --: |\n| Ashford | 80 km | **412 km** |\n| Linden | 133 km | **520 km** |\n| Marsh | 41 km | **308 km** |',
        { tada: ['mel', 'max', 'jonas'], bicyclist: ['yuki'] },
      ],
      [6, 'tom', 'Wonderful. Do we know how many of them are rideable in winter?'],
      [2, 'priya', 'About two thirds. I mark the others as `seasonal`.', { '+1': ['tom'] }],
    ],
  },
  {
    at: ['kitchen', 'cake on Friday'],
    isRead: true,
    lines: [
      [200, 'jonas', 'My turn this week. Lemon or chocolate?'],
      [1, 'max', 'Lemon!', { lemon: ['ada', 'mia', 'priya'] }],
      [2, 'mia', 'Both, obviously.', { joy: ['jonas', 'mel'] }],
      [1, 'jonas', '/poll Which cake on Friday?\nLemon\nChocolate'],
      [2, 'jonas', '/todo For Friday\nCandles: forty of them\nPlates'],
    ],
  },
  {
    at: ['leads', 'budget for spring'],
    isRead: true,
    lines: [[30, 'ada', 'The draft is in the shared folder. Comments until Thursday, please.']],
  },
  {
    at: ['tom'],
    isRead: true,
    lines: [
      [16 * 60, 'tom', 'Are you coming to the ride on Saturday?'],
      [8, 'mel', 'Yes! I bring the new profile to try on a real hill.'],
    ],
  },
  {
    at: ['releases', 'autumn 3.2'],
    isRead: true,
    lines: [
      [40, 'bot', 'Build **3.2.0-rc.1** passed: 4,118 tests in 6 min 40 s.', { tada: ['max'] }],
      [12, 'max', 'I put it on the test phones. Offline maps load in **1.3 s**, and took 4.'],
      [5, 'ona', 'That is the number for the newsletter.', { '+1': ['max', 'mia', 'mel'] }],
    ],
  },
  {
    at: ['design', 'elevation profile'],
    lines: [
      [
        DAY - 17 * 60,
        'mia',
        'First idea for the profile: the slope is the colour, and nothing else is.',
      ],
      [1, 'mia', 'PICTURE'],
      [
        6,
        'yuki',
        'I like how calm it is. Could steep parts also be *thicker*? Not everybody sees the colours.',
        { '+1': ['mel', 'priya'] },
      ],
      [4, 'mel', 'Yes, and the number of metres belongs at the summit.'],
      [
        7,
        'mia',
        'Good points. The width follows from the grade then:\n```ts\nconst width = clamp(1.5 + Math.abs(grade) * 0.25, 1.5, 4);\n```',
      ],
      [
        3,
        'yuki',
        'Perfect. @**Noor Haddad** could you try it on the pass at Linden?',
        { rocket: ['mia'] },
      ],
      [
        1,
        'yuki',
        '> the slope is the colour, and nothing else is\n\nThat sentence goes into the handbook.',
      ],
    ],
  },
  {
    at: ['design', 'icons for ferries'],
    lines: [
      [11, 'jonas', 'Which of the two reads better at 16 pixels?'],
      [4, 'mia', 'The one with the waves. The other one looks like a hat. :tophat:'],
    ],
  },
  {
    at: ['maps', 'wrong turn at the bridge'],
    lines: [
      [
        6,
        'tom',
        'Three riders told us that the route crosses the old bridge. It is closed until May.',
      ],
      [2, 'priya', 'On it. The closure has a date, which we read as the day of the survey.'],
      [
        9,
        'priya',
        'Fixed in `main`; the tiles are made again tonight. :wrench:',
        { heart: ['tom'] },
      ],
    ],
  },
  {
    at: ['support', 'battery of older phones'],
    lines: [
      [
        5,
        'gus',
        'A rider writes that the screen eats the battery on long rides. What do I answer?',
      ],
      [3, 'max', '*Settings › Ride › Dim between turns*. It is new in 3.2.'],
    ],
  },
  {
    at: ['community', 'group ride in March'],
    lines: [
      [2, 'tom', '@*guides* the road along the canal is open again.'],
      [6, 'tom', 'Forty have signed up already. We need a second guide: who wants to?'],
    ],
  },
  {
    at: ['kitchen', 'new coffee beans'],
    lines: [[6, 'jonas', 'From the roaster by the canal. They are on the left shelf. :coffee:']],
  },
  {
    at: ['ona', 'mia'],
    lines: [
      [4, 'ona', 'Shall we show the profile to the board on Thursday? Ten minutes are enough.'],
    ],
  },
  {
    at: ['max'],
    lines: [
      [3, 'max', 'The test phone is on your desk.'],
      [1, 'max', 'And the charger, this time. :slight_smile:'],
    ],
  },
  {
    at: ['general', 'office in Linden'],
    lines: [
      [
        2,
        'ona',
        'We have the keys! The door is blue, you cannot miss it.',
        { tada: ['max', 'mia', 'tom'] },
      ],
      [5, 'ada', 'Desks come on Wednesday. @**all** please say where you would like to sit.'],
    ],
  },
];
