const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

/** At most one decimal, none from 100 on: `8.1 s`. */
export const formatSeconds = (seconds: number): string => `${rounded(seconds)} s`;

/** In decimal units: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${rounded(bytes / STEP ** unit)} ${UNITS[unit]}`;
}

/** At most one decimal, none from 100 on. */
export const rounded = (value: number): string => String(Number(value.toFixed(Math.abs(value) < 100 ? 1 : 0)));
