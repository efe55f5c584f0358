import type { HardwareFacts, HostKey, Plain } from '@muster/contracts';
import { keptByObject } from '@muster/schema';

/** Hosts in these statuses do not answer a connectivity check. */
const ABSENT_STATUSES: readonly string[] = ['discovering', 'disconnected'];

/** A host of a cluster as the steps of its other hosts name it. */
export interface StepOtherHost {
  readonly hostId: string;
  readonly status: string;
  readonly role: string;
  readonly isBootstrap: boolean;
  readonly hardware?: Plain<HardwareFacts>;
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/**
 * The hosts of one cluster as connectivity checks name them. Every host receives all others, so the text of all hosts is
 * written once, and each host receives the parts before and after its own.
 */
export class RemoteHosts {
  /** The JSON of the hosts, separated by commas. */
  readonly text: string;
  private readonly places = new Map<HostKey, Place>();
  /** Hosts that take part, but have not reported NICs. */
  private readonly withoutNics = new Set<HostKey>();

  /** `version`: another one for every other text. */
  constructor(
    readonly version: number,
    hosts: Iterable<readonly [HostKey, StepOtherHost]>,
  ) {
    const texts: string[] = [];
    let start = 0;
    for (const [key, host] of hosts) {
      if (ABSENT_STATUSES.includes(host.status)) continue;
      const text = textOf(host);
      if (!text) {
        this.withoutNics.add(key);
        continue;
      }
      this.places.set(key, { start, end: start + text.length });
      start += text.length + 1;
      texts.push(text);
    }
    this.text = texts.join(',');
  }

  /**
   * Returns all hosts except one as a JSON array: each with its NICs and their addresses without prefix lengths, IPv4 before IPv6.
   * Undefined when there is no other host, or when another host has not reported NICs.
   */
  without(key: HostKey): string | undefined {
    const { text, places, withoutNics } = this;
    const own = places.get(key);
    if (withoutNics.size > (withoutNics.has(key) ? 1 : 0) || places.size <= (own ? 1 : 0)) return undefined;
    if (!own) return `[${text}]`;
    const { start, end } = own;
    return start === 0 ? `[${text.slice(end + 1)}]` : `[${text.slice(0, start - 1)}${text.slice(end)}]`;
  }

  /** Whether every host receives the same text from both. */
  equals({ text, places, withoutNics }: RemoteHosts): boolean {
    const isSame = this.text === text && this.withoutNics.size === withoutNics.size;
    return isSame && [...withoutNics].every((key) => this.withoutNics.has(key)) && haveSameKeys(this.places, places);
  }
}

function haveSameKeys<Key>(one: ReadonlyMap<Key, unknown>, other: ReadonlyMap<Key, unknown>): boolean {
  const keys = [...other.keys()];
  return one.size === other.size && [...one.keys()].every((key, index) => key === keys[index]);
}

/** Returns an empty text for a host without NICs. */
const textOf = ({ hostId, hardware }: StepOtherHost): string =>
  hardware && hardware.nics.length > 0 ? writtenHost(hardware, hostId) : '';

/** Returns the JSON of a host. It is kept as long as its hardware, because a change of one host does not change the text of another. */
const writtenHost = keptByObject((hardware: Plain<HardwareFacts>, hostId: string): string =>
  JSON.stringify({
    host_id: hostId,
    nics: hardware.nics.map((nic) => ({
      name: nic.name,
      mac: nic.macAddress,
      ip_addresses: [...nic.ipv4Addresses, ...nic.ipv6Addresses].map(withoutPrefix),
    })),
  }),
);

export const withoutPrefix = (cidr: string): string => cidr.split('/')[0] ?? cidr;
