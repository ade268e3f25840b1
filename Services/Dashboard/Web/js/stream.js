// One stream of events a browser, shared by its tabs: HTTP/1.1 allows six connections to a server, and each stream holds one.
// The tab that holds a lock has the stream and tells the others. When it goes, or says nothing for long, another takes the lock.

const names = ['snapshot', 'values', 'waves', 'gap', 'alert', 'module', 'beat', 'end'];
/** Milliseconds: between signs of life, without one until the lock is taken away, and until what a tab wanted is forgotten. */
const sign = 2000;
const silent = 8000;
const forgotten = 15000;
const most = 16;

export class Stream {
  /** @param {{take: (name: string, data: object) => void, refused: () => void, snapshot: () => object}} tab */
  constructor(tab) {
    this.tab = tab;
    this.id = crypto.getRandomValues(new Uint32Array(2)).join('-');
    this.isOpen = false;
    this.retry = 500;
    addEventListener('pagehide', () => this.channel?.postMessage({ kind: 'bye', tab: this.id }));
    document.addEventListener('visibilitychange', () => { if (this.isOpen && !document.hidden) this.tend(); });
  }

  /** Opens the stream of an account; waveforms of these participants are wanted. */
  open(account, waves) {
    this.waves = waves;
    if (this.isOpen) return this.isLeading ? this.update() : this.ask();
    this.isOpen = true;
    this.isLeading = false;
    this.others = new Map();
    this.name = `vigil-live-${account}`;
    if (!navigator.locks || !globalThis.BroadcastChannel) {
      this.isLeading = true;
      return this.connect();
    }
    this.heard = Date.now();
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = (event) => this.hear(event.data);
    this.timer = setInterval(() => this.tend(), sign);
    this.ask(true);
    this.compete();
  }

  close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.disconnect();
    clearInterval(this.timer);
    this.waiting?.abort();
    this.release?.();
    this.channel?.postMessage({ kind: 'bye', tab: this.id });
    this.channel?.close();
    this.channel = null;
  }

  // The lock

  async compete(steals = false) {
    this.waiting?.abort();
    const waiting = new AbortController();
    this.waiting = waiting;
    try {
      await navigator.locks.request(this.name, steals ? { steal: true } : { signal: waiting.signal }, () => new Promise((done) => {
        if (!this.isOpen || this.waiting !== waiting) return done();
        this.release = done;
        this.isLeading = true;
        this.connect();
      }));
    } catch { /* Given up, or taken away by another tab. */ }
    if (this.waiting !== waiting || !this.isOpen) return;
    this.isLeading = false;
    this.heard = Date.now();
    this.disconnect();
    this.compete();
  }

  tend() {
    for (const [tab, other] of this.others) if (Date.now() - other.at > forgotten) this.others.delete(tab);
    if (!this.isLeading) {
      this.ask();
      // A tab in the background may be asleep, and with it everybody's stream.
      if (!document.hidden && Date.now() - this.heard > silent) { this.heard = Date.now(); this.compete(true); }
      return;
    }
    this.channel?.postMessage({ kind: 'alive' });
    this.update();
  }

  /** Says which waveforms this tab wants. */
  ask(isNew = false) { this.channel?.postMessage({ kind: 'want', tab: this.id, waves: this.waves, isNew }); }

  hear(message) {
    if (!this.isOpen) return;
    switch (message.kind) {
      case 'event':
        if (this.isLeading) return;
        this.heard = Date.now();
        this.tab.take(message.name, JSON.parse(message.data));
        break;
      case 'alive': this.heard = Date.now(); break;
      case 'want':
        // Each tab knows what the others want: it may be the next to have the stream.
        this.others.set(message.tab, { waves: message.waves, at: Date.now() });
        if (this.isLeading && !this.update() && message.isNew && this.hasSnapshot) this.channel.postMessage({ kind: 'snapshot', tab: message.tab, data: this.tab.snapshot() });
        break;
      case 'snapshot': if (message.tab === this.id && !this.isLeading) this.tab.take('snapshot', message.data); break;
      case 'bye': this.others?.delete(message.tab); break;
    }
  }

  // The connection

  wanted() { return [...new Set([this.waves, ...[...this.others.values()].map((other) => other.waves)].flat())].slice(0, most).sort(); }

  /** Connects anew where waveforms are wanted that the stream does not bring, or has long brought for nobody. @returns whether it did. */
  update() {
    const wanted = this.wanted();
    const lacks = wanted.some((name) => !this.asked?.includes(name));
    const isMore = (this.asked?.length ?? 0) > wanted.length;
    this.moreSince = isMore ? this.moreSince ?? Date.now() : undefined;
    if (!lacks && !(isMore && Date.now() - this.moreSince > forgotten)) return false;
    this.disconnect();
    this.connect();
    return true;
  }

  connect() {
    this.asked = this.wanted();
    this.moreSince = undefined;
    this.hasSnapshot = false;
    const source = new EventSource('/api/v1/live' + (this.asked.length ? '?waves=' + encodeURIComponent(this.asked.join(',')) : ''));
    this.source = source;
    for (const name of names) {
      source.addEventListener(name, (event) => {
        if (this.source !== source) return;
        this.retry = 500;
        this.channel?.postMessage({ kind: 'event', name, data: event.data });
        if (name === 'snapshot') this.hasSnapshot = true;
        this.tab.take(name, JSON.parse(event.data));
      });
    }
    source.onerror = () => {
      if (this.source !== source) return;
      source.close();
      this.source = null;
      // Not the browser's own repetition: it gives up at a refusal, and comes in step with all others after a restart.
      this.again = setTimeout(() => this.connect(), this.retry * (0.5 + Math.random()));
      // An event stream does not tell why it was refused: whether somebody is still signed in is asked for.
      if (this.retry > 1000) this.tab.refused();
      this.retry = Math.min(this.retry * 2, 8000);
    };
  }

  disconnect() {
    clearTimeout(this.again);
    this.source?.close();
    this.source = null;
  }
}
