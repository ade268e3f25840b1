// Short electrocardiograms in the overview: of the worst few who send one, on screens that have room for them.

import { Sweep } from './sweep.js';

/** As many people at once, seconds that fit on a strip; milliseconds until who sends none makes room for another, until asked again, and between two choices. */
const most = 4;
const seconds = 4;
const patience = 15000;
const pause = 300000;
const calm = 10000;
const isWide = matchMedia('(min-width: 64rem)');

export class Strips {
  /**
   * @param {object} live
   * @param {{hasRoom: () => boolean, mayBeSeen: (id: string) => boolean, ask: (ids: string[]) => void}} page `ask` says whose waveforms are wanted
   */
  constructor(live, page) {
    Object.assign(this, { live, page, cards: [], asked: new Map(), lacking: new Map(), sweeps: new Map(), key: '', chosen: 0, frame: 0 });
    this.draw = this.draw.bind(this);
  }

  /** Chooses whose strips are shown. @param cards the worst first */
  choose(cards) {
    this.cards = cards;
    const hasRoom = isWide.matches && this.page.hasRoom();
    // Each change opens the stream anew, and many alarms at once change the order again and again.
    if (hasRoom && this.asked.size && Date.now() - this.chosen < calm && [...this.asked.keys()].every((id) => this.mayHave(id))) return;
    const chosen = new Map();
    for (const card of hasRoom ? cards : []) {
      if (chosen.size === most) break;
      if (this.mayHave(card.id)) chosen.set(card.id, card);
    }
    for (const id of [...this.asked.keys()]) if (!chosen.has(id)) this.end(id);
    for (const [id, card] of chosen) if (!this.asked.has(id)) this.asked.set(id, { card, since: Date.now() });
    const key = [...this.asked.keys()].sort().join();
    if (key !== this.key) {
      this.key = key;
      this.chosen = Date.now();
      this.page.ask([...this.asked.keys()]);
    }
    if (this.asked.size && !this.frame) this.frame = requestAnimationFrame(this.draw);
  }

  /**
   * A heart rate tells that there may be an electrocardiogram; whether there is one shows once it was asked for. The server refuses the whole stream
   * where it names one whom the account may no longer see.
   */
  mayHave(id) {
    if (!this.page.mayBeSeen(id)) return false;
    if (Date.now() - this.lacking.get(id) < pause) return false;
    const rate = this.live.people.get(id)?.values.get('heart-rate');
    return Boolean(rate) && this.live.now() - rate.t < 60;
  }

  /** Looks who sends none, or whose turn it is now. */
  look() {
    for (const [id, { since }] of this.asked) if (Date.now() - since > patience && !this.live.people.get(id)?.waves.get('ecg')) this.lacking.set(id, Date.now());
    this.choose(this.cards);
  }

  draw() {
    this.frame = this.asked.size ? requestAnimationFrame(this.draw) : 0;
    const now = this.live.now();
    for (const [id, { card }] of this.asked) {
      const blocks = this.live.people.get(id)?.waves.get('ecg');
      // A picture that stands still would be taken for a heart.
      if (!blocks) { this.hide(id); continue; }
      card.strip.classList.remove('hidden');
      if (!this.sweeps.has(id)) this.sweeps.set(id, new Sweep(card.strip.firstChild, 'ecg', { seconds, line: 1.5 }));
      this.sweeps.get(id).draw(blocks, now);
    }
  }

  hide(id) {
    this.sweeps.get(id)?.stop();
    this.sweeps.delete(id);
    this.asked.get(id).card.strip.classList.add('hidden');
  }

  end(id) {
    this.hide(id);
    this.asked.delete(id);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    for (const id of [...this.asked.keys()]) this.end(id);
  }
}
