/** A plug in the simulated switch: one address of one machine. */
export interface Plug {
  readonly address: string;
  readonly mac: string;
  /** False while the machine is off. */
  isUp(): boolean;
}

/** The network between simulated machines: which machine answers on an address, and the records of the name server. */
export interface SimulatedNetwork {
  attach(plug: Plug): void;
  /** Returns every machine that answers on the address: more than one is a conflict. */
  whoHas(address: string): readonly Plug[];
  /** Addresses of a domain name; empty when there is no such name. */
  resolve(domain: string): readonly string[];
}

/** Where names that must exist lead to: an address that belongs to none of the machines (RFC 5737). */
const LOAD_BALANCER = '192.0.2.10';
const NAMES_OF_A_CLUSTER = /^(api|api-int|console-openshift-console\.apps|oauth-openshift\.apps)\./;

/**
 * A network whose name server knows the names that an installation needs and, as it should, no others.
 * `names` adds to them or replaces them; an empty list takes a name away.
 */
export function createSimulatedNetwork(names: { readonly [domain: string]: readonly string[] } = {}): SimulatedNetwork {
  const plugs: Plug[] = [];
  return {
    attach: (plug) => void plugs.push(plug),
    whoHas: (address) => plugs.filter((plug) => plug.address === address && plug.isUp()),
    resolve: (domain) => {
      const name = domain.replace(/\.$/, '');
      return names[name] ?? (NAMES_OF_A_CLUSTER.test(name) ? [LOAD_BALANCER] : []);
    },
  };
}
