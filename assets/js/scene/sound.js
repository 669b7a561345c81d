// Energy errors as tones, a voice for each method. Fetched on demand; `app/scene/sound.py` sends the levels.

const STEADY = 220; // Hz of a steady tone, and of a voice at the lowest level
const LOWEST = -16,
  HIGHEST = 1; // powers of ten of the error
const CENTS = 200; // a whole tone higher for each power of ten
const LOUDNESS = 0.12; // of all voices together
const GLIDE = 0.02,
  FADE = 0.25; // seconds in which a tone follows, and after which it fades while the time rests

/** The frequency of a voice whose error is this power of ten, in Hz. */
export const pitch = level =>
  STEADY * 2 ** (((Math.max(LOWEST, Math.min(HIGHEST, level)) - LOWEST) * CENTS) / 1200);

/** The level at a time, interpolated between rows; NaN before the first and after the last. */
export function levelAt({t, level}, time) {
  const next = t.findIndex(x => x >= time);
  if (next < 0 || !(time >= t[0])) return NaN;
  if (next === 0) return level[0];
  const part = (time - t[next - 1]) / (t[next] - t[next - 1]);
  return (1 - part) * level[next - 1] + part * level[next];
}

/** The places of voices, from left (-1) to right (1). */
export const places = n =>
  Array.from({length: n}, (_, i) => (n > 1 ? (1.4 * i) / (n - 1) - 0.7 : 0));

export class Sound {
  #voices = [];
  #time = null;

  constructor(context) {
    this.context = context;
    const limiter = new DynamicsCompressorNode(context, {
      threshold: -18,
      knee: 0,
      ratio: 20,
      attack: 0.002,
      release: 0.1,
    });
    this.loudness = new GainNode(context, {gain: 0});
    this.loudness.connect(limiter).connect(context.destination);
    this.#addVoice("sine", 0, 0.35); // the steady tone
  }

  /** Add a tone, which is silent by default. */
  #addVoice(type, place, gain = 0) {
    const {context} = this,
      tone = new OscillatorNode(context, {type, frequency: STEADY}),
      volume = new GainNode(context, {gain});
    tone
      .connect(volume)
      .connect(new StereoPannerNode(context, {pan: place}))
      .connect(this.loudness);
    tone.start();
    return {tone, volume};
  }

  /** Take the methods' levels {t, level}. */
  setTracks(tracks) {
    if (tracks.length !== this.#voices.length) {
      for (const {tone, volume} of this.#voices) {
        tone.stop();
        volume.disconnect();
      }
      this.#voices = places(tracks.length).map(place => this.#addVoice("triangle", place));
    }
    tracks.forEach((track, i) => {
      this.#voices[i].track = track;
    });
  }

  /** Play the levels at the clock's time, while it runs or moves. */
  play({time, playing}) {
    const now = this.context.currentTime,
      {gain} = this.loudness,
      moved = this.#time !== null && time !== this.#time;
    this.#time = time;
    gain.cancelScheduledValues(now);
    if (playing || moved) gain.setTargetAtTime(this.#voices.length ? LOUDNESS : 0, now, GLIDE);
    gain.setTargetAtTime(0, playing || moved ? now + FADE : now, GLIDE);
    for (const {tone, volume, track} of this.#voices) {
      const level = levelAt(track, time),
        sounds = Number.isFinite(level);
      if (sounds) tone.frequency.setTargetAtTime(pitch(level), now, GLIDE);
      volume.gain.setTargetAtTime(sounds ? 0.65 / this.#voices.length : 0, now, GLIDE);
    }
  }

  close() {
    this.context.close();
  }
}
