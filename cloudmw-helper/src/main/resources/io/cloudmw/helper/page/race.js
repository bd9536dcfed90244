// The timeline of a recorded read: a lane for each racer or store, with a bar for each attempt, on one canvas.

import {bytes, element, nanos, number, percent, setText, visible} from './format.js';
import {colour, whenRecoloured} from './charts.js';
import {DataTable} from './table.js';

const NEVER = -1;
const GAP = 6;
const AXIS = 22;
const KINDS = {
  won: {name: 'won', colour: 'won'},
  handover: {name: 'hand-over, won', colour: 'handover', mark: 'H'},
  hedge: {name: 'hedge, won', colour: 'hedge', mark: '2'},
  extra: {name: 'stolen or doubled, won', colour: 'extra', mark: '+'},
  running: {name: 'under way', colour: 'running'},
  unused: {name: 'finished, not used', colour: 'unused'},
  cancelled: {name: 'cancelled', colour: 'cancelled'},
  failed: {name: 'failed', colour: 'failed', mark: '!'},
  queued: {name: 'waiting', colour: 'queued'},
};
const REASONS = {
  PLANNED: 'planned', RETRY: 'retry', HEDGE: 'hedge', HAND_OVER: 'hand-over', STEAL: 'stolen', DUPLICATE: 'doubled',
};
const BY_REASON = {HEDGE: 'hedge', HAND_OVER: 'handover', STEAL: 'extra', DUPLICATE: 'extra'};

/** The kind of an attempt: its outcome, and for one that brought bytes its reason. */
function kind(attempt) {
  if (attempt.state === 'FAILED') {
    return 'failed';
  }
  if (attempt.wonBytes > 0 && attempt.endedNanos !== NEVER) {
    return BY_REASON[attempt.reason] ?? 'won';
  }
  return {QUEUED: 'queued', RUNNING: 'running', FINISHED: 'unused'}[attempt.state] ?? 'cancelled';
}

function wasted(attempt) {
  return attempt.endedNanos === NEVER ? 0 : Math.max(0, attempt.fetchedBytes - attempt.wonBytes);
}

function outcome(attempt) {
  const {name} = KINDS[kind(attempt)];
  return attempt.error ? `${name} (${attempt.error})` : name;
}

/** Describes an attempt in words. */
function describe(attempt) {
  const times = [`issued ${nanos(attempt.issuedNanos)}`];
  if (attempt.beganNanos !== NEVER) {
    times.push(`began ${nanos(attempt.beganNanos)}`);
  }
  if (attempt.endedNanos !== NEVER) {
    times.push(`ended ${nanos(attempt.endedNanos)}`);
  }
  const lost = wasted(attempt);
  return `Chunk ${attempt.chunk}, block ${attempt.block} (${bytes(attempt.length)}) by ${attempt.racer} from `
    + `${attempt.store}: ${REASONS[attempt.reason] ?? attempt.reason}, ${outcome(attempt)}. `
    + `${times.join(', ')}. Read ${bytes(attempt.fetchedBytes)}, used ${bytes(attempt.wonBytes)}`
    + `${lost > 0 ? `, wasted ${bytes(lost)}` : ''}.`;
}

