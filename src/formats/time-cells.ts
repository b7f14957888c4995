/** The times in the cells of a table: numbers, dates and times of day. */
import { GrowingArray } from "../core/growing-array.js";
import { isNumber, type TableRow } from "../files/csv-table.js";
import { refuse, shown } from "../files/refusal.js";
import { LEAST_USED, shareOfFrames } from "./times.js";

/** What 01/02/2024 means. */
export type DateOrder = "day-first" | "month-first";

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?\s*(?:(Z|UTC)|([+-])(\d\d):?(\d\d))?$/i;
/** Kinovea writes hundredths of a second behind a colon. */
const CLOCK = /^(\d{1,2}):(\d\d):(\d\d)(?:[.,:](\d+))?$/;
const TIMECODE = /^\d{1,2}:\d\d:\d\d:(\d\d)$/;
/** 31.5.2024, 31/5/2024 and 5/31/2024, with the time of day. */
const YEAR_LAST = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})((?:[T ].*)?)$/;

const REMEDY = "give times as numbers, or as 2024-05-31T12:00:00.5";
const RULE = { below: 1e15, remedy: REMEDY };
export const DAY = 86400;

/** Whether a cell holds a date or the time of a clock, whose unit is the second. */
export const isDate = (text: string): boolean => [ISO, CLOCK, YEAR_LAST].some((form) => form.test(text));

export const isClock = (text: string): boolean => CLOCK.test(text);

/** The column that has the date of a clock's time; null where there is none, or the time has a date itself. */
const dateColumnOf = (row: TableRow, text: string): string | null =>
  (CLOCK.test(text) && ["date", "datum"].find((name) => row.text(name) !== "")) || null;

/** The text of a time, with the date of its row, which some programs write in a column beside it. */
function textIn(row: TableRow, column: string): { readonly text: string; readonly place: string } {
  const text = row.text(column);
  const place = dateColumnOf(row, text);
  return place === null ? { text, place: column } : { text: `${row.text(place)} ${text.padStart(8, "0")}`, place };
}

/** The order of a date such as 13/02/2024, which has one number above 12; null for one that may be either, and for other texts. */
function orderIn(text: string): DateOrder | null {
  const [, first, mark, second] = YEAR_LAST.exec(text) ?? [];
  if (mark === undefined) return null;
  if (mark === "." || Number(first) > 12) return "day-first";
  return Number(second) > 12 ? "month-first" : null;
}

const isOpen = (text: string): boolean => {
  const [, first, mark, second] = YEAR_LAST.exec(text) ?? [];
  return mark === "/" && first !== second && orderIn(text) === null;
};

/** The time in a cell: a number in the file's unit, or seconds of a date or of a clock. */
export function timeIn(row: TableRow, column: string, order: DateOrder | undefined): number {
  if (isNumber(row.text(column))) return row.number(column, RULE);
  const { text, place } = textIn(row, column);
  if (isOpen(text) && order === undefined) row.refuse(place, ...openDate(text));
  if (TIMECODE.test(text)) row.refuse(column, ...openTimecode(text));
  return secondsIn(row, column, order ?? "day-first");
}

const openDate = (text: string) =>
  [`${shown(text)} may have the day or the month first`, "give --dates day-first or --dates month-first"] as const;

const openTimecode = (text: string) =>
  [
    `${shown(text)} may end in hundredths of a second, or in the number of an image`,
    "write hundredths as 12:00:00.25, or give the frames' numbers",
  ] as const;

/** Of a cell that is no number. */
function secondsIn(row: TableRow, column: string, order: DateOrder): number {
  const { text: written, place } = textIn(row, column);
  const text = withYearFirst(written, order);
  const clock = CLOCK.exec(text);
  if (clock !== null) return secondsOf(clock[1], clock[2], clock[3], clock[4]);
  const iso = ISO.exec(text);
  if (iso === null && place !== column) row.refuse(place, `${shown(row.text(place))} is no date`, REMEDY);
  if (iso === null) return row.number(column, RULE);
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction, , sign, offsetHours, offsetMinutes] =
    iso;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000;
  const isDay = new Date(1000 * midnight).getUTCDate() === Number(day) && Number(month) <= 12;
  if (!isDay || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60)
    row.refuse(place, `${shown(text)} is no date`, REMEDY);
  const offset = sign === undefined ? 0 : secondsOf(`${sign}${offsetHours}`, `${sign}${offsetMinutes}`, "0", undefined);
  return midnight + secondsOf(hour, minute, second, fraction) - offset;
}

const secondsOf = (hour: string, minute: string, second: string, fraction: string | undefined) =>
  3600 * Number(hour) + 60 * Number(minute) + Number(second) + (fraction === undefined ? 0 : Number(`0.${fraction}`));

