// The energy errors of the methods as tones; fetched when they are first to be heard. `app/player/sound.py` sends the levels.

const STEADY = 220; // Hz of the tone with which a voice at the lowest level is in unison
const LOWEST = -16, HIGHEST = 1; // powers of ten of the error
const CENTS = 200; // by which a voice is higher for each power of ten: a whole tone
const LOUDNESS = 0.12; // of all together
const GLIDE = 0.02, FADE = 0.25; // seconds in which a tone follows, and after which it fades if the time stands still

/** Hz of a voice whose error is this power of ten. */
export const pitch = level => STEADY * 2 ** ((Math.max(LOWEST, Math.min(HIGHEST, level)) - LOWEST) * CENTS / 1200);

/** The level at a time, on a line between its rows; none before the first and after the last. */
export function levelAt({t, level}, time) {
  const next = t.findIndex(x => x >= time);
  if (next < 0 || !(time >= t[0])) return NaN;
  if (next === 0) return level[0];
  const part = (time - t[next - 1]) / (t[next] - t[next - 1]);
  return (1 - part) * level[next - 1] + part * level[next];
}

/** Where voices stand from left to right. */
export const places = n => Array.from({length: n}, (_, i) => (n > 1 ? 1.4 * i / (n - 1) - 0.7 : 0));

export class Sound {
  #voices = []; #time = null;

  constructor(context) {
    this.context = context;
    const limiter = new DynamicsCompressorNode(context, {threshold: -18, knee: 0, ratio: 20, attack: 0.002, release: 0.1});
    this.loudness = new GainNode(context, {gain: 0});
    this.loudness.connect(limiter).connect(context.destination);
    this.#voice("sine", 0, 0.35); // the steady one
  }

  /** A tone, still silent unless it is given a gain. */
  #voice(type, place, gain = 0) {
    const {context} = this, tone = new OscillatorNode(context, {type, frequency: STEADY}), volume = new GainNode(context, {gain});
    tone.connect(volume).connect(new StereoPannerNode(context, {pan: place})).connect(this.loudness);
    tone.start();
    return {tone, volume};
  }

  /** These methods from now on, each with its times and levels. */
  sing(tracks) {
    if (tracks.length !== this.#voices.length) {
      for (const {tone, volume} of this.#voices) { tone.stop(); volume.disconnect(); }
      this.#voices = places(tracks.length).map(place => this.#voice("triangle", place));
    }
    tracks.forEach((track, i) => { this.#voices[i].track = track; });
  }

  /** What is heard at the time of the clock, as long as it goes on or is moved. */
  hear({time, playing}) {
    const now = this.context.currentTime, {gain} = this.loudness, moved = this.#time !== null && time !== this.#time;
    this.#time = time;
    gain.cancelScheduledValues(now);
    if (playing || moved) gain.setTargetAtTime(this.#voices.length ? LOUDNESS : 0, now, GLIDE);
    gain.setTargetAtTime(0, playing || moved ? now + FADE : now, GLIDE);
    for (const {tone, volume, track} of this.#voices) {
      const level = levelAt(track, time), there = Number.isFinite(level);
      if (there) tone.frequency.setTargetAtTime(pitch(level), now, GLIDE);
      volume.gain.setTargetAtTime(there ? 0.65 / this.#voices.length : 0, now, GLIDE);
    }
  }

  end() { this.context.close(); }
}
