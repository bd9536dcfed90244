// Charts by uPlot, in the colours of the page.

import {bytes, micros, perSecond} from './format.js';

const uPlot = window.uPlot;
// Axes of bytes have round numbers of MiB.
const POWERS = Array.from({length: 50}, (none, exponent) => 2 ** exponent);
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Calls back when the colours of the page change. */
export function whenRecoloured(redraw) {
  dark.addEventListener('change', redraw);
}

function axis(more) {
  return {
    stroke: colour('soft'),
    font: '12px system-ui',
    grid: {stroke: colour('line'), width: 1},
    ticks: {stroke: colour('line'), width: 1},
    ...more,
  };
}

/** A chart that fits its place; made again when the colours change. */
class FittingChart {
  constructor(place, height, options) {
    this.place = place;
    this.height = height;
    this.options = options;
    this.data = null;
    this.plot = null;
    new ResizeObserver(() => {
      if (this.plot && place.clientWidth > 0 && place.clientWidth !== this.plot.width) {
        this.plot.setSize({width: place.clientWidth, height});
      }
    }).observe(place);
    whenRecoloured(() => {
      this.plot?.destroy();
      this.plot = null;
      this.show(this.data);
    });
  }

  show(data) {
    this.data = data;
    if (!data) {
      return;
    }
    if (this.plot) {
      this.plot.setData(data);
    } else if (this.place.clientWidth > 0) {
      this.plot = new uPlot(
        {width: this.place.clientWidth, height: this.height, ...this.options()}, data, this.place);
    }
  }
}

const clock = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23'});

/** The speed of the fleet over time. */
export class SpeedChart {
  static #LONGEST = 600;
  static #LEAST_SECONDS = 60;
  // Without a snapshot for so long, nothing is known of the time between: the line has a gap.
  static #GAP_SECONDS = 10;

  constructor(place) {
    this.times = [];
    this.bytes = [];
    this.reads = [];
    this.chart = new FittingChart(place, 190, () => ({
      cursor: {y: false},
      legend: {show: false},
      series: [
        {},
        {label: 'bytes', stroke: colour('accent'), width: 2, fill: `color-mix(in srgb, ${colour('accent')} 14%, transparent)`,
          scale: 'bytes', points: {show: false}},
        {label: 'reads', stroke: colour('hedge'), width: 1.5, scale: 'reads', points: {show: false}},
      ],
      scales: {
        x: {time: true, range: (plot, low, high) => [Math.min(low, high - SpeedChart.#LEAST_SECONDS), high]},
        bytes: {range: (plot, low, high) => [0, Math.max(1 << 20, 1.1 * high)]},
        reads: {range: (plot, low, high) => [0, Math.max(10, 1.1 * high)]},
      },
      axes: [
        axis({space: 90, values: (plot, splits) => splits.map(seconds => clock.format(seconds * 1000))}),
        axis({scale: 'bytes', size: 84, incrs: POWERS, values: (plot, splits) => splits.map(value => value === 0 ? '0' : perSecond(value))}),
        axis({scale: 'reads', side: 1, size: 52, stroke: colour('hedge'), grid: {show: false},
          values: (plot, splits) => splits.map(value => `${value}/s`)}),
      ],
    }));
  }

  add(seconds, bytesPerSecond, readsPerSecond) {
    const last = this.times[this.times.length - 1];
    if (seconds - last > SpeedChart.#GAP_SECONDS) {
      this.#push(last + 1, null, null);
    }
    this.#push(seconds, bytesPerSecond, readsPerSecond);
    while (this.times.length > SpeedChart.#LONGEST) {
      this.times.shift();
      this.bytes.shift();
      this.reads.shift();
    }
    this.chart.show([this.times, this.bytes, this.reads]);
  }

  #push(seconds, bytesPerSecond, readsPerSecond) {
    this.times.push(seconds);
    this.bytes.push(bytesPerSecond);
    this.reads.push(readsPerSecond);
  }
}

/** The percentiles of a store beside those of the store in the middle of all. */
export class PercentileChart {
  constructor(place, names, isTime) {
    this.names = names;
    this.chart = new FittingChart(place, 210, () => ({
      cursor: {y: false},
      legend: {show: false},
      series: [
        {},
        {label: 'this store', stroke: colour('accent'), width: 2.5, points: {show: true, size: 6, fill: colour('accent')}},
        {label: 'median store', stroke: colour('soft'), width: 1.5, dash: [5, 4], points: {show: false}},
      ],
      scales: {x: {time: false}, y: {distr: 3, log: isTime ? 10 : 2}},
      axes: [
        axis({splits: () => names.map((name, index) => index), values: () => names, space: 30}),
        axis({size: 84, values: (plot, splits) => splits.map(
          value => value === null ? '' : isTime ? micros(value) : `${bytes(value)}/s`)}),
      ],
    }));
  }

  show(store, median) {
    const places = this.names.map((name, index) => index);
    const line = values => places.map(place => values.length > place ? Math.max(1, values[place]) : null);
    this.chart.show([places, line(store), line(median)]);
  }
}
