/** The services whose archives can be imported, by the words of the command line. */
export const IMPORT_FORMATS = [
  'discord',
  'irc',
  'mattermost',
  'rocketchat',
  'slack',
  'zulip',
] as const;

const realm = {
  value: '<realm>',
  help: 'the realm, which is made if it is new',
  isRequired: true,
} as const;

const OPTIONS = {
  realm,
  title: { value: '<text>', help: 'the full name of a new realm' },
  'dry-run': { help: 'only reports what would come along and what not' },
  source: { value: '<name>', help: 'the source; otherwise the name of the archive' },
} as const;

const ABOUT =
  'It goes on where it was cut short, and adds nothing twice: run the same command again.\n' +
  'docs/operating/importing.md says what comes along.';

const archive = { value: '<archive>', isRequired: true } as const;

/** The commands, for the catalogue. */
export const IMPORT_COMMANDS = {
  'import irc': {
    summary: 'imports logs of IRC: irssi, WeeChat, ZNC or JSON lines',
    operand: archive,
    options: {
      ...OPTIONS,
      channel: { value: '<name>', help: 'one channel for all logs' },
      nicks: {
        value: '<file>',
        help: 'who the nicks are: {"nick","full_name","email"}',
        as: 'path',
      },
    },
    about: ABOUT,
  },
  'import slack': {
    summary: 'imports the export of a Slack workspace',
    operand: archive,
    options: OPTIONS,
    about: ABOUT,
  },
  'import mattermost': {
    summary: 'imports the bulk export of Mattermost',
    operand: archive,
    options: OPTIONS,
    about: ABOUT,
  },
  'import rocketchat': {
    summary: 'imports a dump of the database of Rocket.Chat',
    operand: archive,
    options: OPTIONS,
    about: ABOUT,
  },
  'import discord': {
    summary: 'imports JSON files of DiscordChatExporter',
    operand: archive,
    options: OPTIONS,
    about: ABOUT,
  },
  'import zulip': {
    summary: 'imports the export of a Zulip organization',
    operand: archive,
    options: OPTIONS,
    about: ABOUT,
  },
} as const;
