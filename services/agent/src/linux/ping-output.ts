/** What ping -q prints at its end. */
export interface PingSummary {
  readonly lossPercent: number;
  /** Undefined when nothing came back. */
  readonly averageMs?: number;
}

export function parsePing(output: string): PingSummary | undefined {
  const loss = /([\d.]+)% packet loss/.exec(output)?.[1];
  if (loss === undefined) return undefined;
  const average = /(?:rtt|round-trip) min\/avg\/max\S* = [\d.]+\/([\d.]+)\//.exec(output)?.[1];
  return { lossPercent: Number(loss), ...(average !== undefined && { averageMs: Number(average) }) };
}

/** What arping prints: the address it asked from and every hardware address that answered. */
export interface ArpingAnswers {
  readonly fromAddress: string;
  readonly macs: readonly string[];
}

export function parseArping(output: string): ArpingAnswers | undefined {
  const fromAddress = /^ARPING \S+ from (\S+)/m.exec(output)?.[1];
  if (!fromAddress) return undefined;
  const macs = [...output.matchAll(/^Unicast reply from \S+ \[([0-9A-Fa-f:]+)\]/gm)].map(([, mac = '']) => mac);
  return { fromAddress, macs: [...new Set(macs)] };
}
