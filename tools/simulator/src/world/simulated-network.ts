const BITS = 32;

/** An IPv4 network. Addresses are numbered from its first one (0). */
export interface Network {
  readonly cidr: string;
  readonly prefix: number;
  readonly size: number;
  /** @throws when the network has no such address */
  address(number: number): string;
  includes(address: string): boolean;
}

/** @throws when `cidr` is not an IPv4 network in canonical form, such as `192.168.111.0/24` */
export function parseNetwork(cidr: string): Network {
  const [, address = '', prefixText = ''] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(cidr) ?? [];
  const prefix = Number(prefixText);
  const base = toNumber(address);
  const size = 2 ** (BITS - prefix);
  if (base === undefined || prefixText === '' || prefix > BITS || base % size !== 0)
    throw new Error(`${cidr} is not an IPv4 network; write it like 192.168.111.0/24.`);
  return {
    cidr,
    prefix,
    size,
    address: (number) => {
      if (number < 0 || number >= size) throw new Error(`The network ${cidr} has no address number ${number}.`);
      return toText(base + number);
    },
    includes: (one) => {
      const number = toNumber(one);
      return number !== undefined && number >= base && number < base + size;
    },
  };
}

function toNumber(address: string): number | undefined {
  const bytes = address.split('.').map(Number);
  const isAddress = bytes.length === 4 && bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  return isAddress ? bytes.reduce((sum, byte) => sum * 256 + byte, 0) : undefined;
}

const toText = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** Returns the network of an address with prefix length: `192.168.111.0/24` for `192.168.111.20/24`. */
export function networkOf(addressWithPrefix: string): string {
  const [address = '', prefix = ''] = addressWithPrefix.split('/');
  const number = toNumber(address);
  if (number === undefined || !/^\d+$/.test(prefix))
    throw new Error(`${addressWithPrefix} is not an address with its prefix length.`);
  return `${toText(number - (number % 2 ** (BITS - Number(prefix))))}/${prefix}`;
}

/** A connection to the simulated network: one address of one machine. */
export interface Plug {
  readonly address: string;
  readonly mac: string;
  /** False while the machine is off. */
  isUp(): boolean;
}

/** The network between simulated machines, with its name server. */
export interface SimulatedNetwork {
  attach(plug: Plug): void;
  /** Returns every machine that uses the address. More than one is a conflict. */
  whoHas(address: string): readonly Plug[];
  /** Returns the addresses of a domain name; empty when the name does not exist. */
  resolve(domain: string): readonly string[];
}

/** Address of names that must resolve. It belongs to no machine (RFC 5737). */
const LOAD_BALANCER = '192.0.2.10';
const NAMES_OF_A_CLUSTER = /^(api|api-int|console-openshift-console\.apps|oauth-openshift\.apps)\./;

/**
 * Creates a network whose name server has only the names that an installation requires. `names` adds names or replaces
 * them; an empty list removes a name.
 */
export function createSimulatedNetwork(names: { readonly [domain: string]: readonly string[] } = {}): SimulatedNetwork {
  // Each machine looks up the addresses of all others, so a list would make a check of a large fleet cubic.
  const plugs = new Map<string, Plug[]>();
  return {
    attach: (plug) => void plugs.set(plug.address, [...(plugs.get(plug.address) ?? []), plug]),
    whoHas: (address) => (plugs.get(address) ?? []).filter((plug) => plug.isUp()),
    resolve: (domain) => {
      const name = domain.replace(/\.$/, '');
      return names[name] ?? (NAMES_OF_A_CLUSTER.test(name) ? [LOAD_BALANCER] : []);
    },
  };
}
