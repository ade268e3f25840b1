// Alarm sounds after IEC 60601-1-8: bursts of pulses by priority. Browsers allow sound only after a click or key.

const patterns = {
  // Pulses at these moments, in seconds; then silence until the burst begins again.
  high: { pulses: [0, 0.2, 0.4, 0.75, 0.95, 1.5, 1.7, 1.9, 2.25, 2.45], every: 6, pitch: [988, 1319] },
  medium: { pulses: [0, 0.35, 0.7], every: 12, pitch: [784, 988] },
  low: { pulses: [0, 0.5], every: 40, pitch: [659, 784] },
};

export class AlarmSound {
  constructor() {
    this.wanted = true;
    this.isUnlocked = false;
    this.onChange = () => {};
    this.priority = null;
    this.next = 0;
  }

  /** To be called by a click or key. */
  async unlock() {
    if (this.isUnlocked) return;
    try {
      this.context ??= new AudioContext();
      await this.context.resume();
      this.isUnlocked = this.context.state === 'running';
      if (this.isUnlocked) this.onChange();
    } catch { /* A browser without sound: the button says so. */ }
  }

  /** Sounds for the worst alarm that presses, or is still; called each second. */
  sound(priority) {
    if (priority !== this.priority) this.next = 0;
    this.priority = priority;
    if (!priority || !this.wanted || !this.isUnlocked || Date.now() < this.next) return;
    this.next = Date.now() + patterns[priority].every * 1000;
    this.play(priority);
  }

  play(priority) {
    if (!this.isUnlocked) return;
    const { pulses, pitch } = patterns[priority];
    for (const start of pulses) this.pulse(this.context.currentTime + 0.05 + start, pitch);
  }

  pulse(at, pitches) {
    const gain = this.context.createGain();
    gain.gain.setValueAtTime(0, at);
    gain.gain.linearRampToValueAtTime(0.25, at + 0.02);
    gain.gain.setValueAtTime(0.25, at + 0.11);
    gain.gain.linearRampToValueAtTime(0, at + 0.15);
    gain.connect(this.context.destination);
    for (const pitch of pitches) {
      const tone = this.context.createOscillator();
      tone.frequency.value = pitch;
      tone.connect(gain);
      tone.start(at);
      tone.stop(at + 0.16);
    }
  }
}
