import type { Place, PlacedViolation } from '@muster/schema';

/** An error or a probable mistake in the network configuration of one host. */
export interface NetworkProblem {
  /** Index in `static_network_config`, from 0. */
  readonly host: number;
  /** Line in the host's `network_yaml`, from 1. Absent when the problem is not in the YAML. */
  readonly line?: number;
  /** For example `interfaces[0].ipv4.address[0].ip`. */
  readonly path: string;
  readonly problem: string;
}

/** Reports a problem at a place of the document. */
export type Report = (place: Place, problem: string) => void;

/** Returns a violation as a sentence. It begins with the name of the member only, because the path is reported separately. */
export const sentenceOf = ({ path, reason }: PlacedViolation): string =>
  `${path === '' ? 'The document' : path.slice(path.lastIndexOf('.') + 1)} ${reason}.`;

/** Returns one sentence for the user. Hosts are counted from 1. */
export function describeNetworkProblem({ host, line, path, problem }: NetworkProblem): string {
  const place = line === undefined ? path : `line ${line}${path === '' ? '' : `, ${path}`}`;
  return `static_network_config of host ${host + 1}${place === '' ? '' : `, ${place}`}: ${problem}`;
}

/** The members of a host's network document that Muster reads. The rest is passed to the host unchanged. */
export interface NetworkState {
  readonly interfaces: readonly NetworkInterface[];
  readonly routes: readonly Route[];
  readonly rules: readonly RouteRule[];
  readonly dns: {
    readonly servers: readonly string[];
    readonly search: readonly string[];
    readonly options: readonly string[];
  };
}

export interface NetworkInterface {
  /** Index in the document, from 0. Ports without a description follow after the last one. */
  readonly index: number;
  readonly name: string;
  readonly profileName: string;
  readonly type: string;
  readonly state: string;
  readonly isFoundByMac: boolean;
  /** Upper case, separated by `:`. Empty when absent. */
  readonly macAddress: string;
  readonly controller: string;
  readonly ipv4: IpSettings;
  readonly ipv6: IpSettings;
  /** The mapping as in the document. */
  readonly raw: { readonly [key: string]: unknown };
}

export interface IpSettings {
  readonly isEnabled: boolean;
  readonly isDhcp: boolean;
  readonly isAutoconf: boolean;
  /** With prefix, as `192.168.0.5/24`. */
  readonly addresses: readonly string[];
  readonly raw: { readonly [key: string]: unknown };
}

export interface Route {
  readonly index: number;
  readonly isAbsent: boolean;
  readonly destination: string;
  readonly nextHopAddress: string;
  readonly nextHopInterface: string;
  readonly raw: { readonly [key: string]: unknown };
}

export interface RouteRule {
  readonly index: number;
  readonly priority: number;
  readonly raw: { readonly [key: string]: unknown };
}

export const FAMILIES = ['ipv4', 'ipv6'] as const;
export type Family = (typeof FAMILIES)[number];

/** The problem of a route through an interface. */
export const noFamily = (name: string, family: Family): string =>
  `${name} is not up or has no ${family}. Set its state to up, and ${family}.enabled to true.`;

/** Returns whether an address or network is IPv6. */
export const familyOf = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');
