/** What Muster reads of a host's network document; the rest of the document goes to the host untouched. */
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
  /** Place in the document, from 0; ports that nothing describes come after the last one. */
  readonly index: number;
  readonly name: string;
  readonly profileName: string;
  readonly type: string;
  readonly state: string;
  readonly isFoundByMac: boolean;
  /** Upper case, `:` between; empty when not given. */
  readonly macAddress: string;
  readonly controller: string;
  readonly ipv4: IpSettings;
  readonly ipv6: IpSettings;
  /** The mapping as it was written. */
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
  readonly raw: { readonly [key: string]: unknown };
}

export type Family = 'ipv4' | 'ipv6';

/** Whether an address or network is of IPv6. */
export const familyOf = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');
