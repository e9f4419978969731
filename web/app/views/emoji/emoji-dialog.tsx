import { directoryOfApp } from '../../store/feed/directory-of-app.ts';
import { EmojiPicker } from './emoji-picker.tsx';

export interface EmojiDialogProps {
  readonly onTake: (name: string) => void;
  readonly onClose: () => void;
}

/** All emoji, one of which is put into what is written. */
export const EmojiDialog = ({ onTake, onClose }: EmojiDialogProps) => (
  <EmojiPicker
    title="Emoji"
    ownEmoji={directoryOfApp.ownEmoji()}
    onTake={({ emoji_name: name }) => {
      onClose();
      onTake(name);
    }}
    onClose={onClose}
  />
);
