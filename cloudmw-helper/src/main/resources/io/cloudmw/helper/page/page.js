// The page: takes snapshots from the coordinator and shows them.

import {age, bytes, element, micros, nanos, number, percent, perSecond, rate, setText, visible} from './format.js';
import {badge, DataTable, link} from './table.js';
import {PercentileChart, SpeedChart} from './charts.js';
import {Race} from './race.js';

const PERCENTILES = ['p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9'];
const P50 = 3;
const P95 = 6;
const P99 = 7;
const MOST_NAMED = 5;
const POLL_MILLIS = 5000;

const by = id => document.getElementById(id);
const state = {snapshot: null, store: null, read: null, readState: null, asking: false};

// What the tables show of one row.

const share = (part, whole) => whole > 0 ? part / whole : 0;
const wastedShare = helper => share(helper.wastedBytes, helper.wastedBytes + helper.relayedBytes);
const percentile = (values, index) => values.length > index ? values[index] : -1;
const shownMicros = value => value < 0 ? '–' : micros(value);

const helperState = helper => helper.alive ? ['good', 'alive'] : ['bad', 'away'];

function storeState(store) {
  if (store.lost) {
    return ['bad', 'lost'];
  }
  if (!store.available) {
    return ['bad', 'away'];
  }
  return store.draining ? ['warn', 'draining'] : store.problem ? ['warn', 'limited'] : ['good', 'available'];
}

function volumeState(volume) {
  if (volume.storesAvailable < volume.writeQuorum) {
    return ['bad', 'no writes'];
  }
  return volume.storesAvailable < volume.replicas ? ['warn', 'too few stores'] : ['good', 'good'];
}

function readState(read) {
  return {
    RUNNING: ['', 'under way'],
    DELIVERED: read.limitNanos > 0 && read.elapsedNanos > read.limitNanos ? ['warn', 'late'] : ['good', 'delivered'],
    FAILED: ['bad', 'failed'],
    SILENT: ['warn', 'silent'],
  }[read.state] ?? ['', read.state];
}

const rank = ([kind]) => ({bad: 0, warn: 1}[kind] ?? 2);
const firstByRank = (states, name) => row => `${rank(states(row))} ${row[name]}`;

function stateColumn(states) {
  return {title: 'State', value: row => rank(states(row)), fill: (cell, row) => badge(cell, ...states(row))};
}

const helpers = new DataTable(by('helpers-table'), {
  caption: 'Helpers', unit: 'helpers', empty: 'No helper has registered.', key: row => row.id,
  search: row => `${row.id} ${row.location} ${helperState(row)[1]}`,
  first: firstByRank(helperState, 'id'),
  columns: [
    stateColumn(helperState),
    {title: 'Helper', value: row => row.id, text: row => row.id},
    {title: 'Location', value: row => row.location, text: row => row.location || '–', wide: true},
    {title: 'Heard', value: row => row.heartbeatAgeMillis, text: row => `${age(row.heartbeatAgeMillis)} ago`, number: true},
    {title: 'Transfers', value: row => row.transfers, text: row => row.transfers, number: true},
    {title: 'Reads/s', value: row => row.readsPerSecond, text: row => rate(row.readsPerSecond), number: true},
    {title: 'Speed', value: row => row.bytesPerSecond, text: row => perSecond(row.bytesPerSecond), number: true},
    {title: 'Attempts', value: row => row.attempts, text: row => number(row.attempts), number: true, wide: true},
    {title: 'Won', value: row => row.wins, text: row => number(row.wins), number: true, wide: true},
    {title: 'Failed', value: row => row.failed, text: row => number(row.failed), number: true, wide: true},
    {title: 'Wasted', value: wastedShare, text: row => percent(wastedShare(row)), number: true, wide: true},
    {title: 'Hedges', value: row => row.hedges, text: row => `${number(row.hedgesWon)} of ${number(row.hedges)} won`, wide: true, number: true},
    {title: 'Disks', value: row => row.disks, text: row => row.disks, number: true, wide: true},
    {title: 'Cache hits', value: row => row.switchHitShare, text: row => row.switchHitShare < 0 ? '–' : percent(row.switchHitShare), number: true, wide: true},
  ],
});

