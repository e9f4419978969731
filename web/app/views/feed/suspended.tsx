import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EmojiPickerProps } from './emoji-picker.tsx';

interface SuspendedProps extends EmojiPickerProps {
  readonly load: () => Promise<FunctionComponent<EmojiPickerProps>>;
}

/** Shows a part of the page that is loaded when it is first needed. */
export function Suspended({ load, ...props }: SuspendedProps) {
  const [Loaded, setLoaded] = useState<FunctionComponent<EmojiPickerProps> | null>(null);
  useEffect(() => {
    void load().then((part) => setLoaded(() => part));
  }, []);
  return Loaded === null ? null : <Loaded {...props} />;
}
