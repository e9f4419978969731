import { Dialog } from '../../parts/dialog.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { diffOf, type Run, type Version, versionsOf } from '../../store/messages/history.ts';
import { channelOf, personOf } from '../../store/model.ts';
import { topicLabel } from '../../store/shapes.ts';
import { clock, day, wholeTime } from '../../store/times.ts';
import type { AboutMessage } from './readers-dialog.tsx';
import './style.ts';

/** The versions of a message, the newest first, with what each changed. */
export function VersionsDialog({ message, onClose }: AboutMessage) {
  const { value } = useLoaded(() => versionsOf(message.id));
  return (
    <Dialog title="Earlier versions" class="wide" onClose={onClose}>
      <ol class="versions" reversed>
        {value?.map((version, index) => (
          <li key={`${version.atMs} ${index}`}>
            <p class="muted">
              <time dateTime={new Date(version.atMs).toISOString()} title={wholeTime(version.atMs)}>
                {day(version.atMs, Date.now())}, {clock(version.atMs)}
              </time>
              {' · '}
              {personOf(version.userId).name}
              {index === (value.length ?? 0) - 1 ? ' sent it' : ''}
            </p>
            <Moved version={version} />
            <Text version={version} isFirst={index === value.length - 1} />
          </li>
        ))}
      </ol>
    </Dialog>
  );
}

function Moved({ version }: { readonly version: Version }) {
  const { topic, topicBefore, channelId, channelIdBefore } = version;
  const channel = (id: number) => `#${channelOf(id)?.name ?? 'another channel'}`;
  return (
    <>
      {channelIdBefore === null || channelId === null ? null : (
        <p>
          Moved from <del>{channel(channelIdBefore)}</del> to <ins>{channel(channelId)}</ins>
        </p>
      )}
      {topicBefore === null ? null : (
        <p>
          Topic <del>{topicLabel(topicBefore)}</del> became <ins>{topicLabel(topic)}</ins>
        </p>
      )}
    </>
  );
}

interface TextProps {
  readonly version: Version;
  readonly isFirst: boolean;
}

function Text({ version: { content, before }, isFirst }: TextProps) {
  // A move leaves the text as it was.
  if (before === null && !isFirst) return null;
  const runs: readonly Run[] =
    before === null ? [{ kind: 'same', text: content }] : diffOf(before, content);
  return (
    <div class="version">
      {runs.map(({ kind, text }, index) => {
        if (kind === 'added') return <ins key={index}>{text}</ins>;
        return kind === 'removed' ? <del key={index}>{text}</del> : text;
      })}
    </div>
  );
}
