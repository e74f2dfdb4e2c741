import type { Millis } from "../protocol/ids.ts";

type Parts = Record<string, string>;

/** `2026-12-01 (Tuesday)` where the user is; by the machine's own zone when the name is absent or unknown. */
export function localDate(at: Millis, timeZone: string | undefined): string {
  const { year, month, day, weekday } = partsOf(at, timeZone).parts;
  return `${year}-${month}-${day} (${weekday})`;
}

/** `2026-12-01 09:05 (Tuesday), Europe/Berlin, UTC+01:00`. */
export function localTime(at: Millis, timeZone: string | undefined): string {
  const { parts, zone } = partsOf(at, timeZone);
  const { year, month, day, weekday, hour, minute, timeZoneName } = parts;
  const offset = timeZoneName === "GMT" ? "UTC+00:00" : String(timeZoneName).replace("GMT", "UTC");
  const named = zone === "UTC" ? "UTC" : `${zone}, ${offset}`;
  return `${year}-${month}-${day} ${hour}:${minute} (${weekday}), ${named}`;
}

function partsOf(at: Millis, timeZone: string | undefined): { parts: Parts; zone: string } {
  const format = formatFor(timeZone);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return { parts, zone: format.resolvedOptions().timeZone };
}

function formatFor(timeZone: string | undefined): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  };
  try {
    return new Intl.DateTimeFormat("en-US", { ...options, timeZone: timeZone || undefined });
  } catch {
    return new Intl.DateTimeFormat("en-US", options);
  }
}
