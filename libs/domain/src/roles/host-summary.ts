/** Numbers of hosts by role. */
export interface RoleCounts {
  readonly masters: number;
  readonly arbiters: number;
  readonly workers: number;
}

/** What the cluster's table asks of its hosts, as numbers: made by `summarizeHosts`. */
export interface HostSummary {
  readonly total: number;
  /** Hosts per host status, as on the wire; statuses without hosts are left out. */
  readonly statuses: Readonly<Record<string, number>>;
  /** By assigned role; the bootstrap counts as a master. */
  readonly expected: RoleCounts;
  /** By effective role, in status `installed`. */
  readonly installed: RoleCounts;
  /** By effective role, in a status on the way to `installed` or in it. */
  readonly onTheWay: RoleCounts;
  /** By effective role, in any status. */
  readonly effectiveWorkers: number;
  /** Exactly two masters, both with fencing credentials, and no arbiter. */
  readonly isFencingPair: boolean;
}
