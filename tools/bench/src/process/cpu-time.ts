import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc; fixed at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process so far, user and system, in ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the command, may hold spaces; what follows its closing bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}

/** Resident memory of a process, bytes. */
export function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? NaN) * 1_024;
}

/** Share of one core that each process uses while the time passes. */
export async function coreShares(pids: readonly number[], ms: number): Promise<readonly number[]> {
  const before = pids.map(cpuMs);
  const startedMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, ms));
  const passedMs = performance.now() - startedMs;
  return pids.map((pid, index) => (cpuMs(pid) - (before[index] ?? 0)) / passedMs);
}