/** A date as 2024-05-31: with dots the day comes first, and with slashes the number above 12 is the day. */
function withYearFirst(text: string, order: DateOrder): string {
  const [, first, , second, year, time] = YEAR_LAST.exec(text) ?? [];
  if (year === undefined) return text;
  const [day, month] = (orderIn(text) ?? order) === "month-first" ? [second, first] : [first, second];
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}${inHours(time)}`;
}

/** A time of day with two digits of hours, from 0 to 23 where it says AM or PM. */
const inHours = (time: string) =>
  time.replace(/^([T ])(\d{1,2})(:[^ ]*)(?: ?([AP])\.?M\.?)?$/i, (_, blank, hour, rest, half) => {
    const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
    return `${blank}${String(hours).padStart(2, "0")}${rest}`;
  });

/** A column of times, whose dates and times of day are understood once all are there. */
export class TimeColumn {
  readonly #time = new GrowingArray(Float64Array);
  /** The same with the month first, from the first date on that may have either. */
  #monthFirst: GrowingArray<Float64Array> | null = null;
  #open: { readonly row: number; readonly text: string } | null = null;
  /** The order that dates show, and where. */
  #order: { readonly order: DateOrder; readonly line: number; readonly text: string } | null = null;
  #timecode: { readonly row: number; readonly text: string; readonly most: number } | null = null;
  #isDated = false;
  #isClock = false;
  #dateColumn: string | null = null;

  constructor(private readonly asked: DateOrder | undefined) {}

  /** Whether the times are dates, or those of a clock. */
  get isDated(): boolean {
    return this.#isDated;
  }

  add(row: TableRow): void {
    const cell = row.text("frame");
    const at = this.#time.length;
    if (at === 0) {
      this.#isDated = isDate(cell);
      this.#dateColumn = dateColumnOf(row, cell);
      this.#isClock = CLOCK.test(cell) && this.#dateColumn === null;
    }
    if (isNumber(cell)) this.#push(row.number("frame", RULE));
    else this.#addText(row, cell, at);
  }

  #addText(row: TableRow, cell: string, at: number): void {
    const { text, place } = textIn(row, "frame");
    const order = text.includes("/") ? orderIn(text) : null;
    const before = this.asked ?? this.#order?.order ?? order;
    if (order !== null && order !== before) {
      const has = `${shown(text)} has the ${first(order)} first`;
      if (this.asked) row.refuse(place, `${has}, and --dates ${this.asked} is given`, "leave it out");
      row.refuse(place, `${has}, and ${this.#shows()} the ${first(before ?? order)} first`, REMEDY);
    }
    if (order !== null) this.#order ??= { order, line: row.line, text };
    if (this.asked === undefined && isOpen(text)) {
      this.#open ??= { row: at, text };
      this.#monthFirst ??= copyOf(this.#time.values);
    }
    const [, hundredths] = TIMECODE.exec(cell) ?? [];
    if (hundredths !== undefined) {
      const { row = at, text = cell, most = 0 } = this.#timecode ?? {};
      this.#timecode = { row, text, most: Math.max(most, Number(hundredths)) };
    }
    const time = secondsIn(row, "frame", this.asked ?? "day-first");
    this.#push(time, this.#monthFirst === null ? time : secondsIn(row, "frame", "month-first"));
  }

  #shows(): string {
    return `${shown(this.#order?.text)} on line ${this.#order?.line} has`;
  }

  #push(time: number, monthFirst = time): void {
    this.#time.push(time);
    this.#monthFirst?.push(monthFirst);
  }

  /**
   * The times, of which those that may be read in two ways are settled by what the others show.
   * @param place of a row, for messages
   * @param label the name of the column
   * @param stated the step, if it is known
   * @throws InputError naming the option that settles them
   */
  finish(
    place: (row: number) => string,
    label: string,
    stated: number | null,
    isKinovea: boolean,
    notes: string[],
  ): Float64Array {
    const timecode = this.#timecode;
    if (timecode !== null && timecode.most < 60 && !isKinovea)
      refuse(place(timecode.row), ...openTimecode(timecode.text));
    if (this.#dateColumn !== null)
      notes.push(`The times of day in the column ${label} are on the dates in the column ${this.#dateColumn}.`);
    const time = this.#ordered(place, label, stated, notes);
    return this.#isClock ? pastMidnight(time, label, notes) : time;
  }

  #ordered(place: (row: number) => string, label: string, stated: number | null, notes: string[]): Float64Array {
    const [dayFirst, monthFirst] = [this.#time.values, this.#monthFirst?.values];
    if (monthFirst === undefined || this.#open === null) return dayFirst;
    const say = (order: DateOrder, why: string) => {
      notes.push(`Dates in the column ${label} have the ${first(order)} first, as ${why}.`);
      return order === "day-first" ? dayFirst : monthFirst;
    };
    if (this.#order !== null) return say(this.#order.order, this.#shows());
    // On one day both orders give the same frames.
    const isSame = dayFirst.every((time, row) => time - dayFirst[0] === monthFirst[row] - monthFirst[0]);
    if (isSame) return dayFirst;
    const isUsed = [dayFirst, monthFirst].map((time) => shareOfFrames(time, stated) >= LEAST_USED);
    if (isUsed[0] !== isUsed[1])
      return say(isUsed[0] ? "day-first" : "month-first", "nearly all frames would be empty otherwise");
    refuse(place(this.#open.row), ...openDate(this.#open.text));
  }
}

const first = (order: DateOrder) => (order === "day-first" ? "day" : "month");

function copyOf(values: Float64Array): GrowingArray<Float64Array> {
  const copy = new GrowingArray(Float64Array);
  for (const value of values) copy.push(value);
  return copy;
}

/** Times of day, of which those after midnight belong to the next day where the recording is shorter that way. */
function pastMidnight(time: Float64Array, label: string, notes: string[]): Float64Array {
  let day = 0;
  const passed = time.map((at, row) => {
    if (row > 0 && Math.abs(at - time[row - 1]) > DAY / 2) day += at < time[row - 1] ? DAY : -DAY;
    return at + day;
  });
  if (!(spanOf(passed) < spanOf(time))) return time;
  notes.push(`The times of day in the column ${label} pass midnight: those after it are on the next day.`);
  return passed;
}

function spanOf(time: Float64Array): number {
  let [least, most] = [time[0], time[0]];
  for (const at of time) [least, most] = [Math.min(least, at), Math.max(most, at)];
  return most - least;
}
