import { parseJson, textAt } from '@muster/schema';
import type { ClusterView, HostView } from './rest-client';

const BAR_WIDTH = 24;
const REDRAW_MS = 120;
/** Interval in milliseconds at which the bars are printed when the output is not a terminal. */
const PRINT_MS = 5_000;

/**
 * Shows progress bars of all hosts below a log of events. On a terminal the bars are drawn again in place. They are cut to its size there,
 * because the rows of a wrapped line, and the lines above the first row, cannot be erased.
 */
export class ProgressView {
  private readonly clusters = new Map<string, ClusterView>();
  private drawnLines = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly startedMs = performance.now();

  constructor(private readonly out: NodeJS.WriteStream) {}

  start(): void {
    this.timer = setInterval(() => this.draw(), this.out.isTTY ? REDRAW_MS : PRINT_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.draw();
    this.drawnLines = 0;
  }

  show(cluster: ClusterView): void {
    this.clusters.set(cluster.id, cluster);
  }

  tell(text: string): void {
    this.erase();
    this.out.write(`${this.clock()}  ${text}\n`);
    if (this.out.isTTY) this.draw();
  }

  private draw(): void {
    this.erase();
    const lines = [...this.clusters.values()].flatMap((cluster) => [
      clusterLine(cluster),
      ...[...cluster.hosts].sort(byName).map(hostLine),
    ]);
    const drawn = this.out.isTTY ? cut(lines, this.out) : lines;
    if (drawn.length > 0) this.out.write(`${drawn.join('\n')}\n`);
    this.drawnLines = this.out.isTTY ? drawn.length : 0;
  }

  private erase(): void {
    if (this.drawnLines > 0) this.out.write(`\u001b[${this.drawnLines}A\u001b[J`);
    this.drawnLines = 0;
  }

  private clock(): string {
    return `${((performance.now() - this.startedMs) / 1_000).toFixed(1).padStart(5)} s`;
  }
}

/** Returns the lines that fit above the row of the cursor, without what exceeds the width. A terminal of unknown size has 0 columns and rows. */
const cut = (lines: readonly string[], { columns, rows }: NodeJS.WriteStream): readonly string[] =>
  lines.slice(0, rows ? rows - 1 : undefined).map((line) => line.slice(0, columns || undefined));

const clusterLine = ({ name, status, progress }: ClusterView): string =>
  `         ${name.padEnd(14)} ${bar(progress?.total_percentage ?? 0)}  ${status}`;

function hostLine(host: HostView): string {
  const role = host.bootstrap ? 'bootstrap' : host.role === 'auto-assign' ? host.suggested_role || '' : host.role;
  const stage = host.progress?.current_stage || host.status;
  return `           ${nameOf(host).padEnd(12)} ${bar(host.progress?.installation_percentage ?? 0)}  ${role.padEnd(9)}  ${stage}`;
}

function bar(percent: number): string {
  const full = Math.round((percent / 100) * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)} ${String(percent).padStart(3)} %`;
}

const byName = (first: HostView, second: HostView): number =>
  nameOf(first).localeCompare(nameOf(second), 'en', { numeric: true });

function nameOf(host: HostView): string {
  if (host.requested_hostname) return host.requested_hostname;
  return textAt(parseJson(host.inventory || '{}'), 'hostname') ?? host.id.slice(0, 8);
}
