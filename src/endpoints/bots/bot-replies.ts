import { z } from 'zod';

/** What a bot does where it does not say what it wants; channels by name. */
export const defaults = {
  default_sending_stream: z.string().nullable(),
  default_events_register_stream: z.string().nullable(),
  default_all_public_streams: z.boolean(),
};
