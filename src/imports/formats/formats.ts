import type { HistoryFormat } from '../history.ts';
import { discord } from './discord/discord.ts';
import { irc } from './irc/irc.ts';
import { mattermost } from './mattermost/mattermost.ts';
import { rocketchat } from './rocketchat/rocketchat.ts';
import { slack } from './slack/slack.ts';
import { zulip } from './zulip/zulip.ts';

/** The readers by the words of the command line. */
export const FORMATS: Readonly<Record<string, HistoryFormat>> = {
  discord,
  irc,
  mattermost,
  rocketchat,
  slack,
  zulip,
};