const stores = new DataTable(by('stores-table'), {
  caption: 'Stores', unit: 'stores', empty: 'No store was added.', key: row => row.id,
  search: row => `${row.id} ${row.kind} ${row.place} ${row.problem} ${storeState(row)[1]}`,
  first: firstByRank(storeState, 'id'),
  columns: [
    stateColumn(storeState),
    {title: 'Store', value: row => row.id, fill: (cell, row) => link(cell, row.id, () => chooseStore(row.id))},
    {title: 'Kind', value: row => row.kind, text: row => row.kind, wide: true},
    {title: 'Reads/s', value: row => row.readsPerSecond, text: row => rate(row.readsPerSecond), number: true, wide: true},
    {title: 'Speed', value: row => row.bytesPerSecond, text: row => perSecond(row.bytesPerSecond), number: true},
    {title: 'p50', value: row => percentile(row.firstByteMicros, P50), text: row => shownMicros(percentile(row.firstByteMicros, P50)), number: true},
    {title: 'p99', value: row => percentile(row.firstByteMicros, P99), text: row => shownMicros(percentile(row.firstByteMicros, P99)), number: true},
    {title: 'First byte p5–p99', value: row => percentile(row.firstByteMicros, P95), fill: (cell, row) => spread(cell, row), wide: true},
    {title: 'Stream p50', value: row => percentile(row.streamBytesPerSecond, P50), text: row => perSecond(percentile(row.streamBytesPerSecond, P50)), number: true, wide: true},
    {title: 'Errors', value: row => row.errorShare, text: row => row.samples > 0 || row.errorShare > 0 ? percent(row.errorShare) : '–', number: true, wide: true},
    {title: 'Free', value: row => row.freeBytes, text: row => row.freeBytes < 0 ? '–' : bytes(row.freeBytes), number: true, wide: true},
    {title: 'Problem', value: row => row.problem, text: row => row.problem || '–', prose: true},
  ],
});

const volumes = new DataTable(by('volumes-table'), {
  caption: 'Volumes', unit: 'volumes', empty: 'There is no volume.', key: row => row.name,
  search: row => `${row.name} ${row.mode} ${volumeState(row)[1]}`,
  first: firstByRank(volumeState, 'name'),
  columns: [
    stateColumn(volumeState),
    {title: 'Volume', value: row => row.name, text: row => row.name},
    {title: 'Copies', value: row => row.replicas, text: row => `${row.replicas}, quorum ${row.writeQuorum}`, number: true},
    {title: 'Stores', value: row => row.storesAvailable, text: row => `${row.storesAvailable} of ${row.stores} usable${row.storesLeaving > 0 ? `, ${row.storesLeaving} leaving` : ''}`, number: true},
    {title: 'Mode', value: row => row.mode, text: row => row.mode, wide: true},
    {title: 'Cut into', value: row => row.chunking, text: row => row.chunking, wide: true},
    {title: 'Target', value: row => row.target, text: row => row.target || 'none', wide: true},
    {title: 'Recorded reads', value: row => share(row.readsInTarget, row.recordedReads), fill: (cell, row) => promise(cell, row)},
  ],
});

const reads = new DataTable(by('reads-table'), {
  caption: 'Recorded reads', unit: 'reads', pageSize: 8, key: row => row.id,
  empty: 'No read was recorded yet. coordinator.recorded-reads says how many a second are recorded.',
  search: row => `${row.volume}:${row.path} ${row.mode} ${readState(row)[1]}`,
  columns: [
    {...stateColumn(readState)},
    {title: 'File', value: row => `${row.volume}:${row.path}`, prose: true,
      fill: (cell, row) => link(cell, `${row.volume}:${row.path}`, () => chooseRead(row.id, true))},
    {title: 'Mode', value: row => row.mode, text: row => row.mode, wide: true},
    {title: 'Size', value: row => row.wantedBytes, text: row => bytes(row.wantedBytes), number: true},
    {title: 'Took', value: row => row.elapsedNanos, text: row => nanos(row.elapsedNanos), number: true},
    {title: 'Target', value: row => row.limitNanos, text: row => row.limitNanos > 0 ? nanos(row.limitNanos) : '–', number: true, wide: true},
    {title: 'Began', value: row => -row.beganMillis, text: row => `${age(state.snapshot.atMillis - row.beganMillis)} ago`, number: true, wide: true},
  ],
});

