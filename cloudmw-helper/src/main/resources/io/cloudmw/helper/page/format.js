// Texts for people. Everything that comes from the cluster passes through visible() on its way to the page.

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

// Characters that draw nothing, or change how their neighbours are drawn.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udfff]/gu;

/** Returns a text with its invisible characters named, such as <U+202E>. */
export function visible(text) {
  return String(text).replace(INVISIBLE, c => `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

/** Sets the text of an element, if it has another one. */
export function setText(element, text) {
  const shown = visible(text);
  if (element.textContent !== shown) {
    element.textContent = shown;
  }
}

/** Creates an element with a class and a text. */
export function element(name, className = '', text = '') {
  const made = document.createElement(name);
  if (className) {
    made.className = className;
  }
  if (text !== '') {
    made.textContent = visible(text);
  }
  return made;
}

function digits(value) {
  return Number.isInteger(value) ? String(value) : value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function bytes(count) {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < SIZES.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${Math.round(value)} B` : `${digits(value)} ${SIZES[unit]}`;
}

export function perSecond(count) {
  return count < 0.5 ? '–' : `${bytes(count)}/s`;
}

export function number(value) {
  return value >= 1e6 ? `${digits(value / 1e6)}M` : value >= 1e4 ? `${digits(value / 1e3)}k` : String(value);
}

export function rate(value) {
  return value < 0.005 ? '–' : value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

export function nanos(count) {
  return count >= 60e9 ? `${(count / 60e9).toFixed(1)} min`
    : count >= 1e9 ? `${digits(count / 1e9)} s`
    : count >= 1e6 ? `${digits(count / 1e6)} ms`
    : count >= 1e3 ? `${digits(count / 1e3)} µs` : `${count} ns`;
}

export function micros(count) {
  return nanos(count * 1000);
}

export function age(millis) {
  const seconds = millis / 1000;
  return seconds < 10 ? `${Math.max(0, seconds).toFixed(1)} s`
    : seconds < 120 ? `${Math.round(seconds)} s`
    : seconds < 7200 ? `${Math.round(seconds / 60)} min`
    : seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} d`;
}

export function percent(share) {
  return share === 0 ? '0%' : share < 0.001 ? '<0.1%' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
}
