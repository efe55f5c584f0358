/** An error or a likely mistake in the network configuration of one host. */
export interface NetworkProblem {
  /** Place in `static_network_config`, from 0. */
  readonly host: number;
  /** Line in the host's `network_yaml`, from 1; absent when the problem is not in the YAML. */
  readonly line?: number;
  /** For instance `interfaces[0].ipv4.address[0].ip`. */
  readonly path: string;
  readonly problem: string;
}

/** Returns one sentence for the user. Hosts are counted from 1. */
export function describeNetworkProblem({ host, line, path, problem }: NetworkProblem): string {
  const place = line === undefined ? path : `line ${line}${path === '' ? '' : `, ${path}`}`;
  return `static_network_config of host ${host + 1}${place === '' ? '' : `, ${place}`}: ${problem}`;
}
