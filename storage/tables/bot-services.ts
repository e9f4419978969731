import { table } from '../table.ts';

/** Whom an outgoing-webhook bot calls. */
export interface BotServiceRow {
  readonly baseUrl: string;
  /** 1: the service's own payload; 2: the one of Slack. */
  readonly interface: 1 | 2;
  /** By which the other side knows that it is this bot that calls; never changes. */
  readonly token: string;
}

export const botServices = table<[botId: number], BotServiceRow>('bot_services', [
  'baseUrl',
  'interface',
  'token',
]);