function promise(cell, volume) {
  if (volume.recordedReads === 0) {
    badge(cell, '', 'none');
  } else if (volume.readsInTarget >= 0) {
    const all = volume.readsInTarget === volume.recordedReads;
    badge(cell, all ? 'good' : 'warn', `${volume.readsInTarget} of ${volume.recordedReads} in target`);
  } else {
    const bad = volume.failedReads > 0;
    badge(cell, bad ? 'bad' : '', bad ? `${volume.failedReads} of ${volume.recordedReads} failed` : `${volume.recordedReads}`);
  }
}

/** Draws p5 to p99 as a line and p50 as a mark, from 0.1 ms to 10 s. */
function spread(cell, store) {
  const place = value => Math.min(100, Math.max(0, (Math.log10(Math.max(1, value)) - 2) / 5 * 100));
  let box = cell.firstElementChild;
  if (!box) {
    box = cell.appendChild(element('span', 'spread'));
    box.setAttribute('aria-hidden', 'true');
    box.append(element('i'), element('b'));
  }
  const [line, mark] = box.children;
  box.hidden = store.firstByteMicros.length === 0;
  if (!box.hidden) {
    const from = place(store.firstByteMicros[0]);
    line.style.left = `${from}%`;
    line.style.width = `${Math.max(1, place(store.firstByteMicros[P99]) - from)}%`;
    mark.style.left = `${place(store.firstByteMicros[P50])}%`;
  }
}

// The parts of the page.

const speedChart = new SpeedChart(by('speed-chart'));
const firstChart = new PercentileChart(by('store-first'), PERCENTILES, true);
const streamChart = new PercentileChart(by('store-stream'), PERCENTILES, false);
const race = new Race(by('timeline'));
const follow = by('follow');

const percentileTable = new DataTable(by('store-percentiles'), {
  caption: 'Percentiles of the store', unit: 'percentiles', pageSize: 20, empty: 'Too few reads.',
  search: row => row.name,
  columns: [
    {title: 'Percentile', value: row => row.at, text: row => row.name},
    {title: 'First byte', value: row => row.first, text: row => shownMicros(row.first), number: true},
    {title: 'Throughput', value: row => row.stream, text: row => row.stream < 0 ? '–' : perSecond(row.stream), number: true},
  ],
});
percentileTable.bar.remove();


function showTiles(list, tiles) {
  while (list.children.length > tiles.length) {
    list.lastElementChild.remove();
  }
  tiles.forEach(({name, value, more, kind}, index) => {
    let box = list.children[index];
    if (!box) {
      box = list.appendChild(element('div'));
      box.append(element('dt'), element('dd'));
      box.lastElementChild.append(element('span'), element('small'));
    }
    box.className = kind ?? '';
    setText(box.children[0], name);
    setText(box.children[1].children[0], value);
    setText(box.children[1].children[1], more ?? '');
  });
}

function showSums(snapshot) {
  const {totals, upkeep} = snapshot;
  const missing = !upkeep.here ? ['–', 'upkeep is done by another coordinator']
    : [number(upkeep.underReplicatedChunks), upkeep.counted ? 'have too few good copies' : 'still being counted'];
  const wasted = share(totals.wastedBytes, totals.wastedBytes + totals.relayedBytes);
  showTiles(by('tiles'), [
    {name: 'Helpers alive', value: String(totals.helpersAlive), more: totals.helpersDead > 0 ? `${totals.helpersDead} away` : 'none away', kind: totals.helpersDead > 0 ? 'bad' : ''},
    {name: 'Stores available', value: String(totals.storesAvailable), more: totals.storesUnavailable > 0 ? `${totals.storesUnavailable} not available` : 'all', kind: totals.storesUnavailable > 0 ? 'bad' : ''},
    {name: 'Transfers under way', value: number(totals.transfers), more: 'counted at each helper'},
    {name: 'Read from stores', value: totals.bytesPerSecond < 0.5 ? '0 B/s' : perSecond(totals.bytesPerSecond), more: `${rate(totals.readsPerSecond)} reads/s`},
    {name: 'Wasted', value: percent(wasted), more: 'of bytes read, since the helpers started'},
    {name: 'Chunks short of copies', value: missing[0], more: missing[1], kind: upkeep.underReplicatedChunks > 0 ? 'warn' : ''},
  ]);
  showTiles(by('upkeep'), upkeep.here ? [
    {name: 'Files lost', value: number(upkeep.lostFiles), more: 'without any copy of a chunk', kind: upkeep.lostFiles > 0 ? 'bad' : ''},
    {name: 'Upkeep tasks', value: number(upkeep.givenTasks), more: `under way, ${number(upkeep.waitingTasks)} wait`},
    {name: 'Copies made', value: number(upkeep.copied), more: `${bytes(upkeep.copiedBytes)}, ${number(upkeep.failed)} failed attempts`},
    upkeep.scrubRounds === 0 && !upkeep.scrubbing ? {name: 'Last scrub', value: '–', more: 'no periodic round has begun yet'}
    : {name: upkeep.scrubbing ? 'Scrub under way' : 'Last scrub', value: number(upkeep.scrubbedCopies), more: `copies good, ${number(upkeep.badCopies)} bad`, kind: upkeep.badCopies > 0 ? 'warn' : ''},
  ] : []);
}

