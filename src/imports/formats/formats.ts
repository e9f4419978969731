import type { HistoryFormat } from '../history.ts';
import { irc } from './irc/irc.ts';

/** The readers by the words of the command line. */
export const FORMATS: Readonly<Record<string, HistoryFormat>> = { irc };