export class Race {
  constructor(place) {
    this.place = place;
    this.id = null;
    this.by = 'racer';
    this.picked = null;
    this.#build();
    whenRecoloured(() => this.#redraw());
    new ResizeObserver(() => this.#redraw()).observe(this.lanes);
  }

  #build() {
    this.title = element('h3');
    this.facts = element('ul', 'facts');
    this.error = element('p', 'banner bad');
    const bar = element('div', 'bar');
    const group = element('span', 'group');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', 'Lanes');
    this.groups = ['racer', 'store'].map(by => {
      const button = this.#button(group, by === 'racer' ? 'Lanes by helper' : 'Lanes by store', () => {
        this.by = by;
        this.#arrange();
      });
      button.dataset.by = by;
      return button;
    });
    const zoom = element('span', 'pages');
    this.#button(zoom, '−', () => this.#zoom(2), 'Zoom out');
    this.#button(zoom, '+', () => this.#zoom(0.5), 'Zoom in');
    this.#button(zoom, 'All', () => this.#whole(), 'Show the whole read');
    bar.append(group, zoom);
    this.legend = element('ul', 'legend');
    this.lanes = element('div', 'lanes');
    this.canvas = element('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.canvas.setAttribute('aria-describedby', 'race-keys');
    this.canvas.addEventListener('keydown', event => this.#key(event));
    this.canvas.addEventListener('pointermove', event => this.#pointer(event));
    this.canvas.addEventListener('pointerdown', event => this.#pointer(event));
    this.canvas.addEventListener('wheel', event => this.#wheel(event), {passive: false});
    this.lanes.append(this.canvas);
    const keys = element('p', 'note',
      'Arrow keys go from attempt to attempt, + and − zoom, 0 shows all. The hatched part of a bar was read in vain.');
    keys.id = 'race-keys';
    this.attempt = element('p', 'attempt');
    this.attempt.setAttribute('aria-live', 'polite');
    const more = element('details');
    more.append(element('summary', '', 'All attempts as a table'));
    const table = element('div');
    more.append(table);
    this.more = more;
    this.table = new DataTable(table, {
      caption: 'Attempts of the read', unit: 'attempts', pageSize: 20,
      search: row => `${row.racer} ${row.store} ${REASONS[row.reason]} ${outcome(row)}`,
      columns: [
        {title: 'Issued', value: row => row.issuedNanos, text: row => nanos(row.issuedNanos), number: true},
        {title: 'Helper', value: row => row.racer, text: row => row.racer},
        {title: 'Store', value: row => row.store, text: row => row.store},
        {title: 'Chunk', value: row => row.chunk, text: row => row.chunk, number: true},
        {title: 'Block', value: row => row.block, text: row => row.block, number: true},
        {title: 'Reason', value: row => row.reason, text: row => REASONS[row.reason] ?? row.reason},
        {title: 'Outcome', value: kind, text: outcome},
        {title: 'Took', number: true, value: row => this.#took(row), text: row => row.beganNanos === NEVER ? '–' : nanos(this.#took(row))},
        {title: 'Used', value: row => row.wonBytes, text: row => bytes(row.wonBytes), number: true},
        {title: 'Wasted', value: wasted, text: row => bytes(wasted(row)), number: true},
      ],
    });
    more.addEventListener('toggle', () => this.#fillTable());
    this.place.append(this.title, this.facts, this.error, bar, this.legend, this.lanes, this.attempt, keys, more);
  }

  #button(place, text, action, label) {
    const button = element('button', '', text);
    button.type = 'button';
    if (label) {
      button.setAttribute('aria-label', label);
    }
    button.addEventListener('click', action);
    place.append(button);
    return button;
  }

  #took(attempt) {
    return attempt.beganNanos === NEVER ? 0 : this.#end(attempt) - attempt.beganNanos;
  }

  #end(attempt) {
    return attempt.endedNanos === NEVER ? this.length : attempt.endedNanos;
  }

  /** Shows a read with its attempts; one that is shown already keeps zoom and choice. */
  show(timeline) {
    const {read} = timeline;
    const same = this.id === read.id;
    this.id = read.id;
    this.timeline = timeline;
    const whole = !same || this.view === null || (this.view[0] === 0 && this.view[1] === this.length);
    this.length = Math.max(1, read.elapsedNanos, ...timeline.attempts.slice(-64).map(a => a.issuedNanos));
    for (const attempt of timeline.attempts) {
      this.length = Math.max(this.length, attempt.endedNanos, attempt.beganNanos);
    }
    if (whole) {
      this.view = [0, this.length];
    }
    if (!same) {
      this.picked = null;
    }
    this.place.hidden = false;
    this.#tell();
    this.#arrange();
    this.#fillTable();
  }

  #fillTable() {
    if (this.more.open && this.timeline) {
      this.table.show(this.timeline.attempts);
    }
  }

  #tell() {
    const {read, attempts, omittedAttempts} = this.timeline;
    setText(this.title, `${read.volume}:${read.path}`);
    this.error.hidden = !read.error;
    setText(this.error, read.error);
    const counts = {};
    let lost = 0;
    let fetched = 0;
    for (const attempt of attempts) {
      counts[kind(attempt)] = (counts[kind(attempt)] ?? 0) + 1;
      lost += wasted(attempt);
      fetched += attempt.fetchedBytes;
    }
    const issued = reason => attempts.filter(attempt => attempt.reason === reason).length;
    const facts = [
      [read.state.toLowerCase(), `${nanos(read.elapsedNanos)}`],
      ['size', bytes(read.wantedBytes)],
      ['mode', read.mode],
      ['speed', read.state === 'DELIVERED' ? `${bytes(read.wantedBytes * 1e9 / Math.max(1, read.elapsedNanos))}/s` : '–'],
      ['attempts issued', number(attempts.length + omittedAttempts)],
      ['begun', number(attempts.filter(attempt => attempt.beganNanos !== NEVER).length)],
      ['hedges', number(issued('HEDGE'))],
      ['hand-overs', number(issued('HAND_OVER'))],
      ['wasted', `${bytes(lost)} (${percent(fetched === 0 ? 0 : lost / fetched)})`],
    ];
    if (read.limitNanos > 0) {
      facts.push(['target', `${nanos(read.limitNanos)}, ${
        read.state === 'DELIVERED' && read.elapsedNanos <= read.limitNanos ? 'kept'
          : read.elapsedNanos > read.limitNanos ? 'missed' : 'open'}`]);
    }
    if (omittedAttempts > 0) {
      facts.push(['not recorded', `${number(omittedAttempts)} attempts`]);
    }
    this.facts.replaceChildren(...facts.map(([name, value]) => {
      const item = element('li', '', `${name} `);
      item.append(element('b', '', value));
      return item;
    }));
    this.canvas.setAttribute('aria-label', `Timeline of ${visible(read.path)}: ${attempts.length} attempts, `
      + Object.entries(counts).map(([name, count]) => `${count} ${KINDS[name].name}`).join(', '));
    this.kinds = Object.keys(KINDS).filter(name => counts[name]);
  }

  /** Puts attempts into lanes and rows, so that no two that read at the same time share a row. */
  #arrange() {
    this.groups.forEach(button => button.setAttribute('aria-pressed', button.dataset.by === this.by));
    const names = new Map();
    for (const attempt of this.timeline.attempts) {
      // A helper has several racers, such as helper-1 and helper-1#1.
      const name = this.by === 'store' ? attempt.store : attempt.racer.replace(/#\d+$/, '');
      if (!names.has(name)) {
        names.set(name, []);
      }
      names.get(name).push(attempt);
    }
    this.groupsOfLanes = [...names.entries()]
      .sort(([a], [b]) => (a === 'local') - (b === 'local') || (a < b ? -1 : 1))
      .map(([name, attempts]) => {
        const ends = [];
        const rows = new Map();
        for (const attempt of [...attempts].sort((a, b) => this.#start(a) - this.#start(b))) {
          const start = this.#start(attempt);
          let row = ends.findIndex(end => end <= start);
          if (row < 0) {
            row = ends.length;
          }
          ends[row] = Math.max(start, this.#end(attempt));
          if (attempt.beganNanos === NEVER) {
            ends[row] = start;
          }
          rows.set(attempt, row);
        }
        return {name, rows, count: Math.max(1, ends.length)};
      });
    this.order = [...this.timeline.attempts].sort((a, b) => a.issuedNanos - b.issuedNanos || a.block - b.block);
    this.#redraw();
  }

  #start(attempt) {
    return attempt.beganNanos === NEVER ? this.#end(attempt) : attempt.beganNanos;
  }

  #redraw() {
    if (!this.timeline || this.lanes.clientWidth === 0) {
      return;
    }
    if (!this.due) {
      this.due = requestAnimationFrame(() => {
        this.due = null;
        this.#draw();
      });
    }
  }

  #draw() {
    const width = this.lanes.clientWidth;
    const rows = this.groupsOfLanes.reduce((sum, lane) => sum + lane.count, 0);
    const rowHeight = rows <= 16 ? 20 : rows <= 60 ? 14 : rows <= 200 ? 8 : 5;
    this.left = Math.min(150, Math.round(width * 0.24));
    const laneHeight = lane => Math.max(lane.count * rowHeight, 16) + GAP;
    const height = AXIS + this.groupsOfLanes.reduce((sum, lane) => sum + laneHeight(lane), 0);
    const scale = Math.min(window.devicePixelRatio || 1, 32000 / height);
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const context = this.canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.paint = paints(context);
    this.#drawAxis(context, width, height);
    this.bars = [];
    let top = AXIS;
    for (const lane of this.groupsOfLanes) {
      context.fillStyle = this.paint.line;
      context.fillRect(0, top - GAP / 2, width, 1);
      context.fillStyle = this.paint.text;
      context.font = '12px system-ui, sans-serif';
      context.textBaseline = 'top';
      context.direction = 'ltr';
      context.fillText(fitted(context, visible(lane.name), this.left - 14), 8, top + 2);
      context.save();
      context.beginPath();
      context.rect(this.left, top - GAP / 2, width - this.left, laneHeight(lane));
      context.clip();
      const boxes = [...lane.rows].map(([attempt, row]) => this.#box(attempt, top + row * rowHeight, rowHeight, width));
      // Waiting first, so that bars cover it.
      boxes.forEach(box => this.#drawWaiting(context, box));
      boxes.forEach(box => this.#drawBar(context, box));
      this.bars.push(...boxes);
      context.restore();
      top += laneHeight(lane);
    }
    this.#drawLegend();
    this.#tellPicked();
  }

  #x(time, width) {
    const [from, to] = this.view;
    return this.left + (time - from) / (to - from) * (width - this.left - 8);
  }

  #box(attempt, top, rowHeight, width) {
    const issued = this.#x(attempt.issuedNanos, width);
    const end = this.#x(this.#end(attempt), width);
    const began = attempt.beganNanos === NEVER ? end : this.#x(attempt.beganNanos, width);
    return {attempt, issued, began, end: Math.max(end, began), top, height: rowHeight - (rowHeight > 8 ? 3 : 1)};
  }

  #drawWaiting(context, box) {
    context.fillStyle = this.paint.queued;
    context.fillRect(box.issued, box.top + box.height / 2 - 1, Math.max(0.5, box.began - box.issued), 2);
    if (box.attempt.beganNanos === NEVER && box.attempt.endedNanos !== NEVER) {
      context.fillStyle = this.paint[KINDS[kind(box.attempt)].colour];
      context.fillRect(box.end - 1, box.top + 2, 2, box.height - 4);
    }
  }

