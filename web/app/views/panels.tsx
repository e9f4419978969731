import { useEffect, useRef } from 'preact/hooks';
import { lazy } from '../parts/lazy.tsx';
import { route } from '../store/navigation.ts';
import { closePanel, PLACE_BUTTON, panel } from '../store/panels.ts';

const PlaceMenu = lazy(async () => (await import('./channels/place-menu.tsx')).PlaceMenu);
const MoveTopic = lazy(async () => (await import('./channels/move-topic.tsx')).MoveTopic);
const DeleteTopic = lazy(async () => (await import('./channels/delete-topic.tsx')).DeleteTopic);
const Folders = lazy(async () => (await import('./channels/folders.tsx')).Folders);
const GroupCard = lazy(async () => (await import('./persons/group-card.tsx')).GroupCard);
const NewChannel = lazy(async () => (await import('./channels/new-channel.tsx')).NewChannel);
const ChannelSettings = lazy(
  async () => (await import('./channels/channel-settings.tsx')).ChannelSettings,
);
const ProfileCard = lazy(async () => (await import('./persons/profile-card.tsx')).ProfileCard);
const Invite = lazy(async () => (await import('./persons/invite.tsx')).Invite);
const When = lazy(async () => (await import('./ahead/when.tsx')).When);
const EmojiDialog = lazy(async () => (await import('./emoji/emoji-dialog.tsx')).EmojiDialog);
const MessagePanel = lazy(async () => (await import('./message/message-panel.tsx')).MessagePanel);
const PictureView = lazy(async () => (await import('./message/picture-view.tsx')).PictureView);
const WritingPanel = lazy(async () => (await import('./compose/writing-panel.tsx')).WritingPanel);
const StatusDialog = lazy(async () => (await import('./settings/status-dialog.tsx')).StatusDialog);

/** The dialog or menu that is open, of which each is loaded when it is first shown. */
export function Panels() {
  const { value } = panel;
  // A panel belongs to the view that it was opened in.
  const shown = route.value;
  const before = useRef(shown);
  useEffect(() => {
    if (before.current !== shown) closePanel();
  }, [shown]);
  if (value === null) return null;
  const onClose = () => {
    // A dialog that opens another one is closed by that.
    if (panel.value === value) closePanel();
  };
  switch (value.about) {
    case 'place':
      return (
        <PlaceMenu
          place={value.place}
          anchorId={value.anchorId ?? PLACE_BUTTON}
          onClose={onClose}
        />
      );
    case 'topic': {
      const Shown = value.act === 'move' ? MoveTopic : DeleteTopic;
      return <Shown place={value.place} onClose={onClose} />;
    }
    case 'channel':
      return <ChannelSettings channelId={value.channelId} onClose={onClose} />;
    case 'new-channel':
      return <NewChannel onClose={onClose} />;
    case 'folders':
      return <Folders onClose={onClose} />;
    case 'group':
      return <GroupCard groupId={value.groupId} onClose={onClose} />;
    case 'person':
      return <ProfileCard userId={value.userId} onClose={onClose} />;
    case 'when':
      return <When title={value.title} onTake={value.take} onClose={onClose} />;
    case 'emoji':
      return <EmojiDialog onTake={value.take} onClose={onClose} />;
    case 'message':
      return <MessagePanel act={value.act} message={value.message} onClose={onClose} />;
    case 'picture':
      return <PictureView first={value.picture} onClose={onClose} />;
    case 'writing':
      return <WritingPanel act={value.act} onClose={onClose} />;
    case 'invite':
      return <Invite onClose={onClose} />;
    case 'status':
      return <StatusDialog onClose={onClose} />;
  }
}
