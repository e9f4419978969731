import { Dialog } from '../../parts/dialog.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { allEmoji } from '../../store/feed/emoji.ts';
import { fetchJson } from '../feed/fetch-json.ts';
import { EmojiGrid } from './emoji-grid.tsx';

export interface EmojiDialogProps {
  readonly onTake: (name: string) => void;
  readonly onClose: () => void;
}

/** All emoji, one of which is put into what is written. */
export function EmojiDialog({ onTake, onClose }: EmojiDialogProps) {
  const { value: all } = useLoaded(() => allEmoji(fetchJson));
  return (
    <Dialog title="Emoji" onClose={onClose}>
      <EmojiGrid
        all={all ?? []}
        onTake={(name) => {
          onClose();
          onTake(name);
        }}
      />
    </Dialog>
  );
}