  #drawBar(context, box) {
    const {attempt, began, end, top, height} = box;
    if (attempt === this.picked) {
      context.strokeStyle = this.paint.select;
      context.lineWidth = 2;
      context.strokeRect(Math.min(box.issued, began) - 2, top - 2, end - Math.min(box.issued, began) + 4, height + 4);
    }
    if (attempt.beganNanos === NEVER) {
      return;
    }
    const name = kind(attempt);
    const width = Math.max(1.5, end - began);
    context.fillStyle = this.paint[KINDS[name].colour];
    context.fillRect(began, top, width, height);
    const lost = wasted(attempt);
    if (lost > 0 && width > 3) {
      const part = width * lost / Math.max(1, attempt.fetchedBytes);
      context.fillStyle = this.paint.hatch;
      context.fillRect(end - part, top, part, height);
    }
    const reason = BY_REASON[attempt.reason];
    if (reason && !(attempt.wonBytes > 0 && attempt.endedNanos !== NEVER)) {
      context.fillStyle = this.paint[KINDS[reason].colour];
      context.fillRect(began, top, Math.min(width, 4), height);
    }
    const mark = KINDS[name].mark ?? (reason && KINDS[reason].mark) ?? '';
    if (height >= 11 && width > 14) {
      context.fillStyle = this.paint.card;
      context.font = '600 10px system-ui, sans-serif';
      context.textBaseline = 'middle';
      const text = width > 64 ? `${mark ? `${mark} ` : ''}${attempt.chunk}·${attempt.block}` : mark;
      context.fillText(text, began + 6, top + height / 2 + 0.5);
    }
  }

  #drawAxis(context, width, height) {
    const [from, to] = this.view;
    const step = niceStep((to - from) / Math.max(2, (width - this.left) / 110));
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'top';
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const x = this.#x(time, width);
      context.fillStyle = this.paint.line;
      context.fillRect(x, AXIS - 6, 1, height);
      context.fillStyle = this.paint.soft;
      const text = time === 0 ? '0' : nanos(Math.round(time));
      context.fillText(text, Math.min(x, width - context.measureText(text).width - 4), 3);
    }
    const {read} = this.timeline;
    if (read.limitNanos > 0 && read.limitNanos < to) {
      context.fillStyle = this.paint.bad;
      context.fillRect(this.#x(read.limitNanos, width), AXIS - 6, 2, height);
    }
  }

  #drawLegend() {
    const key = this.kinds.join() + this.paint.text;
    if (this.legendOf === key) {
      return;
    }
    this.legendOf = key;
    this.legend.replaceChildren(...this.kinds.map(name => {
      const item = element('li');
      const sample = element('canvas');
      sample.width = 52;
      sample.height = 24;
      const context = sample.getContext('2d');
      context.scale(2, 2);
      context.fillStyle = this.paint[KINDS[name].colour];
      if (name === 'queued') {
        context.fillRect(0, 5, 26, 2);
      } else {
        context.fillRect(0, 0, 26, 12);
        context.fillStyle = this.paint.card;
        context.font = '600 10px system-ui, sans-serif';
        context.textBaseline = 'middle';
        context.fillText(KINDS[name].mark ?? '', 6, 6.5);
      }
      item.append(sample, KINDS[name].name);
      return item;
    }));
  }

  #tellPicked() {
    setText(this.attempt, this.picked ? describe(this.picked) : '');
  }

  #pick(attempt) {
    if (this.picked !== attempt) {
      this.picked = attempt;
      this.#redraw();
    }
  }

  #pointer(event) {
    if (!this.bars) {
      return;
    }
    const {offsetX: x, offsetY: y} = event;
    let best = null;
    for (const box of this.bars) {
      const inRow = y >= box.top - 2 && y <= box.top + box.height + 2;
      if (inRow && x >= box.began - 2 && x <= box.end + 2) {
        best = box;
        if (x >= box.began && x <= box.end) {
          break;
        }
      }
    }
    if (best) {
      this.#pick(best.attempt);
    }
  }

  #key(event) {
    const at = this.picked ? this.order.findIndex(attempt => same(attempt, this.picked)) : -1;
    const last = this.order.length - 1;
    const steps = {
      ArrowRight: () => this.#reach(Math.min(last, at + 1)),
      ArrowDown: () => this.#reach(Math.min(last, at + 1)),
      ArrowLeft: () => this.#reach(Math.max(0, at - 1)),
      ArrowUp: () => this.#reach(Math.max(0, at - 1)),
      Home: () => this.#reach(0),
      End: () => this.#reach(last),
      '+': () => this.#zoom(0.5),
      '-': () => this.#zoom(2),
      '0': () => this.#whole(),
    };
    const step = steps[event.key];
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey && last >= 0) {
      event.preventDefault();
      step();
    }
  }

  #reach(index) {
    const attempt = this.order[index];
    const [from, to] = this.view;
    if (this.#end(attempt) < from || attempt.issuedNanos > to) {
      this.#look(attempt.issuedNanos - (to - from) / 4, to - from);
    }
    this.#pick(attempt);
  }

  #wheel(event) {
    if (event.ctrlKey) {
      event.preventDefault();
      this.#zoom(event.deltaY > 0 ? 1.25 : 0.8);
    } else if (event.shiftKey && !this.#isWhole()) {
      event.preventDefault();
      const [from, to] = this.view;
      this.#look(from + (event.deltaY || event.deltaX) / 1000 * (to - from), to - from);
    }
  }

  #isWhole() {
    return this.view[0] === 0 && this.view[1] === this.length;
  }

  /** Zooms around the chosen attempt, or around the middle. */
  #zoom(factor) {
    const [from, to] = this.view;
    const middle = this.picked ? (this.picked.issuedNanos + this.#end(this.picked)) / 2 : (from + to) / 2;
    const span = Math.min(this.length, Math.max(1000, (to - from) * factor));
    this.#look(middle - span / 2, span);
  }

  #look(from, span) {
    const first = Math.max(0, Math.min(this.length - span, from));
    this.view = span >= this.length ? [0, this.length] : [first, first + span];
    this.#redraw();
  }

  #whole() {
    this.view = [0, this.length];
    this.#redraw();
  }
}

function same(a, b) {
  return a.block === b.block && a.racer === b.racer && a.number === b.number;
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least);
}

function fitted(context, text, width) {
  if (context.measureText(text).width <= width) {
    return text;
  }
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) {
    length--;
  }
  return `${text.slice(0, length)}…`;
}

function paints(context) {
  const names = ['won', 'handover', 'hedge', 'extra', 'running', 'unused', 'cancelled', 'failed', 'queued', 'line',
    'text', 'soft', 'card', 'select', 'bad'];
  const made = Object.fromEntries(names.map(name => [name, colour(name)]));
  const tile = document.createElement('canvas');
  tile.width = 6;
  tile.height = 6;
  const stripes = tile.getContext('2d');
  stripes.strokeStyle = colour('hatch');
  stripes.lineWidth = 1.6;
  stripes.beginPath();
  for (const start of [-6, 0, 6]) {
    stripes.moveTo(start, 6);
    stripes.lineTo(start + 6, 0);
  }
  stripes.stroke();
  made.hatch = context.createPattern(tile, 'repeat');
  return made;
}
