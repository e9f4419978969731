import { z } from 'zod';

/** A line of a log: a message, or one that is left out; without `why` as it should be. */
export type IrcLine =
  | {
      readonly nick: string;
      readonly text: string;
      readonly isAction: boolean;
      /** UNIX seconds; logs have no time zone, so UTC. */
      readonly at: number;
      readonly day: string;
    }
  | { readonly why?: string };

const jsonLine = z.object({
  date: z.string().regex(/^\d{4}-\d{2}-\d{2}$/),
  time: z.string().regex(/^\d{2}:\d{2}(?::\d{2})?$/),
  nick: z.string().min(1).max(100),
  text: z.string(),
});

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `--- Log opened Mon Nov 15 12:00:00 2004` and `--- Day changed Tue Nov 16 2004` of irssi. */
const IRSSI_DAY =
  /^--- (?:Log opened|Day changed) \w{3} (\w{3}) (\d{2})(?: \d{2}:\d{2}(?::\d{2})?)? (\d{4})/;
/** `2004-11-15 12:18:00<tab>nick<tab>text` of WeeChat. */
const WEECHAT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})\t([^\t]{0,100})\t(.*)$/;
/** `12:18 <@nick> text` of irssi, `[12:18:00] <nick> text` of ZNC. */
const SAID = /^\[?(\d{2}:\d{2}(?::\d{2})?)\]? <([ @+%&~!]?)([^>\s]{1,100})> ?(.*)$/;
/** `12:18 * nick text`; irssi has a space more before the star. */
const ACTED = /^\[?(\d{2}:\d{2}(?::\d{2})?)\]? {1,2}\* ([^\s*]{1,100}) (.*)$/;
/** Joins, parts, modes and the like. */
const NOTICE = /^\[?\d{2}:\d{2}(?::\d{2})?\]? (?:-!-|\*\*\*|-[^\s-]+-)/;

/** Reads the lines of one file, whose name may have the day. */
export function openLogReader(entry: string) {
  const name = entry.slice(entry.lastIndexOf('/') + 1);
  const [, year, month, date] = /(\d{4})[-_]?(\d{2})[-_]?(\d{2})/.exec(name) ?? [];
  let day = year === undefined ? undefined : `${year}-${month}-${date}`;
  return {
    lineOf(text: string): IrcLine {
      if (text.trim() === '') return {};
      if (text.startsWith('{')) return jsonLineOf(text);
      const opened = IRSSI_DAY.exec(text);
      if (opened !== null) {
        const number = MONTHS.indexOf(opened[1] ?? '') + 1;
        if (number > 0) day = `${opened[3]}-${String(number).padStart(2, '0')}-${opened[2]}`;
        return {};
      }
      if (text.startsWith('--- Log closed')) return {};
      const weechat = WEECHAT.exec(text);
      if (weechat !== null) return weechatLine(weechat);
      const said = SAID.exec(text);
      if (said !== null) return message(day, said[1], { nick: said[3], text: said[4] });
      const acted = ACTED.exec(text);
      if (acted !== null) {
        return message(day, acted[1], { nick: acted[2], text: acted[3], isAction: true });
      }
      return NOTICE.test(text) ? {} : { why: 'It is no line of a known log.' };
    },
  };
}

function jsonLineOf(text: string): IrcLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { why: 'It is not JSON.' };
  }
  const parsed = jsonLine.safeParse(value);
  if (!parsed.success) return { why: 'It lacks date, time, nick or text.' };
  const { date, time, nick, text: said } = parsed.data;
  const isAction = said.startsWith('/me ');
  return message(date, time, { nick, text: isAction ? said.slice(4) : said, isAction });
}

function weechatLine([, day, time, who = '', text = '']: RegExpExecArray): IrcLine {
  if (who === ' *') {
    const [nick = '', ...rest] = text.split(' ');
    return message(day, time, { nick, text: rest.join(' '), isAction: true });
  }
  if (who === '' || /^(?:-->|<--|--|=!=|\s)/.test(who)) return {};
  return message(day, time, { nick: who.replace(/^[@+%&~!]/, ''), text });
}

interface Said {
  readonly nick: string | undefined;
  readonly text: string | undefined;
  readonly isAction?: boolean;
}

function message(
  day: string | undefined,
  time: string | undefined,
  { nick, text = '', isAction = false }: Said,
): IrcLine {
  if (day === undefined) return { why: 'Neither the log nor its name says on which day.' };
  const at = Date.parse(`${day}T${time}${time?.length === 5 ? ':00' : ''}Z`) / 1000;
  if (!Number.isFinite(at) || at < 0) return { why: 'Its time is none.' };
  if (nick === undefined || nick === '' || text.trim() === '') return { why: 'It has no text.' };
  return { nick, text, isAction, at, day };
}
