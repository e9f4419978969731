import { text } from '../params.ts';

export const name = text.describe(
  'Not blank, at most `max_channel_folder_name_length` characters, and not that of another folder',
);
export const description = text.describe(
  'Markdown; at most `max_channel_folder_description_length` characters',
);
