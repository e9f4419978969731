import { Icon } from '../../parts/icon.tsx';
import type { ComposeStore } from '../../store/compose/compose-store.ts';
import type { Upload, UploadState } from '../../store/compose/uploads.ts';
import '../../parts/style/beside-style.ts';

/** The files that are on their way. */
export function Attachments({ store }: { readonly store: ComposeStore }) {
  const files = store.filesHere;
  if (files.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Files">
      {files.map((upload) => (
        <Line key={upload.key} store={store} upload={upload} />
      ))}
      {store.losesFiles.value ? (
        <li class="muted">
          Stay on this page until the files are uploaded: here a reload would lose them.
        </li>
      ) : null}
    </ul>
  );
}

function Line({ store, upload }: { readonly store: ComposeStore; readonly upload: Upload }) {
  const state = upload.state.value;
  const { name } = upload.file;
  return (
    <li>
      <Icon name="file" />
      <span class="cut">{name}</span>
      {state.kind === 'failed' ? (
        <span class="fault" role="alert">
          {state.fault}
        </span>
      ) : (
        <progress max={1} value={upload.progress} aria-label={name} />
      )}
      <span class="muted">{wordOf(state, upload.progress)}</span>
      {state.kind === 'going' || state.kind === 'waiting' ? (
        <button
          type="button"
          class="icon"
          aria-label={`Pause ${name}`}
          onClick={() => void store.changeUpload(upload, 'pause')}
        >
          <Icon name="pause" />
        </button>
      ) : null}
      {state.kind === 'paused' || state.kind === 'failed' ? (
        <button
          type="button"
          class="quiet"
          onClick={() => void store.changeUpload(upload, 'resume')}
        >
          {state.kind === 'paused' ? 'Go on' : 'Try again'}
        </button>
      ) : null}
      <button
        type="button"
        class="icon"
        aria-label={`Remove ${name}`}
        onClick={() => void store.changeUpload(upload, 'remove')}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

function wordOf({ kind }: UploadState, progress: number): string {
  if (kind === 'paused') return 'paused';
  if (kind === 'waiting') return 'waiting for the connection';
  return kind === 'going' ? `${Math.floor(progress * 100)} %` : '';
}
