const UNIT_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`; undefined when the text is not a duration. */
export function parseDurationMs(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  );
}

/** The shortest text that `parseDurationMs` reads as this many milliseconds, e.g. `1h30m`. */
export function formatDuration(durationMs: number): string {
  let restMs = durationMs;
  const parts = Object.entries(UNIT_MS)
    .reverse()
    .map(([unit, unitMs]) => {
      const amount = Math.floor(restMs / unitMs);
      restMs -= amount * unitMs;
      return amount > 0 ? `${amount}${unit}` : '';
    });
  return parts.join('') || '0';
}
