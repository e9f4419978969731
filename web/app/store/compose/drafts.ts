import type { Calls } from '../feed/message.ts';
import { type Destination, type Draft, destinationIn, destinationKey } from './destination.ts';

/** A pause of the typing after which the text goes to the server. */
const PAUSE_MS = 1_500;
/** A failure is tried again with the next change, or after this. */
const AGAIN_MS = 15_000;

/** The text of one conversation, and what the server has of it. */
interface Kept {
  readonly to: Destination;
  text: string;
  /** The id of the draft; null while the server has none. */
  id: number | null;
  /** The text that the server has, or is about to have. */
  saved: string;
  timer: ReturnType<typeof setTimeout> | null;
  isSaving: boolean;
}

/** Texts that were not sent: one a conversation, kept by the server for all clients. */
export class Drafts {
  readonly #calls: Calls;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(calls: Calls, known: Iterable<Draft>, now: () => number = Date.now) {
    this.#calls = calls;
    this.#now = now;
    // The last one that was edited is the one that is shown.
    for (const draft of [...known].sort((one, other) => one.timestamp - other.timestamp)) {
      this.#take(draft);
    }
  }

  /** Returns what was written there. */
  textOf(to: Destination): string {
    return this.#kept.get(destinationKey(to))?.text ?? '';
  }

  /** Notes what is typed. */
  edit(to: Destination, text: string): void {
    const kept = this.#at(to);
    if (kept.text === text) return;
    kept.text = text;
    this.#later(kept, PAUSE_MS);
  }

  /** The text was sent, or thrown away. */
  clear(to: Destination): void {
    const kept = this.#kept.get(destinationKey(to));
    if (kept === undefined) return;
    kept.text = '';
    void this.#save(kept);
  }

  /** Saves at once what is written there; resolves to whether the server has it. */
  async save(to: Destination): Promise<boolean> {
    const kept = this.#kept.get(destinationKey(to));
    if (kept === undefined) return true;
    await this.#save(kept);
    return kept.text === kept.saved;
  }

  /** Saves at once what waits: the page may go, or the reader went elsewhere. */
  flush(): void {
    for (const kept of this.#kept.values()) if (kept.timer !== null) void this.#save(kept);
  }

  /** Applies an event: another client has written or removed a draft. */
  apply(event: { readonly type: string } & Readonly<Record<string, unknown>>): void {
    if (event.type !== 'drafts') return;
    const {
      op,
      drafts,
      draft,
      draft_id: id,
    } = event as {
      readonly op?: string;
      readonly drafts?: readonly Draft[];
      readonly draft?: Draft;
      readonly draft_id?: number;
    };
    for (const one of drafts ?? (draft === undefined ? [] : [draft])) this.#take(one);
    if (op === 'remove') this.#remove(id ?? -1);
  }

  #take(draft: Draft) {
    const to = destinationIn(draft);
    if (to === null) return;
    for (const kept of this.#kept.values()) {
      // The text was written for another conversation.
      if (kept.id === draft.id && destinationKey(kept.to) !== destinationKey(to)) kept.id = null;
    }
    const kept = this.#at(to);
    // The text that is typed here is newer.
    const isBusy = kept.isSaving || kept.timer !== null;
    kept.id ??= draft.id;
    if (isBusy || kept.id !== draft.id) return;
    kept.text = draft.content;
    kept.saved = draft.content;
  }

  #remove(id: number) {
    for (const kept of this.#kept.values()) {
      if (kept.id !== id) continue;
      kept.id = null;
      if (kept.timer === null && !kept.isSaving) kept.text = '';
      kept.saved = '';
    }
  }

  #at(to: Destination): Kept {
    const key = destinationKey(to);
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const made: Kept = { to, text: '', id: null, saved: '', timer: null, isSaving: false };
    this.#kept.set(key, made);
    return made;
  }

  #later(kept: Kept, ms: number) {
    if (kept.timer !== null) clearTimeout(kept.timer);
    kept.timer = setTimeout(() => void this.#save(kept), ms);
  }

  /** Brings the server to what is written, one request at a time. */
  async #save(kept: Kept) {
    if (kept.timer !== null) clearTimeout(kept.timer);
    kept.timer = null;
    if (kept.isSaving) return;
    kept.isSaving = true;
    try {
      while (kept.text !== kept.saved) await this.#saveOnce(kept);
    } catch {
      // The server is away, or keeps no drafts; the text stays here.
      this.#later(kept, AGAIN_MS);
    } finally {
      kept.isSaving = false;
    }
  }

  async #saveOnce(kept: Kept) {
    const { text } = kept;
    const isEmpty = text.trim() === '';
    if (isEmpty) {
      if (kept.id !== null) await this.#forget(kept.id);
      kept.id = null;
    } else {
      const draft = { ...placeOfDraft(kept.to), content: text, timestamp: this.#now() / 1_000 };
      if (kept.id === null) {
        const reply = await this.#calls.call('POST', '/drafts', { drafts: [draft] });
        kept.id = (reply as { ids: number[] }).ids[0] ?? null;
      } else {
        await this.#calls.call('PATCH', '/drafts/{draft_id}', { draft_id: kept.id, draft });
      }
    }
    kept.saved = text;
  }

  async #forget(id: number) {
    try {
      await this.#calls.call('DELETE', '/drafts/{draft_id}', { draft_id: id });
    } catch (error) {
      // Another client has removed it: that is what was wanted.
      if (!isRefusal(error)) throw error;
    }
  }
}

const isRefusal = (error: unknown) =>
  error instanceof Error && (error as { status?: number }).status === 400;

const placeOfDraft = (to: Destination) =>
  to.type === 'direct'
    ? { type: 'private', to: to.userIds, topic: '' }
    : to.channelId === null
      ? { type: '', to: [], topic: '' }
      : { type: 'stream', to: [to.channelId], topic: to.topic };
