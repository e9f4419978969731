import { z } from 'zod';

/** The defaults of a bot, for requests that do not name a channel; channels by name. */
export const defaults = {
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
};
