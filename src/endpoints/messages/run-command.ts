import { z } from 'zod';
import { carryOut } from '../../operations/messages/slash-commands.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { people } from '../permissions.ts';

export const runCommand = endpoint({
  summary: 'Carry out a command that is written where messages are',
  description:
    '`/ping` does nothing, which shows that the server answers. `/dark` and `/light` (also `/night` and `/day`) set `color_scheme`, `/fluid-width` and `/fixed-width` set `fluid_layout_width`; `msg` then says what was done.',
  method: 'POST',
  path: '/zcommand',
  allow: people,
  params: { command: text.describe('Beginning with a slash') },
  reply: { msg: z.string().describe('For a person; empty after `/ping`') },
  refuses: ['BAD_REQUEST'],
  emits: ['user_settings', 'update_display_settings'],
  change: (tx, { user, site, params }) => carryOut(tx, { user, site }, params.command),
});
