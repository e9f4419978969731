/** The sounds of notifications, made of tones: there is no file to load. */

interface Tone {
  readonly hertz: number;
  /** Seconds from the beginning of the sound. */
  readonly at: number;
  /** Seconds until it has died away. */
  readonly lasts: number;
  readonly form: OscillatorType;
}

const tone = (hertz: number, at: number, lasts: number, form: OscillatorType = 'sine'): Tone => ({
  hertz,
  at,
  lasts,
  form,
});

const SOUNDS: ReadonlyMap<string, readonly Tone[]> = new Map([
  ['chime', [tone(880, 0, 0.5), tone(1_174.7, 0.12, 0.6)]],
  ['bell', [tone(659.3, 0, 0.9), tone(1_318.5, 0, 0.5)]],
  ['ding', [tone(1_568, 0, 0.5)]],
  ['drop', [tone(740, 0, 0.12), tone(494, 0.09, 0.25)]],
  ['knock', [tone(196, 0, 0.08, 'triangle'), tone(174, 0.14, 0.09, 'triangle')]],
]);

const LOUDNESS = 0.12;

let context: AudioContext | null = null;

/** Plays a sound; one of another name is silence, as is a browser that plays nothing yet. */
export async function play(name: string): Promise<void> {
  const tones = SOUNDS.get(name);
  if (tones === undefined) return;
  context ??= new AudioContext();
  // A browser may want a click first. It does not say when, so that nothing waits for it.
  if (context.state === 'suspended') void context.resume();
  for (const one of tones) start(context, one);
}

function start(on: AudioContext, { hertz, at, lasts, form }: Tone): void {
  const begin = on.currentTime + at;
  const oscillator = on.createOscillator();
  const gain = on.createGain();
  oscillator.type = form;
  oscillator.frequency.value = hertz;
  gain.gain.setValueAtTime(LOUDNESS, begin);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + lasts);
  oscillator.connect(gain).connect(on.destination);
  oscillator.start(begin);
  oscillator.stop(begin + lasts);
}
