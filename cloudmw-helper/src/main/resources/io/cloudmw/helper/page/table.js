// A table with search, order and pages. Only the rows of the current page are in the document, and only texts that
// changed are written, so that thousands of rows cost no more than a page of them.

import {element, setText} from './format.js';

/**
 * Columns have: title, value(row) for the order, and one of text(row) or fill(cell, row). Optional are number (align to
 * the right), wide (left out on a phone), prose (may wrap).
 */
export class DataTable {
  constructor(place, options) {
    this.options = {pageSize: 25, unit: 'rows', empty: 'None.', ...options};
    this.rows = [];
    this.known = false;
    this.page = 0;
    this.words = '';
    this.order = null;
    this.chosen = null;
    this.#build(place);
  }

  #build(place) {
    const {caption, columns} = this.options;
    const bar = element('div', 'bar');
    this.search = element('input');
    this.search.type = 'search';
    this.search.placeholder = 'Search';
    this.search.setAttribute('aria-label', `Search in ${caption}`);
    this.search.addEventListener('input', () => {
      this.words = this.search.value.toLowerCase();
      this.page = 0;
      this.#draw();
    });
    this.count = element('span', 'count');
    this.count.setAttribute('role', 'status');
    this.pages = element('span', 'pages');
    this.before = this.#button('Previous', -1);
    this.where = element('span');
    this.after = this.#button('Next', 1);
    this.pages.append(this.before, this.where, this.after);
    bar.append(this.search, this.count, this.pages);
    this.bar = bar;

    const scroll = element('div', 'scroll');
    const table = element('table');
    table.append(element('caption', 'hidden', caption));
    const head = table.createTHead().insertRow();
    this.heads = columns.map((column, index) => {
      const cell = element('th', classes(column));
      cell.scope = 'col';
      const button = element('button', '', column.title);
      button.type = 'button';
      button.addEventListener('click', () => this.#sort(index));
      cell.append(button);
      head.append(cell);
      return cell;
    });
    this.body = table.createTBody();
    scroll.append(table);
    place.append(bar, scroll);
    this.#draw();
  }

  #button(title, step) {
    const button = element('button', '', title);
    button.type = 'button';
    button.addEventListener('click', () => {
      this.page += step;
      this.#draw();
    });
    return button;
  }

  #sort(column) {
    const down = this.order && this.order.column === column ? !this.order.down : !!this.options.columns[column].number;
    this.order = {column, down};
    this.page = 0;
    this.#draw();
  }

  /** Shows these rows; those before stay in their place. */
  show(rows) {
    this.rows = rows;
    this.known = true;
    this.#draw();
  }

  /** Marks the row with this key. */
  choose(key) {
    this.chosen = key;
    this.#draw();
  }

  #found() {
    const {search, columns, first} = this.options;
    const found = this.words ? this.rows.filter(row => search(row).toLowerCase().includes(this.words)) : [...this.rows];
    if (this.order) {
      const {value} = columns[this.order.column];
      const sign = this.order.down ? -1 : 1;
      found.sort((a, b) => sign * compare(value(a), value(b)));
    } else if (first) {
      found.sort((a, b) => compare(first(a), first(b)));
    }
    return found;
  }

  #draw() {
    const {pageSize, columns, unit, empty, key} = this.options;
    const found = this.#found();
    const last = Math.max(0, Math.ceil(found.length / pageSize) - 1);
    this.page = Math.min(Math.max(0, this.page), last);
    const shown = found.slice(this.page * pageSize, (this.page + 1) * pageSize);
    setText(this.count, found.length === this.rows.length
      ? `${this.rows.length} ${unit}` : `${found.length} of ${this.rows.length} ${unit}`);
    setText(this.where, `${this.page + 1} of ${last + 1}`);
    this.pages.hidden = last === 0;
    this.bar.hidden = this.rows.length <= 5 && !this.words;
    this.before.disabled = this.page === 0;
    this.after.disabled = this.page === last;
    this.heads.forEach((cell, index) => {
      if (this.order && this.order.column === index) {
        cell.setAttribute('aria-sort', this.order.down ? 'descending' : 'ascending');
      } else {
        cell.removeAttribute('aria-sort');
      }
    });
    if (shown.length === 0) {
      this.body.replaceChildren();
      const cell = this.body.insertRow().insertCell();
      cell.colSpan = columns.length;
      cell.className = 'empty';
      setText(cell, !this.known ? 'Loading…' : this.rows.length === 0 ? empty : 'Nothing found.');
      return;
    }
    if (this.body.rows.length > 0 && this.body.rows[0].cells.length !== columns.length) {
      this.body.replaceChildren();
    }
    while (this.body.rows.length > shown.length) {
      this.body.deleteRow(-1);
    }
    while (this.body.rows.length < shown.length) {
      const line = this.body.insertRow();
      columns.forEach(column => {
        line.insertCell().className = classes(column);
      });
    }
    shown.forEach((row, index) => {
      const line = this.body.rows[index];
      line.className = key && this.chosen !== null && key(row) === this.chosen ? 'chosen' : '';
      columns.forEach((column, at) => {
        if (column.fill) {
          column.fill(line.cells[at], row);
        } else {
          setText(line.cells[at], column.text(row));
        }
      });
    });
  }
}

function classes(column) {
  return [column.number && 'number', column.wide && 'wide', column.prose && 'text'].filter(Boolean).join(' ');
}

function compare(a, b) {
  if (typeof a === 'number' && typeof b === 'number') {
    return a - b;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Fills a cell with a badge. */
export function badge(cell, kind, text) {
  const shown = cell.firstElementChild ?? cell.appendChild(element('span'));
  shown.className = `badge ${kind}`;
  setText(shown, text);
}

/** Fills a cell with a button that acts on the row that the cell has at that moment. */
export function link(cell, text, action) {
  let button = cell.firstElementChild;
  if (!button) {
    button = cell.appendChild(element('button', 'link'));
    button.type = 'button';
    button.addEventListener('click', () => button.action());
  }
  button.action = action;
  setText(button, text);
}
