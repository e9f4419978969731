import { lazy } from '../../parts/lazy.tsx';
import { destinationOf } from '../../store/compose/destination.ts';
import { conversations } from '../../store/conversations.ts';
import type { Message } from '../../store/feed/message.ts';
import { hrefOf, navigate } from '../../store/navigation.ts';
import { sayFault } from '../../store/notices.ts';
import { narrowOf, narrowRoute, type Place } from '../../store/route.ts';
import { linkTo } from '../feed/links.ts';
import { loadWriting } from '../later.ts';
import { ReadersDialog } from './readers-dialog.tsx';
import { ReportDialog } from './report-dialog.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

const Palette = lazy(async () => (await import('../palette.tsx')).Palette);

export interface MessagePanelProps {
  readonly act: 'versions' | 'readers' | 'report' | 'forward';
  readonly message: Message;
  readonly onClose: () => void;
}

/** A dialog about a message. */
export function MessagePanel({ act, message, onClose }: MessagePanelProps) {
  switch (act) {
    case 'versions':
      return <VersionsDialog message={message} onClose={onClose} />;
    case 'readers':
      return <ReadersDialog message={message} onClose={onClose} />;
    case 'report':
      return <ReportDialog message={message} onClose={onClose} />;
    case 'forward':
      return (
        <Palette
          title="Forward to"
          onTake={(place) => {
            forward(message, place).catch(sayFault);
          }}
          onClose={onClose}
        />
      );
  }
}

/** Goes to another conversation, with a quote of the message in the field. */
async function forward(message: Message, place: Place): Promise<void> {
  const open = conversations.peek();
  if (open === null) return;
  const { feed } = open;
  const link = linkTo(message, { store: feed, hrefOf });
  const text = await feed.acts.quote(message, link);
  const { writing } = await loadWriting();
  writing.value?.write(destinationOf(place), text);
  navigate(narrowRoute(narrowOf(place)));
}