function named(rows, name) {
  const names = rows.slice(0, MOST_NAMED).map(row => visible(row[name])).join(', ');
  return rows.length > MOST_NAMED ? `${names} and ${rows.length - MOST_NAMED} more` : names;
}

function showProblems(snapshot) {
  const away = snapshot.helpers.filter(helper => !helper.alive);
  const unavailable = snapshot.stores.filter(store => rank(storeState(store)) === 0);
  const limited = snapshot.stores.filter(store => rank(storeState(store)) === 1 && !store.draining);
  const stuck = snapshot.volumes.filter(volume => rank(volumeState(volume)) === 0);
  const short = snapshot.volumes.filter(volume => rank(volumeState(volume)) === 1);
  const problems = [
    [snapshot.upkeep.lostFiles > 0, '', () => `${snapshot.upkeep.lostFiles} files have a chunk without any copy`],
    [away.length > 0, '', () => `${away.length === 1 ? 'Helper' : `${away.length} helpers`} away: ${named(away, 'id')}`],
    [unavailable.length > 0, '', () => `${unavailable.length === 1 ? 'Store' : `${unavailable.length} stores`} not available: ${named(unavailable, 'id')}`],
    [stuck.length > 0, '', () => `Too few stores for writes: ${named(stuck, 'name')}`],
    [short.length > 0, 'warn', () => `Fewer usable stores than copies: ${named(short, 'name')}`],
    [snapshot.upkeep.underReplicatedChunks > 0, 'warn', () => `${snapshot.upkeep.underReplicatedChunks} chunks have too few good copies`],
    [limited.length > 0, 'warn', () => `Stores that not all processes can use: ${named(limited, 'id')}`],
  ].filter(([holds]) => holds).map(([, kind, text]) => [kind, text()]);
  by('problems').hidden = problems.length === 0;
  const list = by('problem-list');
  while (list.children.length > problems.length) {
    list.lastElementChild.remove();
  }
  problems.forEach(([kind, text], index) => {
    const item = list.children[index] ?? list.appendChild(element('li'));
    item.className = kind;
    setText(item, text);
  });
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function middle(all, name) {
  const known = all.map(store => store[name]).filter(values => values.length > 0);
  return known.length === 0 ? [] : PERCENTILES.map((title, index) => median(known.map(values => values[index])));
}

function showStore(snapshot) {
  const known = snapshot.stores.filter(store => store.firstByteMicros.length > 0);
  const slowest = known.reduce((worst, store) =>
    worst === null || store.firstByteMicros[P99] > worst.firstByteMicros[P99] ? store : worst, null);
  const store = snapshot.stores.find(row => row.id === state.store) ?? slowest;
  by('store-detail').hidden = !store;
  if (!store) {
    return;
  }
  if (state.store === null) {
    state.store = store.id; // it stays when another becomes the slowest
    stores.choose(store.id);
  }
  setText(by('store-name'), `${store.id}: ${store.place}`);
  setText(by('store-note'), `${number(Math.round(store.samples))} reads of the last minutes behind it. Dashed: the median of all stores.`
    + (store.medianShift > 1.5 ? ` The median is ${store.medianShift.toFixed(1)} times as long as usual.` : ''));
  firstChart.show(store.firstByteMicros, middle(known, 'firstByteMicros'));
  streamChart.show(store.streamBytesPerSecond, middle(known, 'streamBytesPerSecond'));
  percentileTable.show(PERCENTILES.map((name, at) => ({
    name, at, first: percentile(store.firstByteMicros, at), stream: percentile(store.streamBytesPerSecond, at),
  })));
}

function chooseStore(id) {
  state.store = id;
  stores.choose(id);
  showStore(state.snapshot);
}

// Recorded reads.

function chooseRead(id, byHand) {
  if (byHand) {
    follow.checked = false;
  }
  state.read = id;
  state.readState = null;
  reads.choose(id);
  askForRead();
}

/** Gets the chosen read, unless it was got after its end. */
async function askForRead() {
  const id = state.read;
  if (id === null || state.asking || ['DELIVERED', 'FAILED', 'GONE'].includes(state.readState)) {
    return;
  }
  state.asking = true;
  try {
    const answer = await fetch(`api/reads/${encodeURIComponent(id)}`);
    if (answer.ok) {
      const timeline = await answer.json();
      if (state.read === id) {
        state.readState = timeline.read.state;
        race.show(timeline);
      }
    } else if (answer.status === 404 && state.read === id) {
      state.readState = 'GONE';
    }
  } catch (failure) {
    // The connection is down; the next snapshot asks again.
  } finally {
    state.asking = false;
  }
  if (state.read !== id) {
    askForRead();
  }
}

function followReads(snapshot) {
  const latest = snapshot.reads[0];
  if (latest && (follow.checked || state.read === null) && latest.id !== state.read) {
    chooseRead(latest.id, false);
  } else {
    askForRead();
  }
}

follow.addEventListener('change', () => state.snapshot && followReads(state.snapshot));

// Snapshots.

function show(snapshot) {
  state.snapshot = snapshot;
  by('problem').hidden = true;
  showSums(snapshot);
  showProblems(snapshot);
  helpers.show(snapshot.helpers);
  stores.show(snapshot.stores);
  volumes.show(snapshot.volumes);
  reads.show(snapshot.reads);
  const {totals} = snapshot;
  speedChart.add(snapshot.atMillis / 1000, totals.bytesPerSecond, totals.readsPerSecond);
  setText(by('speed-now'), `Now ${perSecond(totals.bytesPerSecond)} in ${rate(totals.readsPerSecond)} reads/s.`);
  showStore(snapshot);
  followReads(snapshot);
  setText(by('version'), snapshot.version);
  setText(by('ages'), `· ${new Date(snapshot.atMillis).toLocaleTimeString()} by the coordinator's clock · speeds `
    + `${age(snapshot.speedsAgeMillis)} old`);
}

function live(kind, text) {
  by('live').className = `live ${kind}`;
  setText(by('live'), text);
}

function problem(text) {
  by('problem').hidden = false;
  setText(by('problem'), text);
}

/** Shows a snapshot without a stream, for instance because there are too many viewers. */
async function poll() {
  try {
    const answer = await fetch('api/snapshot');
    if (answer.status === 401) {
      location.reload();
    } else if (answer.ok) {
      show(await answer.json());
      live('', 'every few seconds: the stream is not available');
    } else {
      live('off', 'no data');
      problem(`The coordinator cannot show the cluster: ${(await answer.text()).slice(0, 500)}`);
    }
  } catch (failure) {
    live('off', 'no connection');
  }
}

let events = null;
let retry = null;

function connect() {
  clearTimeout(retry);
  events = new EventSource('api/events');
  events.addEventListener('snapshot', event => {
    live('on', 'live');
    show(JSON.parse(event.data));
  });
  events.addEventListener('problem', event => {
    live('off', 'no data');
    problem(`The coordinator cannot show the cluster: ${JSON.parse(event.data).error}`);
  });
  events.addEventListener('error', () => {
    if (events && events.readyState === EventSource.CLOSED) {
      poll();
      retry = setTimeout(connect, POLL_MILLIS);
    } else {
      live('off', 'reconnecting');
    }
  });
}

// A page that nobody sees costs the coordinator nothing.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    clearTimeout(retry);
    events?.close();
    events = null;
    live('', 'paused');
  } else if (!events) {
    connect();
  }
});

connect();
